#include "proto_diff.h"

#include <algorithm>
#include <deque>
#include <set>

#include "cpp_plan.h"
#include "op_model.h"
#include "type_sets.h"

namespace codegen {

const std::array<const char *, kCallers> kCallerNames = {"c", "cpp", "python", "static", "dynamic", "ir"};

namespace {

const char *KindText(int kind) {
  return kind == GE_IR_OPTIONAL ? "optional" : kind == GE_IR_DYNAMIC ? "dynamic" : "required";
}

// The planner's view of a prototype: a schema with its names, kinds and types; values of defaults play no part in it.
class SchemaView {
 public:
  explicit SchemaView(const Proto &p) {
    for (const ProtoPort &port : p.inputs) inputs_.push_back({port.name.c_str(), port.kind, 0, port.dtype.c_str()});
    for (const ProtoPort &port : p.outputs) outputs_.push_back({port.name.c_str(), port.kind, 0, port.dtype.c_str()});
    for (const ProtoAttr &attr : p.attrs) {
      GeIrAttr a{};
      a.value.name = attr.name.c_str();
      a.value.type = AttrTypeFromName(attr.type);
      a.required = attr.required;
      attrs_.push_back(a);
    }
    for (const ProtoGraph &graph : p.graphs)
      graphs_.push_back({graph.name.c_str(), graph.dynamic ? GE_IR_DYNAMIC : GE_IR_REQUIRED, 0});
    schema_ = {
        sizeof schema_,  p.type.c_str(), nullptr,       nullptr,        inputs_.data(), inputs_.size(), outputs_.data(),
        outputs_.size(), attrs_.data(),  attrs_.size(), graphs_.data(), graphs_.size(), nullptr,        0,
        nullptr};
  }
  const GeOpSchema &get() const { return schema_; }

 private:
  std::vector<GeIrPort> inputs_, outputs_;
  std::vector<GeIrAttr> attrs_;
  std::vector<GeIrGraph> graphs_;
  GeOpSchema schema_{};
};

class Comparison {
 public:
  Comparison(const Proto &older, const Proto &newer, std::vector<Change> *out)
      : older_(older), newer_(newer), out_(*out) {
    SchemaView view(newer);
    wrapped_ = BuildOp(view.get(), &op_).empty();
    if (wrapped_) {
      for (const std::string &warning : PlanSignatures(op_, newer, {older}).warnings)
        if (warning.find("fall back to A0") != std::string::npos) fallback_ = true;
    }
  }

  void Run() {
    Inputs();
    Outputs();
    Attrs();
    Graphs();
    OppositeGrowth();
    Arithmetic();
  }

 private:
  Change &Add(const std::string &kind, const std::string &item) {
    out_.push_back({older_.type, kind, item, {}});
    return out_.back();
  }
  void Break(Change *change, std::initializer_list<Caller> callers, const std::string &reason) {
    for (Caller caller : callers) change->verdicts[caller] = {true, reason};
  }
  void Note(Change *change, std::initializer_list<Caller> callers, const std::string &reason) {
    for (Caller caller : callers) change->verdicts[caller] = {false, reason};
  }
  void BreakAll(Change *change, const std::string &reason) {
    Break(change, {kCSource, kCppSource, kPythonSource, kStaticBinary, kDynamicBinary, kIr}, reason);
  }

  void Inputs() {
    const auto &a = older_.inputs, &b = newer_.inputs;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= b.size()) {
        BreakAll(&Add("input removed", "input " + a[i].name), "programs may pass it, graphs may have it connected");
      } else if (i >= a.size()) {
        NewInput(b[i]);
      } else if (a[i].name != b[i].name) {
        BreakAll(&Add("input renamed or moved", "input " + a[i].name),
                 "input " + std::to_string(i) + " was '" + a[i].name + "' and is '" + b[i].name + "'");
      } else if (a[i].kind != b[i].kind) {
        BreakAll(&Add("kind of input changed", "input " + a[i].name),
                 std::string("it was ") + KindText(a[i].kind) + " and is " + KindText(b[i].kind));
      } else if (a[i].dtype != b[i].dtype) {
        Types("input " + a[i].name, a[i].dtype, b[i].dtype);
      }
    }
  }

  void NewInput(const ProtoPort &port) {
    std::string item = "input " + port.name;
    if (port.kind != GE_IR_OPTIONAL) {
      BreakAll(&Add(std::string(KindText(port.kind)) + " input added", item),
               "older programs and graphs do not have it");
      return;
    }
    Change &change = Add("optional input added", item);
    Break(&change, {kCSource}, "the C function has one more parameter");
    Break(&change, {kDynamicBinary}, "the C function of the new library has one more parameter");
    if (fallback_) Break(&change, {kCppSource}, "no overload can serve older calls without ambiguity or mismatch");
    else Note(&change, {kCppSource}, "older calls are served by default or overload");
    bool counts = std::any_of(newer_.outputs.begin(), newer_.outputs.end(),
                              [](const ProtoPort &output) { return output.kind == GE_IR_DYNAMIC; });
    if (counts || !newer_.graphs.empty())
      Break(&change, {kPythonSource}, "it comes before counts of dynamic outputs and subgraphs, without a default");
    else if (older_.inputs.empty())
      Break(&change, {kPythonSource},
            "the builder was the first parameter, owner_graph_builder, and is owner_builder now");
    else if (AllOptional(older_))
      Break(&change, {kPythonSource}, "owner_builder moves by one position (calls that pass it by name keep working)");
    else Note(&change, {kPythonSource}, "it has the default None");
    Note(&change, {kStaticBinary, kIr}, "it stays unconnected in older graphs");
  }

  static bool AllOptional(const Proto &proto) {
    return std::all_of(proto.inputs.begin(), proto.inputs.end(),
                       [](const ProtoPort &input) { return input.kind == GE_IR_OPTIONAL; });
  }

  // Types change no signature: what compiled compiles. A graph that uses one that is gone is refused.
  void Types(const std::string &item, const std::string &before, const std::string &after) {
    std::set<std::string> older, newer;
    std::string gone, come;
    if (TypesOf(before, &older) && TypesOf(after, &newer)) {
      gone = Missing(older, newer);
      come = Missing(newer, older);
      if (gone.empty() && come.empty()) return;  // the same, said in other words
    }
    Change &change = Add(!gone.empty() && come.empty()   ? "data types narrowed"
                         : gone.empty() && !come.empty() ? "data types widened"
                                                         : "data types changed",
                         item);
    for (Verdict &verdict : change.verdicts) verdict.reason = "it was " + before + " and is " + after;
    if (!gone.empty()) Break(&change, {kStaticBinary, kIr}, "graphs may use what is gone: " + gone);
  }
  static std::string Missing(const std::set<std::string> &from, const std::set<std::string> &in) {
    std::string text;
    for (const std::string &type : from)
      if (in.count(type) == 0) text += (text.empty() ? "DT_" : ", DT_") + type;
    return text;
  }

  void Outputs() {
    const auto &a = older_.outputs, &b = newer_.outputs;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= b.size()) {
        BreakAll(&Add("output removed", "output " + a[i].name), "programs may use it");
      } else if (i >= a.size()) {
        Change &change = Add("output added", "output " + b[i].name);
        BreakAll(&change, "the type of the result changes");
        if (b[i].kind == GE_IR_DYNAMIC) Break(&change, {kIr}, "older nodes have no count for it");
        else Note(&change, {kIr}, "it is appended to older nodes");
      } else if (a[i].name != b[i].name) {
        BreakAll(&Add("output renamed or moved", "output " + a[i].name),
                 "output " + std::to_string(i) + " was '" + a[i].name + "' and is '" + b[i].name + "'");
      } else if (a[i].kind != b[i].kind) {
        BreakAll(&Add("kind of output changed", "output " + a[i].name),
                 std::string("it was ") + KindText(a[i].kind) + " and is " + KindText(b[i].kind));
      } else if (a[i].dtype != b[i].dtype) {
        Types("output " + a[i].name, a[i].dtype, b[i].dtype);
      }
    }
  }

  void Attrs() {
    const auto &a = older_.attrs, &b = newer_.attrs;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= b.size()) {
        BreakAll(&Add("attr removed", "attr " + a[i].name), "programs may pass it, graphs may have a value for it");
      } else if (i >= a.size()) {
        NewAttr(b[i]);
      } else if (a[i].name != b[i].name) {
        BreakAll(&Add("attr renamed or moved", "attr " + a[i].name),
                 "attr " + std::to_string(i) + " was '" + a[i].name + "' and is '" + b[i].name + "'");
      } else if (a[i].type != b[i].type) {
        BreakAll(&Add("type of attr changed", "attr " + a[i].name), "it was " + a[i].type + " and is " + b[i].type);
      } else if (a[i].required != b[i].required) {
        Change &change = Add(b[i].required ? "attr became required" : "attr became optional", "attr " + a[i].name);
        BreakAll(&change, b[i].required ? "older programs and graphs may have no value for it"
                                        : "required attributes come first: the order of parameters may change");
        if (!b[i].required) Note(&change, {kStaticBinary, kIr}, "older graphs have a value for it");
      } else if (!(a[i] == b[i])) {
        Change &change = Add("default changed", "attr " + a[i].name);
        std::string text = "it was " + Shown(a[i]) + " and is " + Shown(b[i]);
        for (Verdict &verdict : change.verdicts)
          verdict.reason = text + "; where it was left at its default, the new one holds";
        std::string why = DefaultProblem(b[i]);
        if (!why.empty()) Break(&change, {kCppSource, kPythonSource}, why);
      }
    }
  }

  static std::string Shown(const ProtoAttr &attr) { return attr.has_default ? ShownDefault(attr) : "nothing"; }

  void NewAttr(const ProtoAttr &attr) {
    std::string item = "attr " + attr.name;
    if (attr.required) {
      BreakAll(&Add("required attr added", item), "older programs and graphs have no value for it");
      return;
    }
    Change &change = Add("optional attr added", item);
    Break(&change, {kCSource}, "the C function has one more parameter");
    Break(&change, {kDynamicBinary}, "the C function of the new library has one more parameter");
    std::string why = DefaultProblem(attr);
    if (!why.empty()) Break(&change, {kCppSource, kPythonSource}, why);
    else Note(&change, {kCppSource, kPythonSource}, "it has the default " + Shown(attr));
    Note(&change, {kStaticBinary, kIr}, "the installed default is filled in");
  }

  void Graphs() {
    const auto &a = older_.graphs, &b = newer_.graphs;
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= b.size()) BreakAll(&Add("subgraph removed", "subgraph " + a[i].name), "programs may pass it");
      else if (i >= a.size())
        BreakAll(&Add("subgraph added", "subgraph " + b[i].name), "older programs and graphs do not have it");
      else if (!(a[i] == b[i]))
        BreakAll(&Add("subgraph changed", "subgraph " + a[i].name), "it was " + Text(a[i]) + " and is " + Text(b[i]));
    }
  }
  static std::string Text(const ProtoGraph &graph) {
    return (graph.dynamic ? "dynamic '" : "static '") + graph.name + "'";
  }

  // An installation reads a node either as an older or as a newer one, not as both.
  void OppositeGrowth() {
    bool attrs_grew = newer_.attrs.size() > older_.attrs.size(),
         attrs_shrank = newer_.attrs.size() < older_.attrs.size();
    bool inputs_grew = newer_.inputs.size() > older_.inputs.size(),
         inputs_shrank = newer_.inputs.size() < older_.inputs.size();
    if (!((attrs_grew && inputs_shrank) || (attrs_shrank && inputs_grew))) return;
    Break(&Add("inputs and attrs changed in opposite directions", ""), {kStaticBinary, kIr},
          "it cannot be told which side is the older one");
  }

  // + - * / of C++ and Python call these four functions, with two tensors and nothing else.
  void Arithmetic() {
    static const std::set<std::string> called = {"Add", "Sub", "Mul", "Div"};
    if (called.count(newer_.type) == 0 || (newer_.inputs.size() == 2 && newer_.attrs.empty())) return;
    if (older_.inputs.size() != 2 || !older_.attrs.empty()) return;
    Break(&Add("parameters of an arithmetic operator changed", ""), {kCppSource, kPythonSource, kDynamicBinary},
          "+ - * / of tensors call Es" + newer_.type + " with two tensors only");
  }

  const Proto &older_, &newer_;
  std::vector<Change> &out_;
  Op op_;
  bool wrapped_ = false, fallback_ = false;
};

}  // namespace

std::vector<Change> CompareSets(const ProtoSet &older, const ProtoSet &newer) {
  std::set<std::string> types;
  for (const auto &[type, proto] : older) types.insert(type);
  for (const auto &[type, proto] : newer) types.insert(type);
  std::vector<Change> changes;
  for (const std::string &type : types) {
    auto a = older.find(type), b = newer.find(type);
    if (a == older.end()) {
      changes.push_back({type, "operator added", "", {}});
    } else if (b == newer.end()) {
      Change change{type, "operator removed", "", {}};
      for (Verdict &verdict : change.verdicts) verdict = {true, "programs and graphs may use it"};
      changes.push_back(change);
    } else if (!(a->second == b->second)) {
      Comparison(a->second, b->second, &changes).Run();
    }
  }
  return changes;
}

}  // namespace codegen
