// A call of a model's own function becomes the nodes of its body.
#include <string.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/support/error.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

// The attributes of a call: the function's defaults, then what the node gives; those of an outer call may be passed on.
void BindAttrs(const Scope &scope, const Onnx__NodeProto &node, const Onnx__FunctionProto &function,
               FunctionCall *call) {
  for (size_t i = 0; i < function.n_attribute_proto; ++i) {
    if (function.attribute_proto[i]->name) call->attrs[function.attribute_proto[i]->name] = function.attribute_proto[i];
  }
  for (size_t i = 0; i < node.n_attribute; ++i) {
    const Onnx__AttributeProto *a = node.attribute[i];
    if (!a->name) continue;
    if (a->ref_attr_name && *a->ref_attr_name) {
      if (!scope.call) continue;
      auto found = scope.call->attrs.find(a->ref_attr_name);
      if (found != scope.call->attrs.end()) call->attrs[a->name] = found->second;
    } else {
      call->attrs[a->name] = a;
    }
  }
}

// Nodes of the body that name an absent optional input see it as absent too, as long as this lives.
class AbsentInputs {
 public:
  AbsentInputs(const Onnx__NodeProto &node, const Onnx__FunctionProto &function) {
    static char empty[] = "";
    for (size_t i = 0; i < function.n_input; ++i) {
      bool given = i < node.n_input && node.input[i] && *node.input[i];
      if (given || !function.input[i] || !*function.input[i]) continue;
      for (size_t n = 0; n < function.n_node; ++n) {
        for (size_t k = 0; k < function.node[n]->n_input; ++k) {
          char *&name = function.node[n]->input[k];
          if (!name || strcmp(name, function.input[i]) != 0) continue;
          blanked_.push_back({&name, name});
          name = empty;
        }
      }
    }
  }
  ~AbsentInputs() {
    for (auto &[where, name] : blanked_) *where = name;
  }
  AbsentInputs(const AbsentInputs &) = delete;
  AbsentInputs &operator=(const AbsentInputs &) = delete;

 private:
  std::vector<std::pair<char **, char *>> blanked_;
};

}  // namespace

bool Importer::MayExpand(const Scope &scope, Onnx__NodeProto *node, Onnx__FunctionProto *function,
                         const std::string &key) {
  size_t depth = 0;
  for (const FunctionCall *c = scope.call; c; c = c->outer) {
    if (c->name == key || ++depth > kMaxGraphDepth) {
      Report(node, 0, Reason::kInvalidModel, Str("function '", key, "' calls itself"));
      return false;
    }
  }
  if (scope.call) return true;  // counted with the outermost call
  const uint64_t count = CountNodes(function);
  if (count >= kMaxNodes || !MayMakeNodes(count)) {
    Report(node, 0, Reason::kLimit,
           Str("the function expands to ", count >= kMaxNodes ? Str("more than ", kMaxNodes) : Str(count), " nodes of ",
               kBytesOfNode, " bytes each, which exceeds what is left of ", limit_, " bytes (option import_limit)"));
    return false;
  }
  made_ += count * kBytesOfNode;
  return true;
}

uint64_t Importer::CountNodes(Onnx__FunctionProto *function) {
  // While it is counted it counts nothing: one that calls itself is refused elsewhere.
  const auto [at, fresh] = node_counts_.emplace(function, 0);
  if (!fresh) return at->second;
  return node_counts_[function] = CountNodes(function->node, function->n_node);
}

uint64_t Importer::CountNodes(Onnx__NodeProto **nodes, size_t count) {
  uint64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    Onnx__FunctionProto *inner = nodes[i]->op_type ? FindFunction(*nodes[i]) : nullptr;
    uint64_t more = inner ? CountNodes(inner) : 1;
    for (size_t a = 0; a < nodes[i]->n_attribute; ++a) {
      const Onnx__AttributeProto &attr = *nodes[i]->attribute[a];
      if (attr.g) more += CountNodes(attr.g->node, attr.g->n_node);
      for (size_t g = 0; g < attr.n_graphs; ++g) more += CountNodes(attr.graphs[g]->node, attr.graphs[g]->n_node);
    }
    total = std::min<uint64_t>(total + more, kMaxNodes);
  }
  return total;
}

bool Importer::BindInputs(Scope &scope, Scope &body, Onnx__NodeProto *node, Onnx__FunctionProto *function) {
  for (size_t i = 0; i < function->n_input && i < node->n_input; ++i) {
    if (!node->input[i] || !*node->input[i] || !function->input[i]) continue;
    bool poisoned = false;
    Value v;
    try {
      v = LookupValue(scope, node->input[i], &poisoned);
    } catch (const NodeProblem &p) {
      Report(node, 0, p.reason, p.detail, p.nearest);
      return false;
    }
    if (!v) {
      Report(node, 0, Reason::kInvalidModel, Str("input ", i, " '", node->input[i], "' is not defined"));
      return false;
    }
    Bind(body, function->input[i], v);
    if (poisoned) body.poisoned.insert(function->input[i]);
  }
  if (node->n_input > function->n_input) {
    Report(
        node, 0, Reason::kInvalidModel,
        Str("function '", body.call->name, "' takes ", function->n_input, " inputs, the node gives ", node->n_input));
  }
  return true;
}

bool Importer::GiveOutputs(Scope &scope, Scope &body, Onnx__NodeProto *node, Onnx__FunctionProto *function) {
  for (size_t i = 0; i < node->n_output; ++i) {
    const char *name = node->output[i];
    if (!name || !*name) continue;
    const char *inner = i < function->n_output ? function->output[i] : nullptr;
    bool poisoned = false;
    Value v = inner ? LookupValue(body, inner, &poisoned) : Value{};
    if (!v) {
      Report(node, 0, Reason::kInvalidModel, Str("function '", body.call->name, "' has no value for output ", i));
      return false;
    }
    Bind(scope, name, v);
    if (poisoned) scope.poisoned.insert(name);
  }
  return true;
}

void Importer::InlineFunction(Scope &scope, Onnx__NodeProto *node, Onnx__FunctionProto *function) {
  FunctionCall call;
  call.name = OperatorText(*node);
  call.outer = scope.call;
  if (!MayExpand(scope, node, function, call.name)) return Poison(scope, node);
  BindAttrs(scope, *node, *function, &call);
  std::unordered_map<std::string, int64_t> opsets;
  for (size_t i = 0; i < function->n_opset_import; ++i) {
    const char *given = function->opset_import[i]->domain;
    std::string domain = given ? given : "";
    opsets[domain == "ai.onnx" ? "" : domain] = function->opset_import[i]->version;
  }
  Scope body;
  body.graph = scope.graph;
  body.call = &call;
  body.opsets = opsets.empty() ? scope.opsets : &opsets;
  body.prefix = scope.prefix + NodeText(*node) + "/";
  body.depth = scope.depth;
  body.known = scope.known;
  if (!BindInputs(scope, body, node, function)) return Poison(scope, node);
  AbsentInputs absent(*node, *function);
  ImportNodes(body, function->node, function->n_node);
  if (!GiveOutputs(scope, body, node, function)) Poison(scope, node);
}

}  // namespace gec::onnx
