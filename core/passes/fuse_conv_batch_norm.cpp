// Factors and addends per channel after a convolution move into its filter and bias.
#include <cmath>
#include <cstring>

#include "core/passes/batch_norm.h"
#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/epilogue.h"
#include "core/passes/fusion_cost.h"

namespace gec {
namespace {

bool ReadAffine(const Node &node, int32_t port, const ConvSite &conv, Affine *out) {
  static const Symbol norm("BNInfer"), mul("Mul"), add("Add"), sub("Sub"), bias_add("BiasAdd"),
      data_format("data_format");
  const int64_t channels = conv.out_channels;
  const size_t n = static_cast<size_t>(channels);
  if (node.known_type() == norm)
    return port == 0 && !conv.channels_last && ReadBatchNorm(node, out) && out->factor.size() == n;
  if (node.known_type() == bias_add) {
    if (port != 0 || (node.String(data_format, "NHWC").back() == 'C') != conv.channels_last) return false;
    TensorPtr t = ConstantInput(node, 1);
    if (!t || t->desc.dtype != C_DT_FLOAT || t->desc.shape.elements() != channels) return false;
    out->factor.assign(n, 1);
    out->shift.assign(t->as<float>(), t->as<float>() + n);
    return true;
  }
  if (node.known_type() != mul && node.known_type() != add && !(node.known_type() == sub && port == 0)) return false;
  std::vector<float> values;
  if (!PerChannel(node.input(static_cast<size_t>(1 - port)), conv.rank, conv.channel_axis(), channels, &values))
    return false;
  out->factor = node.known_type() == mul ? values : std::vector<float>(n, 1);
  out->shift.assign(n, 0);
  if (node.known_type() == add) out->shift = values;
  if (node.known_type() == sub) {
    for (size_t i = 0; i < n; ++i) out->shift[i] = -values[i];
  }
  return true;
}

/// Multiplies the `bytes` of a filter, each output channel with its factor. `from` may lie at any alignment.
void Scale(const void *from, uint64_t bytes, const std::vector<float> &factor, bool hwcn, float *to) {
  const size_t total = bytes / sizeof(float), channels = factor.size(), each = total / channels;
  const auto value = [from](size_t i) {
    float f;
    std::memcpy(&f, static_cast<const char *>(from) + i * sizeof f, sizeof f);
    return f;
  };
  if (hwcn) {
    for (size_t i = 0; i < total; i += channels)
      for (size_t c = 0; c < channels; ++c) to[i + c] = value(i + c) * factor[c];
  } else {
    for (size_t c = 0; c < channels; ++c)
      for (size_t i = c * each; i < (c + 1) * each; ++i) to[i] = value(i) * factor[c];
  }
}

/// The filter that somebody still has to read, scaled. It holds on to the filter's content, whose buffer may be
/// discarded.
class ScaledFilterContent final : public DeferredContent {
 public:
  ScaledFilterContent(std::shared_ptr<const DeferredContent> filter, uint64_t bytes, std::vector<float> factor,
                      bool hwcn)
      : filter_(std::move(filter)), bytes_(bytes), factor_(std::move(factor)), hwcn_(hwcn) {}

  void Write(void *to) const override {
    Scale(filter_->InPlace(), bytes_, factor_, hwcn_, static_cast<float *>(to));
    filter_->Leave();
  }
  std::string Identity() const override {
    const std::string of = filter_->Identity();
    if (of.empty()) return "";
    return of + (hwcn_ ? "*h" : "*o") +
           std::string(reinterpret_cast<const char *>(factor_.data()), factor_.size() * sizeof(float));
  }

 private:
  const std::shared_ptr<const DeferredContent> filter_;
  const uint64_t bytes_;
  const std::vector<float> factor_;
  const bool hwcn_;
};

/// The same for a transposed convolution: [in][out of a group][taps] or [taps][out of a group][in]. Which group it is,
/// the input channel tells.
TensorPtr ScaledTransposed(const ConvSite &conv, const std::vector<float> &factor, const Tensor &old) {
  auto buffer = Buffer::Allocate(old.bytes());
  const float *from = old.as<float>();
  float *to = static_cast<float *>(buffer->data());
  const size_t total = old.bytes() / sizeof(float), channels = factor.size();
  const Shape &shape = old.desc.shape;
  const bool last = FilterIsHwcn(conv);
  const size_t in = static_cast<size_t>(shape[last ? conv.rank - 1 : 0]);
  const size_t out = static_cast<size_t>(shape[last ? conv.rank - 2 : 1]);
  const size_t each = in / (channels / out), taps = total / in / out;
  for (size_t i = 0; i < total; ++i) {
    const size_t from_channel = last ? i % in : i / taps / out, to_channel = last ? i / in % out : i / taps % out;
    to[i] = from[i] * factor[from_channel / each * out + to_channel];
  }
  return std::make_shared<Tensor>(old.desc, std::move(buffer));
}

TensorPtr ScaledFilter(const ConvSite &conv, const std::vector<float> &factor) {
  TensorPtr old = ConstantOf(conv.filter);
  if (conv.transposed) return ScaledTransposed(conv, factor, *old);
  const bool hwcn = FilterIsHwcn(conv);
  std::shared_ptr<const DeferredContent> content = old->buffer->deferred();
  std::shared_ptr<Buffer> buffer;
  if (content && content->InPlace()) {
    buffer = Buffer::Defer(old->bytes(),
                           std::make_shared<ScaledFilterContent>(std::move(content), old->bytes(), factor, hwcn));
  } else {
    buffer = Buffer::AllocateUnset(old->bytes());
    Scale(old->data(), old->bytes(), factor, hwcn, static_cast<float *>(buffer->data()));
  }
  return std::make_shared<Tensor>(old->desc, std::move(buffer));
}

const char kFuseConvBatchNormRule[] = "FuseConvBatchNorm";

/// Says to who asks that a reader which could be folded is not the only one. Null.
Node *TellReaders(Editor &editor, Node *node, const ConvSite &conv) {
  if (!editor.ctx.why_not) return nullptr;
  for (const Use &use : node->uses(0)) {
    Affine affine;
    if (!ReadAffine(*use.node, use.port, conv, &affine)) continue;
    const bool is_output = editor.IsOutput({node, 0});
    editor.ctx.Declined(kFuseConvBatchNormRule, *use.node,
                        {is_output ? Str(node->Label(), " is an output of the graph")
                                   : Str(node->uses(0).size(), " nodes read ", node->Label()),
                         "a convolution that it alone reads", Mismatch::kReader});
  }
  return nullptr;
}

/// Folds the only reader of the convolution; the new convolution, or null.
Node *FoldReader(Editor &editor, Node *node) {
  ConvSite conv;
  if (!ReadAnyConv(node, &conv) || conv.fused) return nullptr;
  Epilogue reach;
  reach.last = {node, 0};
  int32_t port;
  Node *reader = reach.Reader(editor, &port);
  if (!reader) return TellReaders(editor, node, conv);
  Affine affine;
  if (!ReadAffine(*reader, port, conv, &affine)) return nullptr;
  editor.ctx.At(kFuseConvBatchNormRule, reader);
  editor.ctx.Tried(kFuseConvBatchNormRule);
  auto declined = [&](const Refusal &why) {
    editor.ctx.Declined(kFuseConvBatchNormRule, *reader, why);
    return nullptr;
  };
  bool scales = false;
  for (float f : affine.factor) {
    if (!std::isfinite(f)) return declined({"a factor is not finite", "finite factors"});
    scales |= f != 1;
  }
  if (scales && !ConstantOf(conv.filter))
    return declined({"the filter is no constant", "a constant filter", Mismatch::kConstant});
  TensorPtr old_bias = conv.bias ? ConstantOf(conv.bias) : nullptr;
  if (conv.bias && (!old_bias || old_bias->desc.shape.elements() != conv.out_channels))
    return declined({"the bias is no constant", "a constant bias", Mismatch::kConstant});
  std::vector<float> bias = affine.shift;
  if (old_bias) {
    for (size_t c = 0; c < bias.size(); ++c) bias[c] += old_bias->as<float>()[c] * affine.factor[c];
  }
  Transaction attempt(editor.graph.root());
  const bool was_changed = editor.changed;
  Endpoint filter = conv.filter;
  if (scales) {
    filter = editor.Constant(ScaledFilter(conv, affine.factor), filter.node->name(), {filter.node, reader});
    TensorDesc desc = DescOf(conv.filter);  // the layout may be said on the node only
    editor.graph.SetOutputDesc(filter.node, 0, std::move(desc));
  }
  Endpoint shift = editor.Constant(FloatTensor(Shape{conv.out_channels}, bias), node->name() + "_bias", {reader});
  std::vector<Endpoint> inputs = {conv.x, filter, shift};
  if (conv.transposed) inputs.insert(inputs.begin(), node->input(0));
  Node *made =
      editor.Make(node->type().c_str(), node->name(), inputs, ConvAttrs(conv), {node, reader}, &reader->output_desc(0));
  if (Refusal why; !FusionPays(editor.ctx, *made, {node, reader}, &why)) {
    editor.changed = was_changed;
    return declined(why);
  }
  attempt.Commit();
  editor.ctx.Applied(kFuseConvBatchNormRule);
  editor.Replace({reader, 0}, {made, 0});
  return made;
}

}  // namespace

bool FuseConvBatchNorm(Graph &graph, PassContext &ctx) {
  if (!HasConv(graph)) return false;
  Editor editor(graph, ctx, kFuseConvBatchNormRule);
  for (Node *node : graph.TopologicalOrder()) {
    while (node && !node->removed()) node = FoldReader(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
