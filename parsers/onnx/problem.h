// Problems that the importer found: collected, not thrown one by one.
#pragma once

#include <string>
#include <vector>

#include "core/support/error.h"

namespace gec::onnx {

enum class Reason {
  kInvalidModel,         // breaks a rule of the format
  kUnknownOperator,      // no such operator in ONNX
  kUnsupportedOperator,  // in ONNX, but the importer has no translation
  kUnsupportedOpset,     // known, not in this version
  kUnsupportedUse,       // an attribute value, an optional output, a combination
  kUnsupportedType,      // element or value type
  kNeedsStatic,          // a rank, a dimension or a constant must be known at import
  kNoPrototype,          // the operator it translates to is not registered
  kInference,            // shape inference refused the node
  kExternalData,
  kLimit,
  kPlugin,  // a front-end plug-in refused the node, or made what does not fit it
};
const char *ReasonName(Reason reason);

struct Problem {
  std::string node, op;  // op: "domain:type", the domain left out for ONNX's own
  int64_t opset = 0;
  Reason reason = Reason::kInvalidModel;
  std::string detail;
  std::vector<std::string> nearest;
};

/// Thrown by a handler; the importer turns it into a Problem.
struct NodeProblem {
  Reason reason;
  std::string detail;
  std::vector<std::string> nearest;
};

class ProblemList {
 public:
  void Add(Problem problem);
  bool empty() const { return total_ == 0; }
  size_t total() const { return total_; }
  const std::vector<Problem> &items() const { return items_; }
  /// {"problems": [{"node": …, "operator": …, "opset": …, "reason": …, "detail": …, "nearest": […]}], "total": n}
  std::string Json() const;
  /// A table for people; `model` is what the problems are in.
  std::string Text(const char *model = "the ONNX model") const;
  /// GE_UNSUPPORTED when the model is sound but something is not implemented; else GE_PATH_INVALID or GE_MODEL_INVALID.
  GeStatus code() const;

 private:
  std::vector<Problem> items_;
  size_t total_ = 0;
};

}  // namespace gec::onnx
