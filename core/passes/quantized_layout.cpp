// Quantised convolutions work on images whose channels lie together (NHWC), and so does what lies between them:
// operators element by element, pooling, concatenation of channels, quantisation with one scale. Transposes stand where
// such an island begins and ends, one per value.
#include <algorithm>
#include <map>

#include "core/ops/op_desc.h"
#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/elementwise_table.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/quantized.h"

namespace gec {
namespace {

const char kQuantizedLayoutRule[] = "QuantizedLayout";

using Order = std::vector<int64_t>;
const Order kToLast = {0, 2, 3, 1}, kToFirst = {0, 3, 1, 2};

Order Permuted(const std::vector<int64_t> &values, const Order &order) {
  Order out;
  for (int64_t i : order) out.push_back(values[static_cast<size_t>(i)]);
  return out;
}

TensorDesc DescInOrder(const TensorDesc &plain, const Order &order) {
  TensorDesc desc(plain.dtype, plain.shape);
  std::vector<int64_t> dims(plain.shape.dims().begin(), plain.shape.dims().end());
  Shape shape = plain.shape;
  for (size_t i = 0; i < 4; ++i) shape[i] = dims[static_cast<size_t>(order[i])];
  desc.SetShape(shape);
  desc.format = desc.origin_format = order == kToLast ? C_FORMAT_NHWC : C_FORMAT_NCHW;
  return desc;
}

bool IsImage(Endpoint e) {
  const TensorDesc &d = DescOf(e);
  return d.shape.has_rank() && d.shape.rank() == 4 && (d.format == C_FORMAT_ND || d.format == C_FORMAT_NCHW);
}

/// Attributes of a convolution or pooling that follow the order of its dimensions, as they will be.
std::vector<std::pair<Symbol, AttrValue>> WindowWithChannelsLast(const Node &node) {
  static const Symbol data_format("data_format"), strides("strides"), dilations("dilations"), ksize("ksize");
  std::vector<std::pair<Symbol, AttrValue>> attrs;
  for (Symbol name : {strides, dilations, ksize}) {
    const std::vector<int64_t> list = node.Ints(name);
    if (list.size() == 4) attrs.emplace_back(name, Permuted(list, kToLast));
  }
  if (node.attr(data_format)) attrs.emplace_back(data_format, "NHWC");
  return attrs;
}

bool IsOneElement(const TensorDesc &d) {
  return d.shape.has_rank() &&
         std::all_of(d.shape.dims().begin(), d.shape.dims().end(), [](int64_t e) { return e == 1; });
}

class ChannelsLast {
 public:
  explicit ChannelsLast(Editor &editor) : editor_(editor), graph_(editor.graph) {}

  /// True where something was turned.
  bool Run() {
    for (Node *node : graph_.TopologicalOrder()) {
      if (Editor::HasControl(*node) || node->ir().own_kernel || node->pinned() || node->output_count() != 1 ||
          !IsImage({node, 0}))
        continue;
      Turn(node);
    }
    for (Node *node : made_) {
      if (!node->removed() && node->uses(0).empty() && !node->IsGraphOutput()) editor_.Sweep(node);
    }
    return turned_;
  }

 private:
  enum class Kind { kNone, kConv, kPool, kConcat, kElementwise, kQuantize };

  static Kind KindOf(const Node &node) {
    static const auto *kinds = new std::unordered_map<Symbol, Kind>{
        {"QuantizedConv2D", Kind::kConv}, {"MaxPoolV3", Kind::kPool},          {"AvgPoolV2", Kind::kPool},
        {"ConcatV2", Kind::kConcat},      {"QuantizeLinear", Kind::kQuantize}, {"DequantizeLinear", Kind::kQuantize}};
    const auto at = kinds->find(node.known_type());
    if (at != kinds->end()) return at->second;
    ElementwiseOp op;
    const bool any_layout = HasTrait(node, GE_TRAIT_LAYOUT_AGNOSTIC) && HasTrait(node, GE_TRAIT_ELEMENTWISE);
    return any_layout || ElementwiseOf(node, &op) ? Kind::kElementwise : Kind::kNone;
  }

  static uint64_t Key(Endpoint e) { return static_cast<uint64_t>(e.node->id()) << 32 | static_cast<uint32_t>(e.port); }
  bool IsLast(Endpoint e) const { return e && last_.count(Key(e)) != 0; }

  void Turn(Node *node) {
    const Kind kind = KindOf(*node);
    std::vector<size_t> inputs;  // that are turned
    static const Symbol data_format("data_format");
    switch (kind) {
      case Kind::kNone:
        return;
      case Kind::kConv:
        if (node->String(data_format, "NCHW") != "NCHW" || !node->input(0) || !IsImage(node->input(0))) return;
        inputs = {0};
        break;
      case Kind::kPool:
        if (node->String(data_format, "NCHW") != "NCHW" || !IsLast(node->input(0))) return;
        inputs = {0};
        break;
      case Kind::kQuantize:
        if (!IsLast(node->input(0)) || !IsOneElement(node->input_desc(1))) return;
        inputs = {0};
        break;
      case Kind::kConcat:
        if (!ConcatInputs(*node, &inputs)) return;
        break;
      case Kind::kElementwise:
        if (!ElementwiseInputs(*node, &inputs)) return;
        break;
    }
    editor_.ctx.At(kQuantizedLayoutRule, node);
    editor_.ctx.Tried(kQuantizedLayoutRule);
    Apply(node, kind, inputs);
  }

  bool ConcatInputs(const Node &node, std::vector<size_t> *inputs) const {
    const size_t parts = node.input_count() - 1;
    std::vector<int64_t> axis;
    if (!IntsAt(node, parts, &axis) || axis.size() != 1 || (axis[0] != 1 && axis[0] != -3)) return false;
    size_t last = 0;
    for (size_t i = 0; i < parts; ++i) {
      inputs->push_back(i);
      last += IsLast(node.input(i));
    }
    return 2 * last > parts;
  }

  /// Images of the result's shape come turned, and constants with one value per channel; numbers stay.
  bool ElementwiseInputs(const Node &node, std::vector<size_t> *inputs) const {
    bool any = false;
    for (size_t i = 0; i < node.input_count(); ++i) {
      const Endpoint e = node.input(i);
      if (!e || IsOneElement(DescOf(e))) continue;
      if (!IsLast(e) && !PerChannel(e)) return false;
      any |= IsLast(e);
      inputs->push_back(i);
    }
    return any;
  }
  static bool PerChannel(Endpoint e) {
    if (!ConstantOf(e)) return false;
    const Shape &s = DescOf(e).shape;
    const int64_t rank = static_cast<int64_t>(s.dims().size());
    return (rank == 3 || (rank == 4 && s[0] == 1)) && s[static_cast<size_t>(rank - 1)] == 1 &&
           s[static_cast<size_t>(rank - 2)] == 1;
  }

  /// The value with its channels last.
  Endpoint Last(Endpoint e) {
    Endpoint &have = last_[Key(e)];
    if (have) return have;
    if (TensorPtr value = ConstantOf(e); value && PerChannel(e)) {
      const int64_t channels = value->desc.shape.dims()[value->desc.shape.dims().size() - 3];
      const TensorDesc desc(value->desc.dtype, Shape{1, 1, 1, channels});
      return have = editor_.Constant(std::make_shared<Tensor>(desc, value->buffer), e.node->name(), {e.node});
    }
    return have = Transposed(e, kToLast, DescOf(e));
  }
  Endpoint Transposed(Endpoint e, const Order &order, const TensorDesc &from) {
    const TensorDesc desc = DescInOrder(from, order);
    const Endpoint perm = editor_.Constant(IntTensor(order), e.node->name() + "_order", {e.node});
    Node *node = editor_.Make("Transpose", e.node->name() + (order == kToLast ? "_last" : "_first"), {e, perm}, {},
                              {e.node}, &desc);
    made_.push_back(node);
    return {node, 0};
  }

  void Apply(Node *node, Kind kind, const std::vector<size_t> &inputs) {
    const TensorDesc plain = node->output_desc(0);
    std::vector<std::pair<size_t, Endpoint>> before;
    for (size_t i : inputs) {
      before.emplace_back(i, node->input(i));
      SetInput(node, i, Last(node->input(i)));
    }
    const std::vector<std::pair<Symbol, AttrValue>> attrs = TurnAttributes(node, kind);
    graph_.SetOutputDesc(node, 0, DescInOrder(plain, kToLast));
    const bool counts = kind == Kind::kConv || kind == Kind::kPool;
    EngineOffer offer;
    if (counts && !editor_.ctx.supported(*OpDescView(*node).get(), &offer)) {
      editor_.ctx.Declined(
          kQuantizedLayoutRule, *node,
          {"no fast engine takes it with its channels last", "a fast engine takes it with its channels last"});
      for (const auto &[i, e] : before) SetInput(node, i, e);
      for (const auto &[name, value] : attrs) graph_.SetAttr(node, name, value);
      graph_.SetOutputDesc(node, 0, plain);
      return;
    }
    Leave(node, plain);
    editor_.ctx.Applied(kQuantizedLayoutRule);
    turned_ = true;
  }

  /// Everybody who read the node reads it with its channels first again, for now.
  void Leave(Node *node, const TensorDesc &plain) {
    const std::vector<Use> uses(node->uses(0).begin(), node->uses(0).end());
    std::vector<Endpoint> outputs = graph_.Outputs();
    const Endpoint first = Transposed({node, 0}, kToFirst, node->output_desc(0));
    TensorDesc desc = plain;  // its format included
    desc.attrs = nullptr;
    graph_.SetOutputDesc(first.node, 0, desc);
    for (const Use &use : uses) SetInput(use.node, static_cast<size_t>(use.port), first);
    if (graph_.NetOutput() == nullptr &&
        std::find(outputs.begin(), outputs.end(), Endpoint{node, 0}) != outputs.end()) {
      std::replace(outputs.begin(), outputs.end(), Endpoint{node, 0}, first);
      graph_.SetOutputs(outputs);
    }
    last_[Key(first)] = {node, 0};
  }

  /// Turns what lies in the order of the layout; returns what was there before.
  std::vector<std::pair<Symbol, AttrValue>> TurnAttributes(Node *node, Kind kind) {
    std::vector<std::pair<Symbol, AttrValue>> before;
    const auto set = [&](Symbol name, AttrValue value) {
      if (const AttrValue *had = node->attr(name)) before.emplace_back(name, *had);
      graph_.SetAttr(node, name, std::move(value));
    };
    if (kind == Kind::kConcat) {
      const Endpoint axis = editor_.Constant(IntTensor({3}), node->name() + "_axis", {node});
      SetInput(node, node->input_count() - 1, axis);
    }
    if (kind != Kind::kConv && kind != Kind::kPool) return before;
    for (const auto &[name, value] : WindowWithChannelsLast(*node)) set(name, value);
    return before;
  }

  void SetInput(Node *node, size_t i, Endpoint e) {
    if (node->input(i) != e) graph_.Reconnect(e, node, static_cast<int32_t>(i));
    if (node->explicit_input_desc(i)) graph_.SetInputDesc(node, i, DescOf(e));
  }

  Editor &editor_;
  Graph &graph_;
  std::map<uint64_t, Endpoint> last_;
  std::vector<Node *> made_;
  bool turned_ = false;
};

}  // namespace

bool PaysWithChannelsLast(Editor &editor, Node *conv, const std::vector<const Node *> &parts, Refusal *why) {
  const TensorDesc x = conv->input_desc(0), y = conv->output_desc(0);
  if (!IsImage(conv->input(0)) || !IsImage({conv, 0})) return false;
  Transaction trial(editor.graph.root());  // undone in any case
  for (const auto &[name, value] : WindowWithChannelsLast(*conv)) editor.graph.SetAttr(conv, name, value);
  editor.graph.SetInputDesc(conv, 0, DescInOrder(x, kToLast));
  editor.graph.SetOutputDesc(conv, 0, DescInOrder(y, kToLast));
  return FusionPays(editor.ctx, *conv, parts, why);
}

bool QuantizedLayout(Graph &graph, PassContext &ctx) {
  static const Symbol conv("QuantizedConv2D");
  if (!ctx.supported || !graph.Has(conv)) return false;
  Editor editor(graph, ctx, kQuantizedLayoutRule);
  return ChannelsLast(editor).Run();
}

}  // namespace gec
