// The facts of one operator that emitters need, derived once from its prototype: identifiers, who is optional, what
// the result looks like. The rules are those of GE's gen_esb, so that callers written for it compile.
#pragma once

#include <string>
#include <vector>

#include "ge/op.h"
#include "names.h"

namespace codegen {

struct Input {
  std::string ir;
  std::string cpp, py;  // identifiers
  int kind = GE_IR_REQUIRED;
  bool cpp_default = false, py_default = false;
  std::string data_types;
};
struct Output {
  std::string ir;
  std::string cpp, py;          // members of the result
  std::string count, py_count;  // a dynamic one's parameter
  bool dynamic = false;
  std::string data_types;
};
struct Attr {
  std::string ir;
  std::string cpp, py;
  bool required = false;
  size_t ir_index = 0;
  const GeAttrData *value = nullptr;  // default of an optional one
  int type = 0;
};
struct Subgraph {
  std::string ir;
  std::string cpp, py;
  bool dynamic = false;
};

enum class OwnerBuilder { kNone, kRequired, kAfterInputs };
enum class ResultKind { kNode, kSingle, kDynamicOnly, kStruct };

struct Op {
  std::string type, brief;
  const GeOpSchema *schema = nullptr;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Attr> attrs;  // required ones first, IR order within each group
  std::vector<Subgraph> graphs;
  OwnerBuilder owner = OwnerBuilder::kNone;
  bool owner_default = false;  // C++ and Python: the owner builder parameter has a default
  bool owner_default_py = false;
  bool cpp_tensor_like = false, py_tensor_like = false;
  ResultKind result = ResultKind::kSingle;
};

/// Fills `op`; returns an empty text, or the reason why the operator gets no wrapper.
std::string BuildOp(const GeOpSchema &schema, Op *op);

/// Operators that never get a wrapper. *reason is empty when the operator is left out silently.
bool IsSkipped(const std::string &type, std::string *reason);

bool IsListType(int type);

}  // namespace codegen
