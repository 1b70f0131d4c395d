#include "core/compile/bf16.h"

#include <cmath>

#include "core/ops/op_desc.h"
#include "core/passes/fusion_cost.h"
#include "core/support/error.h"
#include "core/support/float16.h"

namespace gec {
namespace {

constexpr size_t kResidual = 3;  // port of FusedConv2D and FusedMatMulV2

/// Null where a value is too large.
TensorPtr RoundedTensor(const Tensor &t, double scale) {
  TensorDesc desc = t.desc;
  desc.dtype = C_DT_BF16;
  const auto count = static_cast<size_t>(desc.shape.elements());
  auto buffer = Buffer::Allocate(count * sizeof(uint16_t));
  const float *from = t.as<float>();
  auto *to = static_cast<uint16_t *>(buffer->data());
  bool fits = true;
  for (size_t i = 0; i < count; ++i) {
    const float value = scale == 1 ? from[i] : static_cast<float>(from[i] * scale);
    to[i] = ToBf16Bits(value);
    fits &= std::isfinite(FromBf16Bits(to[i])) || !std::isfinite(from[i]);
  }
  return fits ? std::make_shared<Tensor>(std::move(desc), std::move(buffer)) : nullptr;
}

}  // namespace

Endpoint Bf16Nodes::Converted(Endpoint value, int32_t type) {
  Endpoint &have = (type == C_DT_BF16 ? rounded_ : widened_)[KeyOf(value)];
  if (have) return have;
  TensorDesc desc = DescOf(value);
  desc.dtype = type;
  const char *suffix = type == C_DT_BF16 ? "_bf16" : "_fp32";
  have = {
      editor_.Make("Cast", value.node->name() + suffix, {value}, {{"dst_type", int64_t{type}}}, {value.node}, &desc),
      0};
  if (type != C_DT_BF16) exact_[KeyOf(have)] = value;
  return have;
}

std::string Bf16Nodes::Put(const char *type, const Node &node, std::vector<Endpoint> inputs,
                           std::vector<Editor::Attr> attrs, const TensorPtr &weights, double scale) {
  auto &[source, constant] = weights_[{weights->buffer.get(), scale}];
  const bool have = source.lock() == weights->buffer;
  TensorPtr rounded;
  if (!have && !(rounded = RoundedTensor(*weights, scale))) return "a weight is beyond the range of bf16";
  Transaction attempt(editor_.graph.root());
  const bool was_changed = editor_.changed, new_cast = rounded_.count(KeyOf(inputs[0])) == 0;
  const Key x = KeyOf(inputs[0]);
  inputs[0] = Converted(inputs[0], C_DT_BF16);
  inputs[1] = have ? constant : editor_.Constant(rounded, inputs[1].node->name(), {inputs[1].node});
  attrs.emplace_back("dtype", int64_t{C_DT_FLOAT});
  Node *made = editor_.Make(type, node.name(), inputs, attrs, {&node}, &node.output_desc(0));
  Refusal why;
  if (!FusionTaken(editor_.ctx, *made, {&node}, &why)) {
    if (new_cast) rounded_.erase(x);
    if (!have) weights_.erase({weights->buffer.get(), scale});
    editor_.changed = was_changed;
    return why.actual;
  }
  if (!have) source = weights->buffer, constant = inputs[1];
  editor_.Replace({const_cast<Node *>(&node), 0}, {made, 0});
  attempt.Commit();
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
             {site.x, site.filter, site.bias, site.fused ? site.node->input(3) : Endpoint()}, std::move(attrs), filter,
             1);
}

bool Bf16Nodes::FollowsBf16(const ConvSite &site) const {
  const Node &source = *site.x.node;
  return source.known_type() == Symbol(site.fused_type) && DescOf(source.input(0)).dtype == C_DT_BF16;
}

bool Bf16Nodes::WorksWith(Node *node, int32_t type) const {
  if (!editor_.ctx.supported) return true;
  OpDescView view(*node);
  if (node->input(kResidual)) view.inputs()[kResidual].data_type = type;
  view.outputs()[0].data_type = type;
  EngineOffer offer;
  return editor_.ctx.supported(*view.get(), &offer);
}

void Bf16Nodes::NarrowNode(Node *node) {
  const Endpoint y{node, 0};
  const auto at = rounded_.find(KeyOf(y));
  if (at == rounded_.end() || editor_.IsOutput(y) || !WorksWith(node, C_DT_BF16)) return;
  Node *cast = at->second.node;
  rounded_.erase(at);
  if (const Endpoint residual = node->input(kResidual)) {
    const auto exact = exact_.find(KeyOf(residual));
    const Endpoint narrow = exact != exact_.end() ? exact->second : Converted(residual, C_DT_BF16);
    editor_.graph.Reconnect(narrow, node, kResidual);
    if (node->explicit_input_desc(kResidual)) editor_.graph.SetInputDesc(node, kResidual, DescOf(narrow));
    editor_.Sweep(residual.node);
  }
  TensorDesc desc = node->output_desc(0);
  desc.dtype = C_DT_BF16;
  editor_.graph.SetOutputDesc(node, 0, desc);
  editor_.graph.SetAttr(node, "dtype", int64_t{C_DT_BF16});
  const std::vector<Use> uses(node->uses(0).begin(), node->uses(0).end());
  for (const Use &use : uses) {
    if (use.node == cast) continue;
    const Endpoint wide = Converted(y, C_DT_FLOAT);
    editor_.graph.Reconnect(wide, use.node, use.port);
  }
  editor_.Replace({cast, 0}, y);
}

void Bf16Nodes::Narrow() {
  for (Node *node : made_)
    if (!node->removed()) NarrowNode(node);
}

}  // namespace gec
