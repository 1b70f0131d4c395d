// Keeps feature maps in blocks of C0 channels (NC1HWC0) from the first convolution to the last operator that
// understands it.
//
// Convolutions start it; pooling, elementwise operators, concatenation and splitting of channels, and nearest resizing
// carry it on when an engine says it takes them so. TransData nodes stand at the borders, at most one per value and
// direction.
#include <algorithm>
#include <cstring>
#include <map>

#include "core/ops/op_desc.h"
#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/elementwise_table.h"
#include "core/passes/epilogue.h"
#include "ge/fused_program.h"

namespace gec {
namespace {

const char kLayoutPropagationRule[] = "LayoutPropagation";

TensorDesc Blocked(const TensorDesc &plain, int64_t c0) {
  TensorDesc desc = plain;
  const Shape &s = plain.shape;
  desc.format = C_FORMAT_NC1HWC0;
  desc.origin_format = C_FORMAT_NCHW;
  desc.origin_shape = s;
  desc.shape = Shape{s[0], (s[1] + c0 - 1) / c0, s[2], s[3], c0};
  return desc;
}
bool IsBlocked(const TensorDesc &desc) { return desc.format == C_FORMAT_NC1HWC0; }

bool IsFp32OrBf16(const TensorDesc &d) { return d.dtype == C_DT_FLOAT || d.dtype == C_DT_BF16; }

/// A dense feature map of float32 or bf16 with so many channels; its other dimensions are positive or symbolic.
bool FeatureMap(const TensorDesc &d) {
  if (!IsFp32OrBf16(d) || (d.format != C_FORMAT_ND && d.format != C_FORMAT_NCHW) || !d.shape.determined() ||
      d.shape.rank() != 4)
    return false;
  return d.shape[1] > 0 && std::find(d.shape.dims().begin(), d.shape.dims().end(), 0) == d.shape.dims().end();
}

/// As engines see it: they know no symbolic dimensions.
TensorDesc ForEngines(TensorDesc desc) {
  for (Shape *shape : {&desc.shape, &desc.origin_shape})
    for (int64_t &extent : shape->dims()) extent = std::max<int64_t>(extent, GE_UNKNOWN_DIM);
  return desc;
}

enum class Kind { kNone, kConv, kPool, kGlobalPool, kElementwise, kConcat, kSplit, kResize, kPad };

/// Element by element in the layout of its inputs, whether or not it is an instruction of fused programs.
bool WorksInAnyLayout(const Node &node) {
  if (!HasTrait(node, GE_TRAIT_LAYOUT_AGNOSTIC) || !HasTrait(node, GE_TRAIT_ELEMENTWISE)) return false;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!node.input(i) || !IsFp32OrBf16(DescOf(node.input(i)))) return false;
  }
  return node.output_count() == 1;
}

bool IsCast(const Node &node) {
  static const Symbol cast("Cast");
  return node.known_type() == cast;
}

/// The layout a node would have.
struct Plan {
  std::vector<uint8_t> inputs;  // by port: blocked
  bool output = false;
  bool moves_lanes = false;  // a concatenation of channels that do not fill their blocks
};

class Propagation {
 public:
  explicit Propagation(Editor &editor)
      : editor_(editor), graph_(editor.graph), ctx_(editor.ctx), c0_(editor.ctx.c0), order_(graph_.TopologicalOrder()) {
    kinds_.resize(graph_.id_limit(), Kind::kNone);
    plans_.resize(graph_.id_limit());
  }

  void Run() {
    for (Node *node : order_) kinds_[node->id()] = KindOf(node);
    for (Node *node : order_) Decide(node);
    for (Node *node : order_) {
      if (plans_[node->id()]) Apply(node);
    }
    Borders();
  }

 private:
  Kind KindOf(Node *node) const {
    static const auto *pools = new std::unordered_map<Symbol, Kind>{
        {"MaxPoolV3", Kind::kPool},  {"AvgPoolV2", Kind::kPool}, {"GlobalAveragePool", Kind::kGlobalPool},
        {"ConcatV2", Kind::kConcat}, {"SplitV", Kind::kSplit},   {"Resize", Kind::kResize},
        {"PadV3", Kind::kPad}};
    static const Symbol data_format("data_format");
    if (Editor::HasControl(*node) || node->output_count() == 0 || node->input_count() == 0 || !node->input(0))
      return Kind::kNone;
    // ctx_.supported speaks of the library's kernels, and of whichever engine is first.
    if (node->ir().own_kernel || node->pinned()) return Kind::kNone;
    for (size_t o = 0; o < node->output_count(); ++o) {
      if (!FeatureMap(node->output_desc(o))) return Kind::kNone;
    }
    ConvSite conv;
    if (ReadAnyConv(node, &conv, ConvFloats::kFp32OrBf16)) {
      bool maps = FeatureMap(DescOf(conv.x)) || IsBlocked(DescOf(conv.x));
      return conv.rank != 4 || conv.channels_last || !maps ? Kind::kNone : Kind::kConv;
    }
    ElementwiseOp op;
    if (ElementwiseOf(*node, &op) || WorksInAnyLayout(*node)) return Kind::kElementwise;
    auto at = pools->find(node->known_type());
    if (at == pools->end() || node->String(data_format, "NCHW") != "NCHW") return Kind::kNone;
    if (!FeatureMap(DescOf(node->input(0)))) return Kind::kNone;
    std::vector<int64_t> axis;
    if (at->second == Kind::kConcat || at->second == Kind::kSplit) {
      size_t port = at->second == Kind::kConcat ? node->input_count() - 1 : 2;
      if (!IntsAt(*node, port, &axis) || axis.size() != 1 || (axis[0] != 1 && axis[0] != -3)) return Kind::kNone;
    }
    return at->second;
  }

  bool WillBeBlocked(Endpoint e) const {
    if (IsBlocked(DescOf(e))) return true;
    uint32_t id = e.node->id();
    return id < plans_.size() && plans_[id] && plans_[id]->output;
  }
  int64_t Channels(Endpoint e) const {
    const TensorDesc &d = DescOf(e);
    return IsBlocked(d) ? d.origin_shape[1] : d.shape[1];
  }
  bool CarriedOn(const Node *node) const {  // a reader that could go on with blocks
    for (size_t o = 0; o < node->output_count(); ++o) {
      for (const Use &use : node->uses(o)) {
        if (kinds_[use.node->id()] != Kind::kNone) return true;
      }
    }
    return false;
  }

  /// Would an engine run the node so, and none that costs less as it is?
  bool Supported(const Node *node, const Plan &plan) {
    if (!ctx_.supported) return false;
    OpDescView view(*node);
    std::vector<TensorDesc> descs;
    descs.reserve(node->input_count() + node->output_count());
    auto put = [&](GeTensorData &at, const TensorDesc &plain) {
      descs.push_back(ForEngines(Blocked(plain, c0_)));
      GeTensorData blocked = descs.back().View();
      at.format = blocked.format, at.origin_format = blocked.origin_format;
      at.rank = blocked.rank, at.origin_rank = blocked.origin_rank;
      at.dims = blocked.dims, at.origin_dims = blocked.origin_dims;
      if (at.data) at.data = nullptr, at.size = 0, at.flags &= ~(GE_TENSOR_CONSTANT | GE_TENSOR_DEFERRED);
    };
    for (size_t i = 0; i < node->input_count(); ++i) {
      if (plan.inputs[i] && !IsBlocked(node->input_desc(i))) put(view.inputs()[i], Spread(node, i));
    }
    for (size_t o = 0; o < node->output_count() && plan.output; ++o) put(view.outputs()[o], node->output_desc(o));
    EngineOffer blocked, plain;
    if (!ctx_.supported(*view.get(), &blocked)) return false;
    // It stays with an engine that costs less and takes it as it is, unless its inputs had to leave their blocks for
    // that.
    return plan.moves_lanes || blocked.cost <= ctx_.least_cost || !ctx_.supported(*OpDescView(*node).get(), &plain) ||
           plain.cost >= blocked.cost;
  }

  /// An input as a four-dimensional tensor: parameters of fewer dimensions get leading ones.
  static TensorDesc Spread(const Node *node, size_t i) {
    TensorDesc d = node->input_desc(i);
    Shape four{1, 1, 1, 1};
    for (size_t k = 0; k < d.shape.dims().size(); ++k) four[4 - d.shape.dims().size() + k] = d.shape[k];
    d.SetShape(four);
    return d;
  }

  void Decide(Node *node) {
    Plan plan;
    plan.inputs.assign(node->input_count(), 0);
    bool wanted = false;
    switch (kinds_[node->id()]) {
      case Kind::kNone:
        return;
      case Kind::kConv:
        wanted = DecideConv(node, &plan);
        break;
      case Kind::kResize:  // what becomes larger and leaves its blocks had better leave them before
      case Kind::kPad:
        if (!CarriedOn(node)) return;
        [[fallthrough]];
      case Kind::kPool:
        wanted = plan.output = WillBeBlocked(node->input(0));
        plan.inputs[0] = wanted;
        break;
      case Kind::kGlobalPool:
        wanted = WillBeBlocked(node->input(0));
        plan.inputs[0] = wanted;
        plan.output = CarriedOn(node);
        break;
      case Kind::kElementwise:
        wanted = DecideElementwise(node, &plan);
        break;
      case Kind::kConcat:
        wanted = DecideConcat(node, &plan);
        break;
      case Kind::kSplit:
        wanted = plan.output = WillBeBlocked(node->input(0)) && WholeBlocks(node);
        plan.inputs[0] = wanted;
        break;
    }
    if (!wanted) return;
    ctx_.At(kLayoutPropagationRule, node);
    ctx_.Tried(kLayoutPropagationRule);
    if (!Supported(node, plan)) {
      ctx_.Declined(kLayoutPropagationRule, *node,
                    {"no fast engine takes it in blocks of channels, or one that costs less takes it plain",
                     "a fast engine takes it in blocks of channels"});
      return;
    }
    ctx_.Applied(kLayoutPropagationRule);
    plans_[node->id()] = std::make_unique<Plan>(std::move(plan));
  }

  bool DecideConv(Node *node, Plan *plan) {
    ConvSite conv;
    ReadAnyConv(node, &conv, ConvFloats::kFp32OrBf16);
    bool blocked_source = WillBeBlocked(conv.x);
    if (!blocked_source && !CarriedOn(node)) return false;  // alone: the engine knows best
    plan->inputs[conv.x_port] = blocked_source || Channels(conv.x) >= c0_;
    plan->output = conv.out_channels >= c0_ && (CarriedOn(node) || blocked_source);
    if (conv.fused && !conv.transposed && node->input(3)) plan->inputs[3] = plan->output;
    return plan->inputs[conv.x_port] || plan->output;
  }

  /// Every operand is a scalar, or has the output's channels and broadcasts in the other dimensions only.
  bool DecideElementwise(Node *node, Plan *plan) {
    const Shape &y = node->output_desc(0).shape;
    int blocked = 0, plain = 0;
    const bool padded = y[1] % c0_ != 0;
    ElementwiseOp op;
    const bool safe_on_zeros = IsCast(*node) || (ElementwiseOf(*node, &op) && SafeOnZeros(op.opcode));
    for (size_t i = 0; i < node->input_count(); ++i) {
      Endpoint e = node->input(i);
      double value;
      if (ScalarBeside(e, {node, 0}, &value)) continue;
      const TensorDesc &d = DescOf(e);
      if (d.shape.rank() < 3 || d.shape.rank() > 4) return false;
      if (d.shape.rank() == 4 ? !d.shape.determined() : !d.shape.known()) return false;
      Shape four = Spread(node, i).shape;
      if (four[1] != y[1]) return false;
      plan->inputs[i] = 1;
      if (WillBeBlocked(e)) ++blocked;
      else if (!ConstantOf(e)) ++plain;
    }
    if (blocked == 0 || plain > blocked || (padded && !safe_on_zeros)) return false;
    plan->output = true;
    return true;
  }
  /// The channels that fill up the last block hold zeros: nothing infinite may come of them.
  static bool SafeOnZeros(int opcode);

  bool WholeBlocks(const Node *node) const {
    bool whole = true;
    for (size_t o = 0; o + 1 < node->output_count(); ++o) whole &= node->output_desc(o).shape[1] % c0_ == 0;
    return whole;
  }

  bool DecideConcat(Node *node, Plan *plan) {
    size_t parts = node->input_count() - 1, blocked = 0;
    for (size_t i = 0; i < parts; ++i) {
      Endpoint e = node->input(i);
      if (!FeatureMap(DescOf(e)) && !IsBlocked(DescOf(e))) return false;
      plan->moves_lanes |= i + 1 < parts && Channels(e) % c0_ != 0;
      blocked += WillBeBlocked(e);
      plan->inputs[i] = 1;
    }
    plan->output = true;
    return blocked * 2 > parts && (!plan->moves_lanes || CarriedOn(node));
  }

  // ---- rewriting ----

  static uint64_t Key(Endpoint e) { return static_cast<uint64_t>(e.node->id()) << 32 | static_cast<uint32_t>(e.port); }

  Endpoint Convert(Endpoint e, bool blocked) {
    std::map<uint64_t, Endpoint> &made = blocked ? to_blocked_ : to_plain_;
    Endpoint &have = made[Key(e)];
    if (have) return have;
    const TensorDesc &d = DescOf(e);
    if (TensorPtr value = blocked && IsFloat32(e) ? ConstantOf(e) : nullptr) return have = BlockedConstant(e, *value);
    TensorDesc target;
    if (blocked) {
      target = Blocked(d, c0_);
    } else {
      target = d;
      target.format = target.origin_format = C_FORMAT_NCHW;
      target.shape = d.origin_shape;
      target.origin_shape = d.origin_shape;
    }
    Endpoint source = e;
    if (blocked && d.shape.rank() != 4) source = Unsqueezed(e, &target);
    Node *node =
        editor_.Make("TransData", e.node->name() + (blocked ? "_blocked" : "_plain"), {source},
                     {{"src_format", blocked ? "NCHW" : "NC1HWC0"}, {"dst_format", blocked ? "NC1HWC0" : "NCHW"}},
                     {e.node}, &target);
    return have = {node, 0};
  }

  Endpoint Unsqueezed(Endpoint e, TensorDesc *target) {
    TensorDesc four = DescOf(e);
    Shape shape{1, 1, 1, 1};
    const auto &dims = DescOf(e).shape.dims();
    for (size_t k = 0; k < dims.size(); ++k) shape[4 - dims.size() + k] = dims[k];
    four.SetShape(shape);
    *target = Blocked(four, c0_);
    Endpoint to =
        editor_.Constant(IntTensor({shape[0], shape[1], shape[2], shape[3]}), e.node->name() + "_shape", {e.node});
    return {editor_.Make("Reshape", e.node->name(), {e, to}, {}, {e.node}, &four), 0};
  }

  /// A parameter with leading ones and its channels in blocks.
  Endpoint BlockedConstant(Endpoint e, const Tensor &value) {
    Shape four{1, 1, 1, 1};
    const auto &dims = value.desc.shape.dims();
    for (size_t k = 0; k < dims.size(); ++k) four[4 - dims.size() + k] = dims[k];
    TensorDesc plain(C_DT_FLOAT, four, C_FORMAT_NCHW);
    TensorDesc desc = Blocked(plain, c0_);
    auto buffer = Buffer::Allocate(desc.bytes());
    const float *from = value.as<float>();
    float *to = static_cast<float *>(buffer->data());
    const int64_t pixels = four[2] * four[3], blocks = desc.shape[1];
    for (int64_t n = 0; n < four[0]; ++n) {
      for (int64_t c = 0; c < four[1]; ++c) {
        for (int64_t p = 0; p < pixels; ++p)
          to[((n * blocks + c / c0_) * pixels + p) * c0_ + c % c0_] = from[(n * four[1] + c) * pixels + p];
      }
    }
    return editor_.Constant(std::make_shared<Tensor>(desc, std::move(buffer)), e.node->name() + "_blocked", {e.node});
  }

  void SetInput(Node *node, size_t i, Endpoint e) {
    if (node->input(i) != e) graph_.Reconnect(e, node, static_cast<int32_t>(i));
    if (node->explicit_input_desc(i)) graph_.SetInputDesc(node, i, DescOf(e));
    editor_.changed = true;
  }

  void Apply(Node *node) {
    const Plan &plan = *plans_[node->id()];
    for (size_t i = 0; i < node->input_count(); ++i) {
      Endpoint e = node->input(i);
      if (!e || !plan.inputs[i] || IsBlocked(DescOf(e))) continue;
      SetInput(node, i, Convert(e, true));
    }
    if (!plan.output) return;
    for (size_t o = 0; o < node->output_count(); ++o) {
      graph_.SetOutputDesc(node, o, Blocked(node->output_desc(o), c0_));
      editor_.changed = true;
    }
  }

  /// Readers that did not ask for blocks get the plain tensor.
  void Borders() {
    std::vector<Endpoint> outputs = graph_.Outputs();
    const bool listed = graph_.NetOutput() == nullptr;
    for (Node *node : order_) {
      if (!plans_[node->id()]) continue;
      const Plan &plan = *plans_[node->id()];
      for (size_t i = 0; i < node->input_count(); ++i) {  // blocks that the node reads plain
        Endpoint e = node->input(i);
        if (e && !plan.inputs[i] && IsBlocked(DescOf(e))) SetInput(node, i, Convert(e, false));
        else if (e && node->explicit_input_desc(i)) graph_.SetInputDesc(node, i, DescOf(e));
      }
      for (size_t o = 0; o < node->output_count() && plan.output; ++o) {
        Endpoint e{node, static_cast<int32_t>(o)};
        std::vector<Use> uses(node->uses(o).begin(), node->uses(o).end());
        for (const Use &use : uses) {
          uint32_t id = use.node->id();
          bool takes = id < plans_.size() ? plans_[id] && plans_[id]->inputs[static_cast<size_t>(use.port)] : true;
          if (!takes) SetInput(use.node, static_cast<size_t>(use.port), Convert(e, false));
        }
        if (listed && std::find(outputs.begin(), outputs.end(), e) != outputs.end()) {
          Endpoint plain = Convert(e, false);
          std::replace(outputs.begin(), outputs.end(), e, plain);
          graph_.SetOutputs(outputs);
        }
      }
    }
  }

  Editor &editor_;
  Graph &graph_;
  PassContext &ctx_;
  const int64_t c0_;
  std::vector<Node *> order_;
  std::vector<Kind> kinds_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::map<uint64_t, Endpoint> to_blocked_, to_plain_;
};

bool Propagation::SafeOnZeros(int opcode) {
  enum : bool { UNSAFE, SAFE };
  switch (opcode) {
#define GE_ELEMENTWISE_OPCODE(name, number, operands, formula, cost, zeros, activation) \
  case number:                                                                          \
    return zeros;
#include "ge/elementwise.def"
    default:
      return false;
  }
}

}  // namespace

bool LayoutPropagation(Graph &graph, PassContext &ctx) {
  Editor editor(graph, ctx, kLayoutPropagationRule);
  if (ctx.c0 <= 0 || !ctx.supported) return false;
  static const Symbol trans_data("TransData");
  const std::vector<Node *> inputs = graph.Inputs();
  if (!HasConv(graph) && !graph.Has(trans_data) &&
      std::none_of(inputs.begin(), inputs.end(), [](Node *node) { return IsBlocked(node->output_desc(0)); }))
    return false;  // nothing is in blocks, and nothing asks for them
  Propagation(editor).Run();
  return editor.changed;
}

}  // namespace gec
