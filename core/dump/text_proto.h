// Writes protobuf's text form.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace gec {

class TextProto {
 public:
  void Open(std::string_view field) {
    Indent();
    out_.append(field).append(" {\n");
    ++depth_;
  }
  void Close() {
    --depth_;
    Indent();
    out_ += "}\n";
  }
  void Text(std::string_view field, std::string_view value) {
    Begin(field);
    out_ += '"';
    for (unsigned char c : value) {
      switch (c) {
        case '\n':
          out_ += "\\n";
          break;
        case '\t':
          out_ += "\\t";
          break;
        case '\r':
          out_ += "\\r";
          break;
        case '"':
        case '\\':
          out_ += '\\';
          out_ += static_cast<char>(c);
          break;
        default:
          if (c < 0x20 || c == 0x7f) {
            char octal[8];
            snprintf(octal, sizeof octal, "\\%03o", c);
            out_ += octal;
          } else {
            out_ += static_cast<char>(c);
          }
      }
    }
    out_ += "\"\n";
  }
  void Word(std::string_view field, std::string_view value) {
    Begin(field);
    out_.append(value) += '\n';
  }
  void Int(std::string_view field, int64_t value) { Word(field, std::to_string(value)); }
  void Bool(std::string_view field, bool value) { Word(field, value ? "true" : "false"); }
  void Float(std::string_view field, float value) {  // the shortest form that reads back the same
    if (std::isnan(value)) return Word(field, "nan");
    if (std::isinf(value)) return Word(field, value > 0 ? "inf" : "-inf");
    char buffer[32];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    Word(field, std::string_view(buffer, static_cast<size_t>(end - buffer)));
  }
  std::string Take() { return std::move(out_); }

 private:
  void Indent() { out_.append(static_cast<size_t>(depth_) * 2, ' '); }
  void Begin(std::string_view field) {
    Indent();
    out_.append(field) += ": ";
  }
  std::string out_;
  int depth_ = 0;
};

}  // namespace gec
