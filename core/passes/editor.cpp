#include "core/passes/editor.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/types.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "core/ops/symbolic_dims.h"
#include "core/ops/traits.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/why_not.h"
#include "core/pattern/rewrite_loop.h"

namespace gec {

Node *Editor::Make(const char *type, std::string_view name_hint, const std::vector<Endpoint> &inputs,
                   const std::vector<Attr> &attrs, const std::vector<const Node *> &from, const TensorDesc *like,
                   int32_t dynamic_outputs) {
  const IrDef *ir = OpRegistry::Instance().Get(type);
  NodeParts parts;
  int32_t dyn_in = 0;
  if (ir->dynamic_inputs) {  // one dynamic input takes what the fixed ones leave
    dyn_in = static_cast<int32_t>(inputs.size() - (ir->inputs.size() - 1));
    parts.dyn_in = &dyn_in;
    parts.dyn_in_size = 1;
  }
  if (ir->dynamic_outputs) {
    parts.dyn_out = &dynamic_outputs;
    parts.dyn_out_size = 1;
  }
  std::vector<Endpoint> ports = inputs;
  if (!ir->dynamic_inputs) ports.resize(ir->inputs.size());
  parts.inputs = ports.data();
  for (const Attr &attr : attrs) parts.attrs.Set(attr.first, attr.second);
  TensorDesc desc;
  if (like) {
    desc = *like;  // a copy first: `like` may belong to a node of this graph
    desc.attrs = nullptr;
  }
  Node *node = graph.AddNode(ir, graph.UniqueName(std::string(name_hint)), std::move(parts));
  // Linear for many origins: the first one brings the lineage, the others follow as names.
  graph.InheritOrigins(node, {from.empty() ? nullptr : from[0]}, pass);
  if (from.size() > 1) {
    Origins origins = node->origins();
    std::unordered_set<SharedText> seen(2 * from.size());
    seen.insert(origins.begin(), origins.end());
    auto add = [&](const SharedText &origin) {
      if (seen.insert(origin).second) origins.push_back(origin);
    };
    for (size_t i = 1; i < from.size(); ++i) {
      if (from[i]->origins().empty()) add(from[i]->name());
      for (const SharedText &origin : from[i]->origins()) add(origin);
    }
    graph.SetOrigins(node, std::move(origins));
  }
  if (like) graph.SetOutputDesc(node, 0, std::move(desc));
  else InferNode(*node);
  changed = true;
  return node;
}

Endpoint Editor::Constant(TensorPtr value, std::string_view name_hint, const std::vector<const Node *> &from) {
  Node *node = MakeConst(graph, std::move(value), name_hint);
  if (!from.empty()) graph.InheritOrigins(node, {from[0]}, pass);
  changed = true;
  return {node, 0};
}

void Editor::Replace(Endpoint from, Endpoint to) {
  // Descriptions set by hand on the readers' ports would hide the new producer's.
  for (const Use &use : from.node->uses(static_cast<size_t>(from.port))) {
    const TensorDesc *own = use.node->explicit_input_desc(static_cast<size_t>(use.port));
    if (!own) continue;
    TensorDesc desc = DescOf(to);
    desc.attrs = own->attrs;
    graph.SetInputDesc(use.node, static_cast<size_t>(use.port), std::move(desc));
  }
  graph.ReplaceUses(from, to);
  outputs_.Moved(from, to);
  changed = true;
  Sweep(from.node);
}

void Editor::Sweep(Node *node) {
  std::vector<Node *> pending{node};
  while (!pending.empty()) {
    Node *at = pending.back();
    pending.pop_back();
    if (at->removed() || IsDataType(at->type()) || at->total_uses() != 0 || HasControl(*at) ||
        !at->subgraphs().empty() || HasEffect(*at))
      continue;
    bool output = false;
    for (size_t o = 0; o < at->output_count(); ++o) output |= IsOutput({at, static_cast<int32_t>(o)});
    if (output) continue;
    for (size_t i = 0; i < at->input_count(); ++i) {
      if (Endpoint e = at->input(i)) pending.push_back(e.node);
    }
    graph.RemoveNode(at);
    changed = true;
  }
}

bool Editor::OnlyUse(Endpoint e) const {
  return e.node->uses(static_cast<size_t>(e.port)).size() == 1 && !IsOutput(e) && !HasControl(*e.node);
}

namespace {

class PatternRule : public LoopRule {
 public:
  PatternRule(Editor &editor, const RewriteRule &rule, Match &match) : editor_(editor), rule_(rule), match_(match) {}
  const char *name() const override { return rule_.name; }
  std::vector<Symbol> Types() override { return rule_.pattern.RootTypes(); }
  bool Try(Node *node) override {
    if (editor_.ctx.why_not) editor_.ctx.why_not->Begin(rule_.name, node, rule_.pattern.program());
    if (!rule_.pattern.Find(node, &match_)) return false;
    editor_.ctx.At(rule_.name, node);
    editor_.ctx.Tried(rule_.name);
    Refusal why("its conditions do not hold");
    Endpoint result;
    Transaction attempt(editor_.graph.root());
    const bool was_changed = editor_.changed;
    if (Pattern::Legal(match_.covered, node, editor_.outputs(), &why))
      result = rule_.action(editor_, match_, node, &why);
    if (!result || !FusionPays(editor_.ctx, *result.node, {match_.covered.begin(), match_.covered.end()}, &why)) {
      editor_.changed = was_changed;
      editor_.ctx.Declined(rule_.name, *node, why);
      return false;
    }
    attempt.Commit();
    editor_.ctx.Applied(rule_.name);
    if (result != Endpoint{node, 0}) editor_.Replace({node, 0}, result);
    return true;
  }

 private:
  Editor &editor_;
  const RewriteRule &rule_;
  Match &match_;  // its memory serves all rules
};

}  // namespace

bool RunRules(Editor &editor, const std::vector<RewriteRule> &rules, int rounds) {
  const std::vector<Symbol> types = editor.graph.Types();
  std::unordered_set<Symbol> present(types.begin(), types.end());
  for (const RewriteRule &rule : rules) {
    if (!rule.makes.empty()) present.insert(rule.makes);
  }
  Match match;
  std::vector<PatternRule> possible;
  match.Observe(editor.ctx.why_not);
  for (const RewriteRule &rule : rules) {
    WhyNot *why_not = editor.ctx.why_not;
    const std::vector<Symbol> roots = rule.pattern.RootTypes();
    const bool begins = std::any_of(roots.begin(), roots.end(), [&](Symbol type) { return present.count(type) != 0; });
    // An observer is told at which node the match ends.
    if (why_not)
      why_not->Begins(rule.name, editor.graph, PartText(rule.pattern.program(), rule.pattern.program().outputs[0].slot),
                      roots);
    if (rule.pattern.Possible(present) || (why_not && begins)) possible.emplace_back(editor, rule, match);
    else if (why_not) why_not->Impossible(rule.name, rule.pattern.NeededText());
  }
  std::vector<LoopRule *> list;
  for (PatternRule &rule : possible) list.push_back(&rule);
  if (list.empty()) return false;
  RewritePolicy policy;
  policy.rounds = rounds;
  policy.max_rewrites = editor.ctx.scope->Int(kMaxRewritesKey, kMaxRewrites);
  const bool any = RunRewrites(editor.graph, list, policy, editor.pass) != 0;
  editor.ctx.At(nullptr, nullptr);
  return any;
}

bool SameKnownShape(Endpoint a, Endpoint b) {
  const Shape &x = DescOf(a).shape, &y = DescOf(b).shape;
  if (!x.determined() || !y.determined() || x.rank() != y.rank()) return false;
  const SymbolicDims *symbolic = CurrentSymbolicDims();
  return std::equal(x.dims().begin(), x.dims().end(), y.dims().begin(),
                    [&](int64_t p, int64_t q) { return p == q || (symbolic && symbolic->AreEqual(p, q)); });
}

bool IntsAt(const Node &node, size_t input, std::vector<int64_t> *values) {
  TensorPtr t = input < node.input_count() ? ConstantInput(node, input) : nullptr;
  if (!t || !IsIntegerType(t->desc.dtype)) return false;
  *values = t->Ints();
  return true;
}

bool ScalarBeside(Endpoint constant, Endpoint x, double *value) {
  if (!ScalarOf(constant, value)) return false;
  int32_t rank = DescOf(constant).shape.rank();
  return rank == 0 || (DescOf(x).shape.has_rank() && rank <= DescOf(x).shape.rank());
}

TensorPtr FloatTensor(const Shape &shape, const std::vector<float> &values) {
  return Tensor::Of(C_DT_FLOAT, shape, values);
}
TensorPtr IntTensor(const std::vector<int64_t> &values) {
  return Tensor::Of(C_DT_INT64, Shape{static_cast<int64_t>(values.size())}, values);
}
TensorPtr ScalarTensor(float value) { return FloatTensor(Shape(), {value}); }

}  // namespace gec
