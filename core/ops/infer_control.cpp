// Nodes that call subgraphs: their inputs are bound to the subgraph's Data nodes, its outputs become theirs.
//
// A subgraph whose shapes do not fit is an error only where it is certain to run: the branch that a known condition
// takes, the body of a call, the condition of a loop. Elsewhere the failure waits until the subgraph is entered, where
// inference fails again, and only the others decide about the node's outputs.
#include <algorithm>

#include "core/ir/types.h"
#include "core/ops/image_layout.h"
#include "core/ops/infer.h"
#include "core/ops/infer_subgraphs.h"
#include "core/ops/infer_values.h"
#include "core/ops/traits.h"
#include "core/support/error.h"

namespace gec {
namespace {

struct Results {
  std::vector<TensorDesc> descs;
  std::vector<Endpoint> ends;
  std::optional<Error> failure;  // why the subgraph cannot run with these arguments
};

// Infers `sub` with these arguments. `outer` and `sources` bring known values in; a source may be empty.
Results Call(const Node &caller, Graph &sub, const std::vector<TensorDesc> &args, const std::vector<Endpoint> &sources,
             const InferScope &outer, InferScope &inner) {
  static const Symbol index("index");
  inner.evaluate = outer.evaluate;
  inner.evaluate_limit = outer.evaluate_limit;
  for (Node *data : sub.Inputs()) {
    int64_t k = data->Int(index);
    if (k < 0 || static_cast<size_t>(k) >= args.size())
      Fail(GE_INFER_FAILED, caller.Label(), ": subgraph '", sub.name(), "' reads argument ", k, ", the node passes ",
           args.size());
    size_t arg = static_cast<size_t>(k);
    TensorDesc desc = args[arg];
    const TensorDesc &own = data->output_desc(0);
    desc.attrs = own.attrs;  // bounds of dimensions stay outside
    if (desc.format == C_FORMAT_ND && SaysLayout(own)) desc.format = desc.origin_format = own.format;
    if (data->explicit_input_desc(0)) sub.SetInputDesc(data, 0, desc);
    UpdateOutput(*data, 0, std::move(desc));
    if (arg < sources.size() && sources[arg]) inner.values.Copy(outer.values, sources[arg], {data, 0});
  }
  Results results;
  std::optional<Error> failure;
  InferNodes(sub, inner, &failure);
  if (failure) results.failure.emplace(failure->code(), Str(SubgraphLabel(caller, sub.name()), ": ", failure->what()));
  SetInfers(sub, !failure);
  results.ends = sub.Outputs();
  for (Endpoint e : results.ends) {
    if (!e) Fail(GE_INFER_FAILED, caller.Label(), ": subgraph '", sub.name(), "' has an unconnected output");
    TensorDesc desc = e.node->output_desc(static_cast<size_t>(e.port));
    desc.attrs = nullptr;
    results.descs.push_back(std::move(desc));
  }
  return results;
}

// Keeps what both results agree on.
void Merge(const Node &node, std::vector<TensorDesc> &into, const std::vector<TensorDesc> &other, const char *what) {
  if (into.size() != other.size())
    Fail(GE_INFER_FAILED, node.Label(), ": ", what, " differ in number: ", into.size(), " and ", other.size());
  for (size_t i = 0; i < into.size(); ++i) {
    if (into[i].dtype != other[i].dtype)
      Fail(GE_INFER_FAILED, node.Label(), ": ", what, " differ in data type at ", i, ": ", DataTypeName(into[i].dtype),
           " and ", DataTypeName(other[i].dtype));
    into[i].shape = MergeShapes(into[i].shape, other[i].shape);
    into[i].origin_shape = MergeShapes(into[i].origin_shape, other[i].origin_shape);
  }
}

bool SetOutputs(Node &node, const std::vector<TensorDesc> &descs) {
  if (descs.size() != node.output_count())
    Fail(GE_INFER_FAILED, node.Label(), " has ", node.output_count(), " outputs, its subgraph ", descs.size());
  bool changed = false;
  for (size_t i = 0; i < descs.size(); ++i) changed |= UpdateOutput(node, i, descs[i]);
  return changed;
}

void TakeValues(Node &node, const Results &results, const InferScope &inner, InferScope &scope) {
  for (size_t i = 0; i < results.ends.size(); ++i) {
    Endpoint out{&node, static_cast<int32_t>(i)};
    scope.values.Forget(out);
    scope.values.Copy(inner.values, results.ends[i], out);
  }
}

Graph *Branch(const Node &node, std::string_view ir_name) {
  for (size_t i = 0; i < node.subgraphs().size(); ++i) {
    if (node.subgraphs()[i].ir_name.view() != ir_name) continue;
    if (Graph *sub = node.subgraph(i)) return sub;
  }
  Fail(GE_INFER_FAILED, node.Label(), ": subgraph '", ir_name, "' is missing");
}

// The branch that is certain to run, or -1.
int64_t ChosenBranch(const Node &node, const InferScope &scope, bool is_case, size_t branches) {
  TensorPtr value = node.input_count() ? scope.values.Known(node.input(0)) : nullptr;
  if (!value || value->desc.shape.elements() != 1 || value->bytes() == 0) return -1;
  if (!is_case && value->desc.dtype == C_DT_FLOAT) return *value->as<float>() != 0 ? 0 : 1;
  std::vector<int64_t> ints;
  try {
    ints = value->Ints();
  } catch (const Error &) {
    return -1;  // a type that says nothing here
  }
  if (!is_case) return ints[0] != 0 ? 0 : 1;
  // An index outside the branches selects the last one.
  return ints[0] < 0 || ints[0] >= static_cast<int64_t>(branches) ? static_cast<int64_t>(branches) - 1 : ints[0];
}

bool InferBranches(Node &node, InferScope &scope, const std::vector<Graph *> &branches, bool is_case) {
  if (branches.empty()) Fail(GE_INFER_FAILED, node.Label(), " has no branches");
  std::vector<TensorDesc> args;
  std::vector<Endpoint> sources;
  for (size_t i = FirstArgument(node); i < node.input_count(); ++i) {
    args.push_back(node.input_desc(i));
    sources.push_back(node.input(i));
  }
  const int64_t chosen = branches.size() == 1 ? 0 : ChosenBranch(node, scope, is_case, branches.size());
  std::optional<std::vector<TensorDesc>> merged;
  std::vector<TensorDesc> open;  // of a branch that fails: the types, at least
  std::string failures;
  for (size_t b = 0; b < branches.size(); ++b) {
    InferScope inner;
    Results results = Call(node, *branches[b], args, sources, scope, inner);
    if (chosen >= 0 && b != static_cast<size_t>(chosen)) continue;
    if (results.failure) {
      failures += Str(failures.empty() ? "" : "; ", results.failure->what());
      open = std::move(results.descs);
      continue;
    }
    if (!merged) merged = results.descs;
    else Merge(node, *merged, results.descs, "the branches' outputs");
    if (chosen >= 0) TakeValues(node, results, inner, scope);
  }
  if (!merged) {  // whichever is taken
    SetOutputs(node, open);
    Fail(GE_INFER_FAILED, failures);
  }
  return SetOutputs(node, *merged);
}

bool IsSource(Endpoint e, size_t arg) {
  static const Symbol index("index");
  return e && IsDataType(e.node->type()) && e.node->Int(index) == static_cast<int64_t>(arg);
}

// Whether the loop is certain to begin a first iteration.
bool RunsOnce(const Node &node, const InferScope &scope, Graph *cond, const std::vector<TensorDesc> &args) {
  if (!cond) {  // For: start, limit, delta
    int64_t bounds[3];
    for (size_t i = 0; i < 3; ++i) {
      TensorPtr value = scope.values.Known(node.input(i));
      if (!value || value->desc.shape.elements() != 1 || !IsIntegerType(value->desc.dtype)) return false;
      bounds[i] = value->Ints()[0];
    }
    return bounds[2] > 0 ? bounds[0] < bounds[1] : bounds[0] > bounds[1];
  }
  std::vector<Endpoint> start;  // what the first iteration begins with
  for (size_t i = FirstArgument(node); i < node.input_count(); ++i) start.push_back(node.input(i));
  InferScope inner;
  const Results results = Call(node, *cond, args, start, scope, inner);
  TensorPtr value = results.ends.empty() ? nullptr : inner.values.Known(results.ends[0]);
  return value && value->desc.dtype == C_DT_BOOL && value->desc.shape.elements() == 1 && *value->as<uint8_t>() != 0;
}

// Loop variables keep what every iteration has in common. Each round only gives up knowledge, so it ends.
bool InferLoop(Node &node, InferScope &scope, Graph *cond, Graph &body, std::vector<TensorDesc> leading) {
  size_t first = FirstArgument(node), lead = leading.size();
  std::vector<TensorDesc> vars;
  std::vector<Endpoint> sources;
  for (size_t i = first; i < node.input_count(); ++i) {
    vars.push_back(node.input_desc(i));
    vars.back().attrs = nullptr;
  }
  // Only values that the body hands on unchanged hold in every iteration.
  std::vector<Endpoint> outputs = body.Outputs();
  sources.assign(lead, Endpoint());
  for (size_t i = first; i < node.input_count(); ++i) {
    size_t k = i - first;
    sources.push_back(k < outputs.size() && IsSource(outputs[k], k + lead) ? node.input(i) : Endpoint());
  }
  for (;;) {
    std::vector<TensorDesc> args = leading;
    args.insert(args.end(), vars.begin(), vars.end());
    if (cond) {
      InferScope inner;
      Results results = Call(node, *cond, args, sources, scope, inner);
      if (results.failure) {
        SetOutputs(node, vars);
        throw *results.failure;
      }
    }
    InferScope inner;
    Results results = Call(node, body, args, sources, scope, inner);
    if (results.failure) {  // good for no iteration: the variables stay as they are
      SetOutputs(node, vars);
      if (RunsOnce(node, scope, cond, args)) throw *results.failure;
      break;
    }
    std::vector<TensorDesc> merged = vars;
    Merge(node, merged, results.descs, "the loop variables and the body's outputs");
    bool stable = std::equal(merged.begin(), merged.end(), vars.begin(), [](const TensorDesc &a, const TensorDesc &b) {
      return a.shape == b.shape && a.origin_shape == b.origin_shape;
    });
    vars = std::move(merged);
    if (stable) break;
  }
  for (size_t i = 0; i < vars.size(); ++i) {
    Endpoint out{&node, static_cast<int32_t>(i)};
    scope.values.Forget(out);
    if (sources[lead + i]) scope.values.Copy(scope.values, sources[lead + i], out);
  }
  return SetOutputs(node, vars);
}

}  // namespace

size_t FirstArgument(const Node &node) {
  for (size_t i = 0; i < node.ir().inputs.size(); ++i) {
    if (node.ir().inputs[i].kind == GE_IR_DYNAMIC) return static_cast<size_t>(node.InputRange(i).first);
  }
  return 0;
}

std::string SubgraphLabel(const Node &caller, std::string_view graph) {
  for (const SubgraphRef &ref : caller.subgraphs()) {
    if (ref.graph_name == graph) return Str(caller.Label(), ": in ", ref.ir_name.view(), " '", graph, "'");
  }
  return Str(caller.Label(), ": in subgraph '", graph, "'");
}

bool TakesCounter(const Node &loop) {
  static const Symbol index("index");
  const int64_t variables = static_cast<int64_t>(loop.input_count() - FirstArgument(loop));
  const Graph *body = loop.subgraphs().empty() ? nullptr : loop.subgraph(0);
  if (!body) return false;
  const std::vector<Node *> inputs = body->Inputs();  // by index
  return !inputs.empty() && inputs.back()->Int(index) >= variables;
}

bool InferControl(Node &node, InferScope &scope, bool *changed) {
  if (node.ir().graphs.empty()) return false;
  switch (ControlFlowOf(node)) {
    case GE_CONTROL_FLOW_IF:
      *changed = InferBranches(node, scope, {Branch(node, "then_branch"), Branch(node, "else_branch")}, false);
      return true;
    case GE_CONTROL_FLOW_CASE: {
      std::vector<Graph *> branches;
      for (size_t i = 0; i < node.subgraphs().size(); ++i) branches.push_back(Branch(node, Str("branches", i)));
      *changed = InferBranches(node, scope, branches, true);
      return true;
    }
    case GE_CONTROL_FLOW_CALL:
      *changed = InferBranches(node, scope, {Branch(node, "f")}, false);
      return true;
    case GE_CONTROL_FLOW_WHILE:
      *changed = InferLoop(node, scope, Branch(node, "cond"), *Branch(node, "body"), {});
      return true;
    case GE_CONTROL_FLOW_FOR: {
      std::vector<TensorDesc> leading;
      if (TakesCounter(node)) leading.emplace_back(C_DT_INT32, Shape{});
      *changed = InferLoop(node, scope, nullptr, *Branch(node, "body"), leading);
      return true;
    }
    case GE_CONTROL_FLOW_NONE:
      break;
  }
  return false;
}

}  // namespace gec
