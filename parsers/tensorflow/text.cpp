// A GraphDef written as text (.pbtxt), brought into its encoded form: so there is one reader of what it says.
#include <charconv>
#include <cstring>

#include "core/support/error.h"
#include "parsers/tensorflow/graph_def.h"

namespace gec::tensorflow {
namespace {

enum class Msg {
  kGraph,
  kNode,
  kAttrEntry,
  kAttr,
  kList,
  kShape,
  kDim,
  kTensor,
  kFunc,
  kLibrary,
  kFunction,
  kSignature,
  kArg,
  kAttrDef,
  kTextEntry,
  kUnknown
};
enum class Kind { kText, kInt, kBool, kFloat, kDouble, kType, kMessage };

struct Field {
  Msg in;
  const char *name;
  uint32_t number;
  Kind kind;
  Msg message = Msg::kUnknown;
};
constexpr Field kFields[] = {
    {Msg::kGraph, "node", 1, Kind::kMessage, Msg::kNode},
    {Msg::kGraph, "library", 2, Kind::kMessage, Msg::kLibrary},
    {Msg::kNode, "name", 1, Kind::kText},
    {Msg::kNode, "op", 2, Kind::kText},
    {Msg::kNode, "input", 3, Kind::kText},
    {Msg::kNode, "device", 4, Kind::kText},
    {Msg::kNode, "attr", 5, Kind::kMessage, Msg::kAttrEntry},
    {Msg::kAttrEntry, "key", 1, Kind::kText},
    {Msg::kAttrEntry, "value", 2, Kind::kMessage, Msg::kAttr},
    {Msg::kAttr, "list", 1, Kind::kMessage, Msg::kList},
    {Msg::kAttr, "s", 2, Kind::kText},
    {Msg::kAttr, "i", 3, Kind::kInt},
    {Msg::kAttr, "f", 4, Kind::kFloat},
    {Msg::kAttr, "b", 5, Kind::kBool},
    {Msg::kAttr, "type", 6, Kind::kType},
    {Msg::kAttr, "shape", 7, Kind::kMessage, Msg::kShape},
    {Msg::kAttr, "tensor", 8, Kind::kMessage, Msg::kTensor},
    {Msg::kAttr, "placeholder", 9, Kind::kText},
    {Msg::kAttr, "func", 10, Kind::kMessage, Msg::kFunc},
    {Msg::kList, "s", 2, Kind::kText},
    {Msg::kList, "i", 3, Kind::kInt},
    {Msg::kList, "f", 4, Kind::kFloat},
    {Msg::kList, "b", 5, Kind::kBool},
    {Msg::kList, "type", 6, Kind::kType},
    {Msg::kList, "shape", 7, Kind::kMessage, Msg::kShape},
    {Msg::kList, "tensor", 8, Kind::kMessage, Msg::kTensor},
    {Msg::kList, "func", 9, Kind::kMessage, Msg::kFunc},
    {Msg::kShape, "dim", 2, Kind::kMessage, Msg::kDim},
    {Msg::kShape, "unknown_rank", 3, Kind::kBool},
    {Msg::kDim, "size", 1, Kind::kInt},
    {Msg::kDim, "name", 2, Kind::kText},
    {Msg::kTensor, "dtype", 1, Kind::kType},
    {Msg::kTensor, "tensor_shape", 2, Kind::kMessage, Msg::kShape},
    {Msg::kTensor, "version_number", 3, Kind::kInt},
    {Msg::kTensor, "tensor_content", 4, Kind::kText},
    {Msg::kTensor, "float_val", 5, Kind::kFloat},
    {Msg::kTensor, "double_val", 6, Kind::kDouble},
    {Msg::kTensor, "int_val", 7, Kind::kInt},
    {Msg::kTensor, "string_val", 8, Kind::kText},
    {Msg::kTensor, "scomplex_val", 9, Kind::kFloat},
    {Msg::kTensor, "int64_val", 10, Kind::kInt},
    {Msg::kTensor, "bool_val", 11, Kind::kBool},
    {Msg::kTensor, "dcomplex_val", 12, Kind::kDouble},
    {Msg::kTensor, "half_val", 13, Kind::kInt},
    {Msg::kTensor, "uint32_val", 16, Kind::kInt},
    {Msg::kTensor, "uint64_val", 17, Kind::kInt},
    {Msg::kFunc, "name", 1, Kind::kText},
    {Msg::kFunc, "attr", 2, Kind::kMessage, Msg::kAttrEntry},
    {Msg::kLibrary, "function", 1, Kind::kMessage, Msg::kFunction},
    {Msg::kFunction, "signature", 1, Kind::kMessage, Msg::kSignature},
    {Msg::kFunction, "node_def", 3, Kind::kMessage, Msg::kNode},
    {Msg::kFunction, "ret", 4, Kind::kMessage, Msg::kTextEntry},
    {Msg::kTextEntry, "key", 1, Kind::kText},
    {Msg::kTextEntry, "value", 2, Kind::kText},
    {Msg::kSignature, "name", 1, Kind::kText},
    {Msg::kSignature, "input_arg", 2, Kind::kMessage, Msg::kArg},
    {Msg::kSignature, "output_arg", 3, Kind::kMessage, Msg::kArg},
    {Msg::kSignature, "attr", 4, Kind::kMessage, Msg::kAttrDef},
    {Msg::kArg, "name", 1, Kind::kText},
    {Msg::kArg, "type", 3, Kind::kType},
    {Msg::kArg, "type_attr", 4, Kind::kText},
    {Msg::kArg, "number_attr", 5, Kind::kText},
    {Msg::kArg, "type_list_attr", 6, Kind::kText},
    {Msg::kAttrDef, "name", 1, Kind::kText},
    {Msg::kAttrDef, "default_value", 3, Kind::kMessage, Msg::kAttr},
};
constexpr size_t kMaxTextDepth = 64;

const Field *FindField(Msg in, std::string_view name) {
  for (const Field &f : kFields)
    if (f.in == in && name == f.name) return &f;
  return nullptr;
}

void PutVarint(std::string *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}
void PutBytes(std::string *out, uint32_t field, std::string_view bytes) {
  PutVarint(out, uint64_t{field} << 3 | 2);
  PutVarint(out, bytes.size());
  out->append(bytes);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::string Read() {
    std::string out = Message(Msg::kGraph, 0);
    if (!rest_.empty()) Bad("is closed without having been opened");
    return out;
  }

 private:
  [[noreturn]] void Bad(const std::string &what) const {
    const std::string_view here = rest_.substr(0, std::min<size_t>(rest_.find('\n'), 20));
    Fail(GE_MODEL_INVALID, "not a TensorFlow graph: line ", line_, ": '", here, "' ", what);
  }
  void Skip() {
    while (!rest_.empty()) {
      const char c = rest_[0];
      if (c == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        line_ += c == '\n';
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }
  bool Take(char c) {
    Skip();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// A name, number or the like.
  std::string_view Word() {
    Skip();
    size_t size = 0;
    auto part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
             c == '-' || c == '+';
    };
    while (size < rest_.size() && part(rest_[size])) ++size;
    if (size == 0) Bad(rest_.empty() ? "the text ends too early" : "is not expected here");
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }
  static int Digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
  }
  /// Quoted pieces, one behind the other.
  std::string Quoted() {
    std::string out;
    Skip();
    if (rest_.empty() || (rest_[0] != '"' && rest_[0] != '\'')) Bad("is not a text in quotes");
    while (!rest_.empty() && (rest_[0] == '"' || rest_[0] == '\'')) {
      const char quote = rest_[0];
      rest_.remove_prefix(1);
      for (;;) {
        if (rest_.empty() || rest_[0] == '\n') Bad("a text in quotes does not end");
        const char c = rest_[0];
        rest_.remove_prefix(1);
        if (c == quote) break;
        if (c != '\\') out.push_back(c);
        else Escape(&out);
      }
      Skip();
    }
    return out;
  }
  void Escape(std::string *out) {
    if (rest_.empty()) Bad("a text in quotes does not end");
    const char c = rest_[0];
    int value = 0;
    size_t digits = 0;
    if (c == 'x' || c == 'X') {
      rest_.remove_prefix(1);
      for (; digits < 2 && digits < rest_.size() && Digit(rest_[digits]) < 16; ++digits)
        value = value * 16 + Digit(rest_[digits]);
      if (digits == 0) Bad("is no character code");
    } else {
      for (; digits < 3 && digits < rest_.size() && Digit(rest_[digits]) < 8; ++digits)
        value = value * 8 + Digit(rest_[digits]);
    }
    if (digits != 0) {
      rest_.remove_prefix(digits);
      out->push_back(static_cast<char>(value));
      return;
    }
    static constexpr std::string_view kNames = "abfnrtv\\'\"?", kValues = "\a\b\f\n\r\t\v\\'\"?";
    const size_t at = kNames.find(c);
    if (at == std::string_view::npos) Bad("is no character after a backslash");
    rest_.remove_prefix(1);
    out->push_back(kValues[at]);
  }
  uint64_t Integer() {
    std::string_view word = Word();
    const bool negative = word[0] == '-';
    if (negative) word.remove_prefix(1);
    const bool hex = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    if (hex) word.remove_prefix(2);
    uint64_t value = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, hex ? 16 : 10);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) Bad("follows what is no integer");
    return negative ? uint64_t{0} - value : value;
  }
  double Real() {
    std::string word(Word());
    char *end = nullptr;
    if (word.size() > 1 && (word.back() == 'f' || word.back() == 'F') && word.find("inf") == std::string::npos)
      word.pop_back();
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) Bad("follows what is no number");
    return value;
  }
  void Value(std::string *out, const Field &f, size_t depth) {
    switch (f.kind) {
      case Kind::kText:
        PutBytes(out, f.number, Quoted());
        break;
      case Kind::kInt:
        PutVarint(out, uint64_t{f.number} << 3);
        PutVarint(out, Integer());
        break;
      case Kind::kBool: {
        const std::string_view word = Word();
        const bool yes = word == "true" || word == "True" || word == "t" || word == "1";
        if (!yes && word != "false" && word != "False" && word != "f" && word != "0") Bad("follows no truth value");
        PutVarint(out, uint64_t{f.number} << 3);
        PutVarint(out, yes);
        break;
      }
      case Kind::kFloat: {
        const float value = static_cast<float>(Real());
        PutVarint(out, uint64_t{f.number} << 3 | 5);
        out->append(reinterpret_cast<const char *>(&value), sizeof value);
        break;
      }
      case Kind::kDouble: {
        const double value = Real();
        PutVarint(out, uint64_t{f.number} << 3 | 1);
        out->append(reinterpret_cast<const char *>(&value), sizeof value);
        break;
      }
      case Kind::kType: {
        const std::string_view word = Word();
        int32_t type = TypeFromName(word);
        auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), type);
        if (type < 0 || (end != word.data() && (error != std::errc() || end != word.data() + word.size())))
          Bad("follows what is no type");
        PutVarint(out, uint64_t{f.number} << 3);
        PutVarint(out, static_cast<uint64_t>(type));
        break;
      }
      case Kind::kMessage:
        PutBytes(out, f.number, Braced(f.message, depth));
        break;
    }
  }
  std::string Braced(Msg message, size_t depth) {
    const bool angle = Take('<');
    if (!angle && !Take('{')) Bad("is not the start of a message");
    std::string out = Message(message, depth + 1);
    if (!Take(angle ? '>' : '}')) Bad("is not the end of a message");
    return out;
  }
  /// Skips a word, a text, or a message.
  void SkipValue(size_t depth) {
    Skip();
    const char c = rest_.empty() ? '\0' : rest_[0];
    if (c == '{' || c == '<') Braced(Msg::kUnknown, depth);
    else if (c == '"' || c == '\'') Quoted();
    else Word();
  }
  std::string Message(Msg message, size_t depth) {
    if (depth > kMaxTextDepth) Bad("is nested too deep");
    std::string out;
    for (Skip(); !rest_.empty() && rest_[0] != '}' && rest_[0] != '>'; Skip()) {
      if (Take('[')) {  // an extension
        const size_t end = rest_.find(']');
        if (end == std::string_view::npos) Bad("is not closed");
        rest_.remove_prefix(end + 1);
        Take(':');
        SkipValue(depth);
        continue;
      }
      const Field *field = FindField(message, Word());
      const bool colon = Take(':');
      auto one = [&] {
        if (field) Value(&out, *field, depth);
        else SkipValue(depth);
      };
      if (colon && Take('[')) {
        if (!Take(']')) {
          do one();
          while (Take(','));
          if (!Take(']')) Bad("is not the end of a list");
        }
      } else {
        if (!colon && field && field->kind != Kind::kMessage) Bad("is not the colon behind a field's name");
        one();
      }
      if (!Take(',')) Take(';');
    }
    return out;
  }

  std::string_view rest_;
  size_t line_ = 1;
};

}  // namespace

std::string EncodeText(std::string_view text) { return Reader(text).Read(); }

}  // namespace gec::tensorflow
