#include "parsers/onnx/problem.h"

#include <algorithm>
#include <cstdio>

#include "ge/utf8.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

void AppendJson(std::string &out, const std::string &text) {
  out += '"';
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7f) {
      char buffer[8];
      snprintf(buffer, sizeof buffer, "\\u%04x", c);
      out += buffer;
    } else {
      out += static_cast<char>(c);
    }
  }
  out += '"';
}

// A JSON text must be UTF-8; names of a damaged model may not be.
std::string CleanUtf8(const std::string &text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t length = 0;
    GeFirstCharacter(text.data() + i, text.size() - i, &length);
    if (length > 0) {
      out.append(text, i, length);
      i += length;
    } else {
      out += '?';
      ++i;
    }
  }
  return out;
}

std::string Shortened(const std::string &text, size_t most) {
  std::string clean = CleanUtf8(text);
  return clean.size() <= most ? clean : CleanUtf8("…" + clean.substr(clean.size() - most + 1));
}

}  // namespace

const char *ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kInvalidModel:
      return "invalid_model";
    case Reason::kUnknownOperator:
      return "unknown_operator";
    case Reason::kUnsupportedOperator:
      return "unsupported_operator";
    case Reason::kUnsupportedOpset:
      return "unsupported_opset";
    case Reason::kUnsupportedUse:
      return "unsupported_use";
    case Reason::kUnsupportedType:
      return "unsupported_type";
    case Reason::kNeedsStatic:
      return "needs_static";
    case Reason::kNoPrototype:
      return "no_prototype";
    case Reason::kInference:
      return "inference";
    case Reason::kExternalData:
      return "external_data";
    case Reason::kLimit:
      return "limit";
    case Reason::kPlugin:
      return "plugin";
  }
  return "unknown";
}

void ProblemList::Add(Problem problem) {
  ++total_;
  if (items_.size() < kMaxProblems) items_.push_back(std::move(problem));
}

std::string ProblemList::Json() const {
  std::string out = "{\"problems\": [";
  for (size_t i = 0; i < items_.size(); ++i) {
    const Problem &p = items_[i];
    out += i ? ", {\"node\": " : "{\"node\": ";
    AppendJson(out, CleanUtf8(p.node));
    out += ", \"operator\": ";
    AppendJson(out, CleanUtf8(p.op));
    out += ", \"opset\": " + std::to_string(p.opset) + ", \"reason\": ";
    AppendJson(out, ReasonName(p.reason));
    out += ", \"detail\": ";
    AppendJson(out, CleanUtf8(p.detail));
    out += ", \"nearest\": [";
    for (size_t k = 0; k < p.nearest.size(); ++k) {
      if (k) out += ", ";
      AppendJson(out, CleanUtf8(p.nearest[k]));
    }
    out += "]}";
  }
  return out + "], \"total\": " + std::to_string(total_) + "}";
}

std::string ProblemList::Text(const char *model) const {
  constexpr size_t kRows = 50;
  std::string out = Str(total_, total_ == 1 ? " problem" : " problems", " in ", model);
  size_t node_width = 4, op_width = 8;
  size_t rows = std::min(items_.size(), kRows);
  for (size_t i = 0; i < rows; ++i) {
    node_width = std::max(node_width, Shortened(items_[i].node, 40).size());
    op_width = std::max(op_width, Shortened(items_[i].op, 30).size());
  }
  auto cell = [](std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text + "  ";
  };
  out +=
      "\n  " + cell("node", node_width) + cell("operator", op_width) + cell("opset", 5) + cell("reason", 20) + "detail";
  for (size_t i = 0; i < rows; ++i) {
    const Problem &p = items_[i];
    out += "\n  " + cell(Shortened(p.node, 40), node_width) + cell(Shortened(p.op, 30), op_width) +
           cell(p.opset > 0 ? std::to_string(p.opset) : "-", 5) + cell(ReasonName(p.reason), 20) + CleanUtf8(p.detail);
    for (size_t k = 0; k < p.nearest.size(); ++k) out += (k ? ", " : "; nearest: ") + CleanUtf8(p.nearest[k]);
  }
  if (total_ > rows) out += Str("\n  … and ", total_ - rows, " more");
  return out;
}

GeStatus ProblemList::code() const {
  GeStatus code = GE_UNSUPPORTED;
  for (const Problem &p : items_) {
    if (p.reason == Reason::kInvalidModel || p.reason == Reason::kLimit || p.reason == Reason::kInference) {
      return GE_MODEL_INVALID;
    }
    if (p.reason == Reason::kExternalData) code = GE_PATH_INVALID;
  }
  return code;
}

}  // namespace gec::onnx
