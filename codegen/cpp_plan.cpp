#include "cpp_plan.h"

#include <algorithm>
#include <set>

namespace codegen {
namespace {

// ---- what one step of the chain changed ----

struct Step {
  std::string problem;  // empty: callers of the older prototype can be served
  bool needs_overload = false;
  std::vector<size_t> new_inputs;
  bool old_all_optional = false;
};

std::string At(size_t index) { return " mismatch at index " + std::to_string(index); }

template <class Items>
std::string Shrink(const char *what, const Items &older, const Items &newer) {
  if (newer.size() >= older.size()) return "";
  return std::string(what) + " shrink from " + std::to_string(older.size()) + " to " + std::to_string(newer.size());
}

std::string Difference(const Proto &newer, const Proto &older) {
  std::string text = Shrink("inputs", older.inputs, newer.inputs);
  if (!text.empty()) return text;
  for (size_t i = 0; i < older.inputs.size(); ++i)
    if (older.inputs[i].name != newer.inputs[i].name || older.inputs[i].kind != newer.inputs[i].kind)
      return "input" + At(i);
  for (size_t i = older.inputs.size(); i < newer.inputs.size(); ++i)
    if (newer.inputs[i].kind != GE_IR_OPTIONAL) return "new input '" + newer.inputs[i].name + "' is not optional";
  text = Shrink("attrs", older.attrs, newer.attrs);
  if (!text.empty()) return text;
  for (size_t i = 0; i < older.attrs.size(); ++i) {
    const ProtoAttr &a = older.attrs[i], &b = newer.attrs[i];
    if (a.name != b.name || a.type != b.type || a.required != b.required) return "attr" + At(i);
  }
  for (size_t i = older.attrs.size(); i < newer.attrs.size(); ++i) {
    const ProtoAttr &attr = newer.attrs[i];
    if (attr.required) return "new attr '" + attr.name + "' is required";
    std::string why = DefaultProblem(attr);
    if (!why.empty()) return "new optional attr '" + attr.name + "' has invalid default_value: " + why;
  }
  if (older.outputs.size() != newer.outputs.size()) return "outputs changed";
  for (size_t i = 0; i < older.outputs.size(); ++i)
    if (older.outputs[i].name != newer.outputs[i].name || older.outputs[i].kind != newer.outputs[i].kind)
      return "output" + At(i);
  if (older.graphs.size() != newer.graphs.size()) return "subgraphs changed";
  for (size_t i = 0; i < older.graphs.size(); ++i)
    if (!(older.graphs[i] == newer.graphs[i])) return "subgraph" + At(i);
  return "";
}

Step Compare(const Proto &newer, const Proto &older) {
  Step step;
  step.problem = Difference(newer, older);
  if (!step.problem.empty() || newer.inputs.size() == older.inputs.size()) return step;
  for (size_t i = older.inputs.size(); i < newer.inputs.size(); ++i) step.new_inputs.push_back(i);
  step.old_all_optional = std::all_of(older.inputs.begin(), older.inputs.end(),
                                      [](const ProtoPort &input) { return input.kind == GE_IR_OPTIONAL; });
  // A number could be meant for a number attribute or for a new input that takes numbers.
  bool number_attr = std::any_of(newer.attrs.begin(), newer.attrs.end(), [](const ProtoAttr &a) {
    return !a.required && (a.type == "Int" || a.type == "Float" || a.type == "Bool");
  });
  // Whatever follows the inputs moves: attributes, counts of dynamic outputs, subgraphs.
  bool dynamic_output = std::any_of(older.outputs.begin(), older.outputs.end(),
                                    [](const ProtoPort &output) { return output.kind == GE_IR_DYNAMIC; });
  bool moves = !older.attrs.empty() || dynamic_output || !older.graphs.empty();
  step.needs_overload = step.old_all_optional || moves || number_attr;
  return step;
}

// ---- signatures of one mode ----

enum class Mode { kTry0, kA1, kA2 };

struct Boundary {
  size_t step;  // index of the newer prototype in the chain
  std::vector<size_t> new_inputs;
  bool old_all_optional;
  bool from_none;  // the older prototype had no inputs: its callers pass a builder by reference, which nothing else
                   // takes
};

// The signature of callers that know the first `count` inputs, with the attributes and defaults of today.
CppSignature Truncated(const Op &op, size_t count) {
  CppSignature signature = PresentSignature(op);
  signature.inputs.resize(count);
  if (count == 0) {
    signature.owner = OwnerBuilder::kRequired;
    signature.owner_default = false;
  } else if (signature.owner == OwnerBuilder::kAfterInputs) {
    signature.owner_default = std::any_of(signature.inputs.begin(), signature.inputs.end(),
                                          [](const CppInput &input) { return input.has_default; });
  }
  return signature;
}

CppSignature ForBaseline(const Op &op, size_t baseline, size_t count, Mode mode,
                         const std::vector<Boundary> &boundaries) {
  CppSignature signature = Truncated(op, count);
  if (mode == Mode::kTry0) return signature;
  std::set<size_t> forced;
  for (const Boundary &boundary : boundaries) {
    if (boundary.step > baseline || boundary.from_none) continue;
    for (size_t i : boundary.new_inputs) {
      forced.insert(i);
      if (mode == Mode::kA2) signature.inputs[i].form = InputForm::kHolder;
    }
    if (boundary.old_all_optional)
      for (size_t i = 0; i < count; ++i) forced.insert(i);
  }
  if (forced.empty()) return signature;
  // A parameter without default allows none before it.
  for (size_t i = 0; i <= *forced.rbegin(); ++i) signature.inputs[i].has_default = false;
  if (signature.owner == OwnerBuilder::kAfterInputs) {
    if (forced.size() == count) signature.owner = OwnerBuilder::kNone;
    signature.owner_default = signature.owner_default && signature.inputs.back().has_default;
  }
  return signature;
}

std::vector<CppSignature> Guards(const Op &op, Mode mode, const std::vector<Boundary> &boundaries,
                                 const std::vector<Proto> &chain) {
  std::vector<CppSignature> guards;
  for (const Boundary &boundary : boundaries) {
    if (boundary.from_none) continue;
    for (size_t i : boundary.new_inputs) {
      CppSignature guard = ForBaseline(op, boundary.step, chain[boundary.step].inputs.size(), mode, boundaries);
      guard.inputs[i].form = InputForm::kNullptr;
      guard.inputs[i].has_default = false;
      const std::string &name = op.inputs[i].cpp;
      guard.deleted = mode == Mode::kA1
                          ? "New input " + name +
                                " cannot use nullptr in this overload. Use the legacy overload when this input is "
                                "disconnected."
                          : "New input " + name +
                                " uses TensorHolder for disambiguation. Use legacy overload when disconnected, or use "
                                "CreateScalar/CreateVector/CreateConst for constants.";
      guards.push_back(guard);
    }
  }
  return guards;
}

// ---- could one call fit two signatures? ----

struct Parameter {
  std::vector<std::string> arguments;  // typical ones
  bool has_default = false;
  int attr = -1;  // into Op::attrs
};

std::vector<std::string> TypicalArguments(int attr_type) {
  switch (attr_type) {
    case C_VT_INT:
      return {"int", "number", "0"};
    case C_VT_FLOAT:
      return {"float", "number", "0", "0.0"};
    case C_VT_BOOL:
      return {"bool", "0"};
    case C_VT_STRING:
      return {"string", "\"xx\""};
    case C_VT_DATA_TYPE:
      return {"dtype"};
    case C_VT_TENSOR:
      return {"tensor_ptr", "nullptr"};
    default:
      return {"list " + std::to_string(attr_type)};
  }
}

std::vector<Parameter> Parameters(const Op &op, const CppSignature &signature) {
  std::vector<Parameter> all;
  if (signature.owner == OwnerBuilder::kRequired) all.push_back({{"graph_builder"}, false});
  for (const CppInput &input : signature.inputs) {
    switch (input.form) {
      case InputForm::kLike:
        all.push_back({{"tensor", "nullptr", "0", "0.0"}, input.has_default});
        break;
      case InputForm::kHolder:
        all.push_back({{"tensor"}, input.has_default});
        break;
      case InputForm::kVector:
        all.push_back({{"tensor_vec"}, input.has_default});
        break;
      case InputForm::kNullptr:
        all.push_back({{"nullptr"}, false});
    }
  }
  if (signature.owner == OwnerBuilder::kAfterInputs)
    all.push_back({{"graph_builder", "nullptr"}, signature.owner_default});
  for (const Output &output : op.outputs)
    if (output.dynamic) all.push_back({{"int", "number", "0"}, false});
  for (const Subgraph &graph : op.graphs)
    all.push_back(
        {graph.dynamic ? std::vector<std::string>{"graph_vec"} : std::vector<std::string>{"graph_ptr", "nullptr"},
         false});
  for (size_t i = 0; i < op.attrs.size(); ++i)
    all.push_back({TypicalArguments(op.attrs[i].type), !op.attrs[i].required, static_cast<int>(i)});
  return all;
}

bool ShareArgument(const Parameter &a, const Parameter &b) {
  return std::any_of(a.arguments.begin(), a.arguments.end(), [&](const std::string &argument) {
    return std::find(b.arguments.begin(), b.arguments.end(), argument) != b.arguments.end();
  });
}

bool Ambiguous(const std::vector<Parameter> &a, const std::vector<Parameter> &b) {
  auto least = [](const std::vector<Parameter> &all) {
    return static_cast<size_t>(
        std::count_if(all.begin(), all.end(), [](const Parameter &p) { return !p.has_default; }));
  };
  size_t low = std::max(least(a), least(b)), high = std::min(a.size(), b.size());
  if (low > high) return false;
  // The shortest common call has the fewest positions in which the two can differ.
  for (size_t i = 0; i < low; ++i)
    if (!ShareArgument(a[i], b[i])) return false;
  return true;
}

bool AnyAmbiguous(const Op &op, const std::vector<CppSignature> &signatures) {
  std::vector<std::vector<Parameter>> all;
  for (const CppSignature &signature : signatures) all.push_back(Parameters(op, signature));
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j)
      if (Ambiguous(all[i], all[j])) return true;
  return false;
}

// ---- lists in braces ----

bool IsNumberList(int attr_type) { return IsListType(attr_type) && attr_type != C_VT_LIST_STRING; }

// {1} makes a list of numbers, and also a tensor-like input; {0} makes any pointer and number.
bool TakesBraces(const Op &op, const Parameter &parameter) {
  if (parameter.attr >= 0 && IsNumberList(op.attrs[static_cast<size_t>(parameter.attr)].type)) return true;
  return std::any_of(parameter.arguments.begin(), parameter.arguments.end(), [](const std::string &argument) {
    return argument == "tensor" || argument == "number" || argument == "bool" || argument == "graph_builder";
  });
}

// A call with a list in braces could mean `newer` too. Returns the list attribute of `older`, or -1.
int BracesForBoth(const Op &op, const std::vector<Parameter> &older, const std::vector<Parameter> &newer) {
  for (size_t i = 0; i < older.size() && i < newer.size(); ++i) {
    const int attr = older[i].attr;
    const bool list = attr >= 0 && IsNumberList(op.attrs[static_cast<size_t>(attr)].type);
    if (list && newer[i].arguments != older[i].arguments && TakesBraces(op, newer[i])) return attr;
    // A literal 0 stands for a number in one and for no tensor in the other.
    const bool zero = attr >= 0 && TakesBraces(op, older[i]) && TakesBraces(op, newer[i]);
    if (!ShareArgument(older[i], newer[i]) && !zero) return -1;
  }
  return -1;
}

// For each overload whose callers may pass a list in braces where a later one has an input: overloads for braces alone,
// which the language prefers to all others. When several releases need them, one for every choice of lists in braces,
// so that those of one release do not stand in the way of another's callers.
void AddBraces(const Op &op, std::vector<CppSignature> *signatures) {
  constexpr size_t kMostLists = 3;
  std::vector<std::pair<size_t, size_t>> needed;  // signature, its first list
  for (size_t i = 0; i < signatures->size(); ++i) {
    int attr = -1;
    for (size_t j = i + 1; j < signatures->size() && attr < 0; ++j)
      attr = BracesForBoth(op, Parameters(op, (*signatures)[i]), Parameters(op, (*signatures)[j]));
    if (attr >= 0) needed.emplace_back(i, static_cast<size_t>(attr));
  }
  std::vector<size_t> lists;
  for (size_t i = 0; i < op.attrs.size() && lists.size() < kMostLists; ++i)
    if (IsNumberList(op.attrs[i].type)) lists.push_back(i);
  for (auto [signature, first] : needed) {
    std::vector<std::vector<size_t>> choices = {{first}};
    if (needed.size() > 1) {
      choices.clear();
      for (size_t bits = 1; bits < size_t{1} << lists.size(); ++bits) {
        choices.emplace_back();
        for (size_t k = 0; k < lists.size(); ++k)
          if ((bits >> k & 1) != 0) choices.back().push_back(lists[k]);
      }
    }
    for (std::vector<size_t> &choice : choices) {
      CppSignature braces = (*signatures)[signature];
      braces.braces = std::move(choice);
      braces.owner_default = false;
      for (CppInput &input : braces.inputs) input.has_default = false;
      signatures->push_back(std::move(braces));
    }
  }
}

// ---- texts ----

std::string Warning(const std::string &context, const std::string &cause, const std::string &action) {
  return "Context: " + context + ". " + (cause.empty() ? "" : "Cause: " + cause + ". ") + "Action: " + action;
}

CppPlan Fallback(const Op &op, const std::string &context, const std::string &cause) {
  return {
      {PresentSignature(op)},
      {Warning(context, cause, "fall back to A0 single-signature plan to avoid ambiguous or incompatible overloads.")}};
}

constexpr const char kUpgradeA1[] =
    "Try0 overloads (legacy + full signature) are ambiguous, so switch to A1: force new inputs required and add "
    "nullptr-guard overloads.";
constexpr const char kUpgradeA2[] =
    "A1 overloads are still ambiguous, so switch to A2: force new inputs as TensorHolder and add nullptr-guard "
    "overloads.";

}  // namespace

CppSignature PresentSignature(const Op &op) {
  CppSignature signature;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Input &input = op.inputs[i];
    InputForm form = input.kind == GE_IR_DYNAMIC ? InputForm::kVector
                     : op.cpp_tensor_like        ? InputForm::kLike
                                                 : InputForm::kHolder;
    signature.inputs.push_back({i, form, input.cpp_default});
  }
  signature.owner = op.owner;
  signature.owner_default = op.owner_default;
  return signature;
}

CppPlan PlanSignatures(const Op &op, const Proto &present, const std::vector<Proto> &history) {
  std::vector<Proto> chain;
  for (const Proto &proto : history)
    if (chain.empty() || !(chain.back() == proto)) chain.push_back(proto);
  if (!chain.empty() && !(chain.back() == present)) chain.push_back(present);

  std::string context = "op " + op.type;
  std::vector<Boundary> boundaries;
  for (size_t i = 1; i < chain.size(); ++i) {
    Step step = Compare(chain[i], chain[i - 1]);
    if (!step.problem.empty())
      return Fallback(op, context,
                      "incompatible schema change in history chain at step " + std::to_string(i) + ": " + step.problem);
    if (step.needs_overload)
      boundaries.push_back({i, step.new_inputs, step.old_all_optional, chain[i - 1].inputs.empty()});
  }
  if (boundaries.empty()) return {{PresentSignature(op)}, {}};

  std::set<size_t> baselines = {chain.size() - 1};
  std::string names;
  for (const Boundary &boundary : boundaries) {
    baselines.insert(boundary.step - 1);
    baselines.insert(boundary.step);
    for (size_t i : boundary.new_inputs) names += (names.empty() ? "" : ", ") + op.inputs[i].ir;
  }
  // Releases that differ in attributes only share one signature.
  std::vector<std::pair<size_t, size_t>> counts;  // baseline, number of inputs
  for (size_t baseline : baselines) {
    size_t count = chain[baseline].inputs.size();
    if (!counts.empty() && counts.back().second == count) counts.back().first = baseline;
    else counts.emplace_back(baseline, count);
  }
  context += ", new optional inputs [" + names + "]";
  for (Mode mode : {Mode::kTry0, Mode::kA1, Mode::kA2}) {
    CppPlan plan;
    for (auto [baseline, count] : counts) plan.signatures.push_back(ForBaseline(op, baseline, count, mode, boundaries));
    if (AnyAmbiguous(op, plan.signatures)) continue;
    AddBraces(op, &plan.signatures);
    if (mode == Mode::kTry0) return plan;
    for (CppSignature &guard : Guards(op, mode, boundaries, chain)) plan.signatures.push_back(std::move(guard));
    plan.warnings.push_back(Warning(context, "", mode == Mode::kA1 ? kUpgradeA1 : kUpgradeA2));
    return plan;
  }
  return Fallback(op, context, "ambiguity remains after A2");
}

}  // namespace codegen
