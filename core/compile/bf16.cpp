#include "core/compile/bf16.h"

#include <algorithm>
#include <cmath>

#include "core/ops/op_desc.h"
#include "core/ops/traits.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/movers.h"
#include "core/support/error.h"
#include "core/support/float16.h"

namespace gec {
namespace {

constexpr size_t kResidual = 3;  // port of FusedConv2D and FusedMatMulV2

bool IsAttention(const Node &node) {
  static const Symbol attention("ScaledDotProductAttention");
  return node.known_type() == attention;
}

/// The mover that makes a value which nobody else reads: its numbers may be rounded before.
const Mover *OwnMover(const Editor &editor, Endpoint value) {
  return editor.OnlyUse(value) && value.port == 0 ? MoverOf(*value.node) : nullptr;
}

Endpoint BehindMovers(const Editor &editor, Endpoint value) {
  while (const Mover *mover = OwnMover(editor, value)) {
    if (mover->picks) break;
    value = value.node->input(0);
  }
  return value;
}

Endpoint ResidualOf(const Node &node) { return IsAttention(node) ? Endpoint() : node.input(kResidual); }

bool StaysFinite(float value, uint16_t rounded) {
  return std::isfinite(FromBf16Bits(rounded)) || !std::isfinite(value);
}

/// Null where a value is too large.
TensorPtr RoundedTensor(const Tensor &t, TensorDesc desc, double scale) {
  desc.dtype = C_DT_BF16;
  const auto count = static_cast<size_t>(desc.shape.elements());
  auto buffer = Buffer::AllocateUnset(count * sizeof(uint16_t));
  const float *from = t.as<float>();
  auto *to = static_cast<uint16_t *>(buffer->data());
  bool fits = true;
  for (size_t i = 0; i < count; ++i) {
    const float value = scale == 1 ? from[i] : static_cast<float>(from[i] * scale);
    to[i] = ToBf16Bits(value);
    fits &= StaysFinite(from[i], to[i]);
  }
  return fits ? std::make_shared<Tensor>(std::move(desc), std::move(buffer)) : nullptr;
}

}  // namespace

bool FitsBf16(const Tensor &t) {
  const float *from = t.as<float>();
  return std::all_of(from, from + t.desc.shape.elements(),
                     [](float value) { return StaysFinite(value, ToBf16Bits(value)); });
}

Endpoint Bf16Nodes::Cast(Endpoint value) {
  Endpoint &have = rounded_[KeyOf(value)];
  if (have) return have;
  TensorDesc desc = DescOf(value);
  desc.dtype = C_DT_BF16;
  Node *cast = editor_.Make("Cast", value.node->name() + "_bf16", {value}, {{"dst_type", int64_t{C_DT_BF16}}},
                            {value.node}, &desc);
  casts_.push_back(value);
  return have = {cast, 0};
}

/// The value that an operator makes of rounded numbers where it only moves them; none where it does more.
Endpoint Bf16Nodes::MovedRounded(Endpoint value) {
  const Node &node = *value.node;
  const bool join = IsJoin(node);
  const Mover *mover = join ? nullptr : MoverOf(node);
  if (!join && !mover) return {};
  std::vector<Endpoint> inputs;
  for (size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.input(i));
  const size_t moved = join ? inputs.size() - 1 : 1;
  for (size_t i = 0; i < moved; ++i)
    if (!IsFloat32(inputs[i])) return {};
  const size_t casts = casts_.size();
  const bool was_changed = editor_.changed;
  Transaction attempt(editor_.graph.root());
  for (size_t i = 0; i < moved; ++i) {
    const TensorPtr constant = ConstantOf(inputs[i]);
    const TensorPtr rounded = constant ? RoundedTensor(*constant, DescOf(inputs[i]), 1) : nullptr;
    inputs[i] = rounded ? editor_.Constant(rounded, inputs[i].node->name(), {inputs[i].node}) : Cast(inputs[i]);
  }
  const Endpoint made = Remade(editor_, node, inputs, {&node});
  Refusal why;
  if (mover && mover->picks && !FusionTaken(editor_.ctx, *made.node, {&node}, &why)) {
    Forget(casts);
    editor_.changed = was_changed;
    return {};
  }
  attempt.Commit();
  return made;
}

/// A node in bf16 makes the value, or some of it, when others have moved it for nobody else. Where less comes out of
/// those than goes in, rounding before is more work, unless that node comes to do it.
bool Bf16Nodes::ComesOfMade(Endpoint value, const std::set<const Node *> &made) const {
  constexpr int kMostMoves = 16;
  bool less = false;
  for (int i = 0; i < kMostMoves; ++i) {
    if (made.count(value.node) != 0) return !less || editor_.OnlyUse(value);
    if (!editor_.OnlyUse(value)) return false;
    if (IsJoin(*value.node)) {
      for (size_t part = 0; !less && part + 1 < value.node->input_count(); ++part)
        if (made.count(BehindMovers(editor_, value.node->input(part)).node) != 0) return true;
      return false;
    }
    if (!MoverOf(*value.node)) return false;
    const Endpoint from = value.node->input(0);
    const int64_t before = DescOf(from).shape.elements(), behind = DescOf(value).shape.elements();
    less |= !IsView(*value.node) && (before < 0 || behind < before);
    value = from;
  }
  return false;
}

/// A Cast goes before operators that move numbers for it alone, since a node comes to make its result in bf16 only when
/// the Cast is next to it.
void Bf16Nodes::LiftCasts() {
  const std::set<const Node *> made(made_.begin(), made_.end());
  for (size_t i = 0; i < casts_.size(); ++i) {  // more come meanwhile
    const Endpoint value = casts_[i];
    if (value.node->removed() || !editor_.OnlyUse(value) || !ComesOfMade(value, made)) continue;
    const Endpoint cast = rounded_.at(KeyOf(value)), moved = MovedRounded(value);
    if (!moved) continue;
    rounded_.erase(KeyOf(value));
    editor_.Replace(cast, moved);
  }
}

void Bf16Nodes::Adopt() {
  static const Symbol cast("Cast"), dtype("dtype");
  for (Node *node : editor_.graph.TopologicalOrder()) {
    if (node->input_count() == 0 || !node->input(0) || node->output_count() == 0) continue;
    const Endpoint x = node->input(0);
    if (node->known_type() == cast && IsFloat32(x) && node->output_desc(0).dtype == C_DT_BF16) {
      if (rounded_.emplace(KeyOf(x), Endpoint{node, 0}).second) casts_.push_back(x);
    } else if (DescOf(x).dtype == C_DT_BF16 && IsFloat32({node, 0}) && node->attrs().Has(dtype)) {
      made_.push_back(node);
    }
  }
}

void Bf16Nodes::Forget(size_t casts) {
  for (; casts_.size() > casts; casts_.pop_back()) rounded_.erase(KeyOf(casts_.back()));
}

std::string Bf16Nodes::Put(const char *type, const Node &node, std::vector<Endpoint> inputs,
                           std::vector<Editor::Attr> attrs, const TensorPtr &weights, double scale) {
  // The format stands in what the constant's node says of its output.
  const TensorDesc &desc = DescOf(inputs[1]);
  const WeightsKey key{weights->buffer.get(), Str(desc.format, ' ', desc.shape.str()), scale};
  Rounded known;
  if (const auto at = weights_.find(key); at != weights_.end()) known = at->second;
  TensorPtr rounded;
  if (known.source.lock() != weights->buffer && !(rounded = RoundedTensor(*weights, desc, scale)))
    return "a weight is beyond the range of bf16";
  const size_t casts = casts_.size();
  const bool was_changed = editor_.changed;
  Transaction attempt(editor_.graph.root());
  if (rounded) known = {weights->buffer, editor_.Constant(rounded, inputs[1].node->name(), {inputs[1].node})};
  inputs[0] = Cast(inputs[0]), inputs[1] = known.constant;
  attrs.emplace_back("dtype", int64_t{C_DT_FLOAT});
  Node *made = editor_.Make(type, node.name(), inputs, attrs, {&node}, &node.output_desc(0));
  Refusal why;
  if (!FusionTaken(editor_.ctx, *made, {&node}, &why)) {
    Forget(casts);
    editor_.changed = was_changed;
    return why.actual;
  }
  editor_.Replace({const_cast<Node *>(&node), 0}, {made, 0});
  attempt.Commit();
  weights_[key] = known;
  made_.push_back(made);
  return "";
}

std::string Bf16Nodes::Product(const gec::Product &p, const TensorPtr &weights) {
  return Put("FusedMatMulV2", *p.node, {p.x[0], p.x[1], p.bias, p.residual},
             {{"adj_x2", p.adjoint[1]},
              {"activation", p.activation.name},
              {"alpha", p.activation.alpha},
              {"beta", p.activation.beta}},
             weights, p.scale);
}

std::string Bf16Nodes::Conv(const ConvSite &site, const TensorPtr &filter) {
  std::vector<Editor::Attr> attrs = ConvAttrs(site);
  if (site.fused) {
    attrs.emplace_back("activation", site.node->String("activation"));
    attrs.emplace_back("alpha", site.node->Float("alpha", 0));
    attrs.emplace_back("beta", site.node->Float("beta", 0));
  }
  return Put(site.fused_type, *site.node,
             {site.x, site.filter, site.bias, site.fused ? site.node->input(kResidual) : Endpoint()}, std::move(attrs),
             filter, 1);
}

bool Bf16Nodes::FollowsBf16(const ConvSite &site) {
  const Node &source = *site.x.node;
  return source.known_type() == Symbol(site.fused_type) && DescOf(source.input(0)).dtype == C_DT_BF16;
}

std::string Bf16Nodes::Attention(Node *node) {
  constexpr size_t kOperands = 3;
  std::vector<Endpoint> inputs;
  for (size_t i = 0; i < node->input_count(); ++i) inputs.push_back(node->input(i));
  for (size_t i = 0; i < kOperands; ++i) {
    const Node *source = BehindMovers(editor_, inputs[i]).node;
    if (!IsFloat32(inputs[i]) || std::find(made_.begin(), made_.end(), source) == made_.end())
      return Str("its input ", i, " is no result of a node in bf16");
  }
  Transaction attempt(editor_.graph.root());
  const bool was_changed = editor_.changed;
  const size_t casts = casts_.size();
  for (size_t i = 0; i < kOperands; ++i) inputs[i] = Cast(inputs[i]);
  Node *made = Remade(editor_, *node, inputs, {node}).node;
  editor_.graph.SetAttr(made, "dtype", int64_t{C_DT_FLOAT});
  editor_.graph.SetOutputDesc(made, 0, node->output_desc(0));
  Refusal why;
  if (!FusionTaken(editor_.ctx, *made, {node}, &why)) {
    Forget(casts);
    editor_.changed = was_changed;
    return why.actual;
  }
  if (const auto at = rounded_.find(KeyOf({node, 0})); at != rounded_.end()) {  // of an earlier run
    const Endpoint cast = at->second;
    rounded_.erase(at);
    rounded_[KeyOf({made, 0})] = cast;
    std::replace(casts_.begin(), casts_.end(), Endpoint{node, 0}, Endpoint{made, 0});
  }
  editor_.Replace({node, 0}, {made, 0});
  attempt.Commit();
  made_.push_back(made);
  return "";
}

bool Bf16Nodes::CanNarrow(Node *node, const std::set<const Node *> &narrow) const {
  if (node->removed() || editor_.IsOutput({node, 0}) || node->uses(0).size() == 0) return false;
  const auto cast = rounded_.find(KeyOf({node, 0}));
  for (const Use &use : node->uses(0)) {
    if (cast != rounded_.end() && use.node == cast->second.node) continue;
    const bool residual = static_cast<size_t>(use.port) == kResidual && !IsAttention(*use.node);
    if (!residual || narrow.count(use.node) == 0) return false;
  }
  if (!editor_.ctx.supported) return true;
  OpDescView view(*node);
  if (ResidualOf(*node)) view.inputs()[kResidual].data_type = C_DT_BF16;
  view.outputs()[0].data_type = C_DT_BF16;
  EngineOffer offer;
  return editor_.ctx.supported(*view.get(), &offer);
}

void Bf16Nodes::NarrowNode(Node *node) {
  if (const Endpoint residual = ResidualOf(*node); residual && DescOf(residual).dtype != C_DT_BF16) {
    const Endpoint cast = Cast(residual);
    editor_.graph.Reconnect(cast, node, kResidual);
    if (node->explicit_input_desc(kResidual)) editor_.graph.SetInputDesc(node, kResidual, DescOf(cast));
  }
  TensorDesc desc = node->output_desc(0);
  desc.dtype = C_DT_BF16;
  editor_.graph.SetOutputDesc(node, 0, desc);
  editor_.graph.SetAttr(node, "dtype", int64_t{C_DT_BF16});
  const auto at = rounded_.find(KeyOf({node, 0}));
  if (at == rounded_.end()) return;  // a residual alone
  const Endpoint cast = at->second;
  rounded_.erase(at);
  editor_.Replace(cast, {node, 0});
}

void Bf16Nodes::Narrow() {
  LiftCasts();
  // From the outputs back: whether a residual may be rounded rests on the node that adds it.
  std::set<const Node *> narrow;
  for (size_t i = made_.size(); i-- > 0;)
    if (CanNarrow(made_[i], narrow)) narrow.insert(made_[i]);
  for (Node *node : made_)
    if (narrow.count(node) != 0) NarrowNode(node);
}

}  // namespace gec
