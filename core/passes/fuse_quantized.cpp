// Products of dequantised numbers become integer products, together with bias, activation and quantisation behind them.
#include <cmath>

#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/move_quantized.h"
#include "core/passes/product.h"
#include "core/passes/quantized.h"

namespace gec {
namespace {

const char kFuseQuantizedRule[] = "FuseQuantized";

/// A product while it grows.
struct QuantizedSite {
  const char *type = nullptr;  // of the operator that it becomes
  std::vector<Editor::Attr> attrs;
  QuantizedForm x, weights;
  Endpoint bias, y_scale, y_zero;
  int32_t dtype = C_DT_FLOAT;
  Epilogue epilogue;
  bool conv = false;
  int32_t channel_axis = 1;  // of a convolution's result
  int64_t channels = -1;     // or columns
  bool whole = false;        // it was an integer product before
};

/// A scale as the operators take it: a scalar where it is one constant number.
Endpoint AsScalar(Editor &editor, Endpoint e) {
  if (!e || DescOf(e).shape.rank() == 0 || !IsOneNumber(e)) return e;
  const TensorPtr t = ConstantOf(e);
  if (!t) return e;
  return editor.Constant(std::make_shared<Tensor>(TensorDesc(t->desc.dtype, Shape()), t->buffer), e.node->name(),
                         {e.node});
}

Endpoint InputOf(const Node *node, size_t i) { return i < node->input_count() ? node->input(i) : Endpoint(); }

bool StartConv(Editor &editor, Node *node, QuantizedSite *site) {
  ConvSite conv;
  if (!ReadConv(node, &conv) || conv.fused) return false;
  const int64_t out_axis = FilterIsHwcn(conv) ? 3 : 0;
  std::vector<const Node *> from;
  if (!DequantizedOperand(editor, conv.x, &site->x, &from) ||
      !DequantizedOperand(editor, conv.filter, &site->weights, &from) || site->x.axis >= 0 ||
      (site->weights.axis >= 0 && site->weights.axis != out_axis))
    return false;
  site->type = "QuantizedConv2D";
  site->attrs = ConvAttrs(conv);
  site->conv = true;
  site->channel_axis = conv.channel_axis();
  site->channels = conv.out_channels;
  site->bias = conv.bias;
  site->epilogue.joined = {node};
  site->epilogue.joined.insert(site->epilogue.joined.end(), from.begin(), from.end());
  return true;
}

bool StartProduct(Editor &editor, Node *node, QuantizedSite *site) {
  Product p;
  if (!ReadProduct(node, &p) || p.fused || p.adjoint[0]) return false;
  const int32_t rank = DescOf(p.x[1]).shape.rank();
  std::vector<const Node *> from;
  if (DescOf(p.x[0]).shape.rank() < 2 || rank < 2 || !DequantizedOperand(editor, p.x[0], &site->x, &from) ||
      !DequantizedOperand(editor, p.x[1], &site->weights, &from) || site->x.axis >= 0 ||
      (site->weights.axis >= 0 && site->weights.axis != rank - (p.adjoint[1] ? 2 : 1)))
    return false;
  site->type = "QuantizedMatMul";
  site->attrs = {{"adj_x2", p.adjoint[1]}};
  site->channels = Columns(p);
  site->bias = p.bias;
  site->epilogue.joined = {node};
  site->epilogue.joined.insert(site->epilogue.joined.end(), from.begin(), from.end());
  return true;
}

/// A product that is one of integers already and has room for what follows.
bool StartInteger(Node *node, QuantizedSite *site) {
  static const Symbol matmul("QuantizedMatMul"), conv("QuantizedConv2D"), activation("activation"), adjoint("adj_x2"),
      data_format("data_format");
  if (node->known_type() != matmul && node->known_type() != conv) return false;
  site->dtype = node->output_desc(0).dtype;
  if ((site->dtype != C_DT_INT32 && site->dtype != C_DT_FLOAT) || !node->String(activation).empty()) return false;
  site->conv = node->known_type() == conv;
  site->type = site->conv ? "QuantizedConv2D" : "QuantizedMatMul";
  site->x = {InputOf(node, 0), InputOf(node, 1), InputOf(node, 2), -1, C_DT_UNDEFINED};
  site->weights = {InputOf(node, 3), InputOf(node, 4), InputOf(node, 5), -1, C_DT_UNDEFINED};
  site->bias = InputOf(node, 6);
  site->whole = true;
  const Shape &y = node->output_desc(0).shape;
  if (!y.has_rank() || y.rank() < 2) return false;
  if (site->conv) {
    ConvSite as;
    as.node = node;
    as.channels_last = node->String(data_format, "NCHW") == "NHWC";
    site->attrs = ConvAttrs(as);
    site->channel_axis = as.channel_axis();
  } else {
    site->attrs = {{"adj_x2", node->Bool(adjoint)}};
    site->channel_axis = y.rank() - 1;
  }
  site->channels = y[static_cast<size_t>(site->channel_axis)];
  site->epilogue.joined = {node};
  return true;
}

/// One value for each channel as a vector, for the shape in which `value` spreads over the result; else none.
Endpoint PerChannelVector(Editor &editor, const QuantizedSite &site, Endpoint value, int32_t rank) {
  if (!site.conv) return AsBias(editor, value, site.channels, rank);
  std::vector<float> values;
  if (IsOneNumber(value) || !PerChannel(value, 4, site.channel_axis, site.channels, &values)) return {};
  return editor.Constant(FloatTensor(Shape{site.channels}, values), value.node->name(), {value.node});
}

/// `value`, by which sums are multiplied, becomes the scale of an operand that has none yet.
bool TakeScale(Editor &editor, QuantizedSite *site, Endpoint value) {
  static const Symbol mul("Mul");
  if (!IsFloat32(value)) return false;
  if (value.node->known_type() == mul && !site->x.scale && !site->weights.scale) {
    const QuantizedSite before = *site;
    if (TakeScale(editor, site, value.node->input(0)) && TakeScale(editor, site, value.node->input(1))) return true;
    *site = before;
  }
  if (IsOneNumber(value)) {
    if (DescOf(value).shape.rank() != 0 && !ConstantOf(value)) return false;
    Endpoint &scale = site->x.scale ? site->weights.scale : site->x.scale;
    if (scale) return false;
    scale = AsScalar(editor, value);
    return true;
  }
  if (site->weights.scale) return false;
  site->weights.scale =
      PerChannelVector(editor, *site, value, site->conv ? 4 : DescOf(site->epilogue.last).shape.rank());
  return static_cast<bool>(site->weights.scale);
}

/// Sums become floats, then values: Cast, and up to two products.
void JoinScales(Editor &editor, QuantizedSite *site) {
  static const Symbol cast("Cast"), mul("Mul");
  int32_t port;
  Node *reader = site->epilogue.Reader(editor, &port);
  if (!reader || reader->known_type() != cast || reader->output_desc(0).dtype != C_DT_FLOAT) return;
  site->epilogue.Join(reader);
  site->dtype = C_DT_FLOAT;
  for (int i = 0; i < 2; ++i) {
    reader = site->epilogue.Reader(editor, &port);
    if (!reader || reader->known_type() != mul) return;
    const Endpoint other = reader->input(static_cast<size_t>(1 - port));
    if (!other || DescOf({reader, 0}).shape != DescOf(site->epilogue.last).shape || !TakeScale(editor, site, other))
      return;
    site->epilogue.Join(reader);
  }
}

/// A float that is added for each channel.
void JoinBias(Editor &editor, QuantizedSite *site) {
  static const Symbol add("Add");
  if (site->bias) return;
  if (!site->conv) {
    JoinBias(editor, &site->epilogue, site->channels, &site->bias);
    return;
  }
  int32_t port;
  Node *reader = site->epilogue.Reader(editor, &port);
  if (!reader || reader->known_type() != add) return;
  const Endpoint other = reader->input(static_cast<size_t>(1 - port));
  if (!other || !IsFloat32(other)) return;
  site->bias = PerChannelVector(editor, *site, other, 4);
  if (site->bias) site->epilogue.Join(reader);
}

/// A bias in steps of both scales, as quantisers store it, is added to the sums as it is.
Endpoint IntegerBias(const QuantizedSite &site, Endpoint bias) {
  static const Symbol dequantize("DequantizeLinear");
  if (!bias || bias.node->known_type() != dequantize) return bias;
  const Node &node = *bias.node;
  const Endpoint stored = node.input(0);
  const TensorPtr step = ConstantInput(node, 1), x = ConstantOf(site.x.scale), w = ConstantOf(site.weights.scale);
  if (!stored || DescOf(stored).dtype != C_DT_INT32 || DescOf(stored).shape.rank() != 1 || !step || !x || !w ||
      step->desc.dtype != C_DT_FLOAT || x->bytes() != sizeof(float))
    return bias;
  if (node.input_count() > 2 && node.input(2)) {
    const TensorPtr zero = ConstantInput(node, 2);
    for (size_t i = 0; zero && i < zero->bytes() / sizeof(int32_t); ++i)
      if (zero->as<int32_t>()[i] != 0) return bias;
    if (!zero) return bias;
  }
  const size_t steps = step->bytes() / sizeof(float), weights = w->bytes() / sizeof(float);
  if (steps == 0 || weights == 0 || (steps != 1 && weights != 1 && steps != weights)) return bias;
  for (size_t i = 0; i < std::max(steps, weights); ++i) {
    const double want = double(*x->as<float>()) * w->as<float>()[weights == 1 ? 0 : i];
    if (!Near(step->as<float>()[steps == 1 ? 0 : i], want, 1e-6)) return bias;
  }
  return stored;
}

/// The only reader quantises the result.
bool JoinQuantize(Editor &editor, QuantizedSite *site) {
  int32_t port;
  Node *reader = site->epilogue.Reader(editor, &port);
  QuantizedForm y;
  if (!reader || port != 0 || !ReadQuantize(*reader, &y)) return false;
  site->y_scale = AsScalar(editor, y.scale);
  site->y_zero = AsScalar(editor, y.zero);
  site->dtype = y.dtype;
  site->epilogue.Join(reader);
  return true;
}

bool ReplaceSite(Editor &editor, const QuantizedSite &site, const Node &start) {
  std::vector<Editor::Attr> attrs = site.attrs;
  attrs.emplace_back("activation", site.epilogue.activation.name);
  attrs.emplace_back("alpha", site.epilogue.activation.alpha);
  attrs.emplace_back("beta", site.epilogue.activation.beta);
  attrs.emplace_back("dst_type", int64_t{site.dtype});
  const Endpoint last = site.epilogue.last;
  Transaction candidate(editor.graph.root());
  Node *made = editor.Make(
      site.type, last.node->name(),
      {site.x.x, AsScalar(editor, site.x.scale), AsScalar(editor, site.x.zero), site.weights.x,
       AsScalar(editor, site.weights.scale), AsScalar(editor, site.weights.zero), site.bias, site.y_scale, site.y_zero},
      attrs, site.epilogue.joined, &DescOf(last));
  Refusal why;
  if (!FusionPays(editor.ctx, *made, site.epilogue.joined, &why) &&
      !(site.conv && PaysWithChannelsLast(editor, made, site.epilogue.joined, &why))) {
    editor.ctx.Declined(kFuseQuantizedRule, start, why);
    return false;
  }
  editor.Replace(last, {made, 0});
  candidate.Commit();
  return true;
}

void FuseSite(Editor &editor, Node *node) {
  if (Editor::HasControl(*node) || node->pinned() || node->output_count() != 1) return;
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  QuantizedSite site;
  if (!StartConv(editor, node, &site) && !StartProduct(editor, node, &site) && !StartInteger(node, &site)) {
    editor.changed = was_changed;
    return;
  }
  editor.ctx.At(kFuseQuantizedRule, node);
  editor.ctx.Tried(kFuseQuantizedRule);
  Epilogue &e = site.epilogue;
  e.last = {node, 0};
  const size_t parts = e.joined.size();
  if (site.dtype == C_DT_INT32) JoinScales(editor, &site);
  if (!site.whole) site.bias = IntegerBias(site, site.bias);
  if (site.dtype == C_DT_FLOAT) {
    JoinBias(editor, &site);
    const QuantizedSite plain = site;
    e.JoinActivation(editor);
    JoinQuantize(editor, &site);
    bool done = (e.joined.size() > parts || !site.whole) && ReplaceSite(editor, site, *node);
    // Without the activation when no engine takes it with one.
    if (!done && !e.activation.name.empty() && (plain.epilogue.joined.size() > parts || !site.whole))
      done = ReplaceSite(editor, plain, *node);
    if (done) {
      attempt.Commit();
      editor.ctx.Applied(kFuseQuantizedRule);
      return;
    }
  }
  editor.changed = was_changed;
}

bool HasIntegerProducts(const Graph &graph) {
  static const Symbol matmul("QuantizedMatMul"), conv("QuantizedConv2D");
  return graph.HasAny({matmul, conv});
}

}  // namespace

bool FuseQuantized(Graph &graph, PassContext &ctx) {
  if (!HasQuantization(graph) && !HasIntegerProducts(graph)) return false;
  Editor editor(graph, ctx, kFuseQuantizedRule);
  MoveQuantized(editor);
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) FuseSite(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
