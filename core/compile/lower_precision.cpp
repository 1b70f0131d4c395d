// Constant matrices of products and tables in the precision that the program allows (options precision, …).
//
// Behind the library's fusions, which know products of float32: what they made of a product is kept. A node whose
// weights stay as they are says why in the report; a program that wants to hear of it as an error says so.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "core/compile/bf16.h"
#include "core/compile/compile_passes.h"
#include "core/ops/traits.h"
#include "core/passes/editor.h"
#include "core/passes/fusion_cost.h"
#include "core/passes/precision.h"
#include "core/passes/product.h"
#include "core/passes/quantize_weights.h"
#include "core/placement/regions.h"
#include "core/support/warnings.h"

namespace gec {
namespace {

const char kLowerRule[] = "LowerPrecision";
constexpr uint64_t kLeastSaved = 32 << 10;  // bytes, below which a node stays as it is unless it is named

bool IsFp32Matrix(const TensorPtr &t) {
  return t && t->desc.dtype == C_DT_FLOAT && t->desc.shape.rank() >= 2 && t->desc.shape.elements() > 0;
}

/// A table that rows are picked from.
bool ReadsTable(const Node &node) {
  static const Symbol gather("Gather"), gather2("GatherV2"), batch("batch_dims");
  const Symbol type = node.known_type();
  if (type != gather && type != gather2) return false;
  std::vector<int64_t> axis{0};
  if (type == gather2 && !IntsAt(node, 2, &axis)) return false;
  const TensorPtr table = ConstantInput(node, 0);
  return IsFp32Matrix(table) && table->desc.shape.rank() == 2 && axis.size() == 1 && (axis[0] == 0 || axis[0] == -2) &&
         node.Int(batch, 0) == 0;
}

bool IsFloating(int32_t type) {
  return type == C_DT_FLOAT || type == C_DT_FLOAT16 || type == C_DT_BF16 || type == C_DT_DOUBLE;
}

/// A constant matrix of floats where the prototypes have weights: the filter of a convolution, the weights of a
/// recurrence, the right operand of a product that is not written the usual way.
TensorPtr WeightsOfOther(const Node &node) {
  static const Symbol kPorts[] = {Symbol("filter"),       Symbol("weight"),        Symbol("w"),
                                  Symbol("weight_input"), Symbol("weight_hidden"), Symbol("x2")};
  if (!IsPure(node) || IsControlFlow(node) || HasTrait(node, GE_TRAIT_ELEMENTWISE) || IsView(node)) return nullptr;
  for (const Symbol &name : kPorts) {
    const int ir = node.ir().FindInput(name);
    if (ir < 0) continue;
    const auto [first, count] = node.InputRange(static_cast<size_t>(ir));
    if (count == 0 || !node.input(static_cast<size_t>(first))) continue;
    const TensorPtr t = ConstantOf(node.input(static_cast<size_t>(first)));
    if (t && IsFloating(t->desc.dtype) && t->desc.shape.rank() >= 2 && t->desc.shape.elements() > 0) return t;
  }
  return nullptr;
}

bool IsRecurrence(const Node &node) {
  static const Symbol lstm("CommonLSTM"), gru("CommonGRU");
  return node.known_type() == lstm || node.known_type() == gru;
}

/// Those of x and those of the state.
std::array<TensorPtr, 2> WeightsOfRecurrence(const Node &node) {
  return {ConstantInput(node, 1), ConstantInput(node, 2)};
}

/// As if they were one.
TensorDesc AllWeights(const Node &node, const TensorDesc &first) {
  if (!IsRecurrence(node)) return first;
  int64_t count = 0;
  for (const TensorPtr &weights : WeightsOfRecurrence(node)) count += weights ? weights->desc.shape.elements() : 0;
  return TensorDesc(first.dtype, Shape{count});
}

/// "fp32" for float32, else the type's own name.
std::string NameOfType(int32_t type) { return type == C_DT_FLOAT ? NameOf(Precision::kFp32) : GeDataTypeName(type); }

/// The decision for a node.
struct Outcome {
  enum Kind { kDone, kDoesNotPay, kCannot } kind = kCannot;
  std::string why;
  uint64_t bytes = 0;
  static Outcome Cannot(std::string why) { return {kCannot, std::move(why), 0}; }
};

class Lowering {
 public:
  Lowering(Graph &root, PassContext &ctx, PrecisionChoice choice)
      : root_(root), ctx_(ctx), choice_(std::move(choice)), fitted_(choice_.rules.size()) {}

  bool Run() {
    RunOn(root_);
    for (const GraphPtr &sub : root_.subgraphs()) RunOn(*sub);
    for (size_t i = 0; i < fitted_.size(); ++i)
      if (!fitted_[i])
        Left(
            Str("pattern '", choice_.rules[i].pattern, "' of option precision.nodes decides for no node with weights"));
    ctx_.At(kLowerRule, nullptr);
    if (!left_.empty()) {
      const std::string more = left_count_ > 1 ? Str(", and ", left_count_ - 1, " more; the report has the nodes") : "";
      if (choice_.strict) Fail(GE_UNSUPPORTED, "option precision.strict: ", left_, more);
      Warn(Str("precision: ", left_, more));
    }
    if (!notes_.empty()) AddPrecisionNotes(root_, notes_);
    ctx_.Changes(lowered_);
    return lowered_ != 0;
  }

 private:
  void RunOn(Graph &graph) {
    static const Symbol attention("ScaledDotProductAttention");
    if (SkipsOptimization(graph)) return;
    const bool region = IsRegion(graph);
    Editor editor(graph, ctx_, kLowerRule);
    Bf16Nodes bf16(editor);
    std::vector<Node *> tables;
    for (Node *node : graph.TopologicalOrder()) {
      if (node->removed()) continue;
      Product p;
      ConvSite conv;
      if (ReadProduct(node, &p)) {
        LowerProduct(bf16, editor, &p, region);
      } else if (ReadConv(node, &conv) && ConstantOf(conv.filter)) {
        LowerConv(bf16, conv, region);
      } else if (node->known_type() == attention) {
        LowerAttention(bf16, node, region);
      } else if (ReadsTable(*node)) {
        // Behind the products: where a table is the weights of one too, it goes only if no other needs it.
        tables.push_back(node);
      } else if (const TensorPtr weights = WeightsOfOther(*node)) {
        const TensorDesc all = AllWeights(*node, weights->desc);
        if (all.bytes() >= kLeastSaved || choice_.RuleFor(*node) >= 0) LowerOther(editor, node, all, region);
      }
    }
    bf16.Narrow();
    for (Node *node : tables) LowerTable(editor, node, region);
  }

  void LowerConv(Bf16Nodes &bf16, const ConvSite &site, bool region) {
    const TensorPtr filter = ConstantOf(site.filter);
    const int rule = choice_.RuleFor(*site.node);
    if (filter->bytes() < kLeastSaved && choice_.For(rule) != Precision::kBf16 && rule < 0) return;
    Decide(
        *site.node, filter->desc,
        [&](Precision asked, bool named) {
          if (asked != Precision::kBf16) return Outcome::Cannot(NoKernel(*site.node));
          if (Editor::HasControl(*site.node)) return Outcome::Cannot("it has control edges");
          if (!named && !Gains(site))
            return Outcome{Outcome::kDoesNotPay,
                           "so few products for each value of x take longer to round than to compute", 0};
          return InBf16(bf16.Conv(site, filter), *filter);
        },
        region ? &site.node->graph() : nullptr);
  }

  /// It has no weights: precisions of weights are not for it, and where it stays in float32 nothing is missing.
  void LowerAttention(Bf16Nodes &bf16, Node *node, bool region) {
    const int rule = choice_.RuleFor(*node);
    const Precision asked = choice_.For(rule);
    if (asked != Precision::kBf16 && (asked != Precision::kFp32 || rule < 0)) return;
    Decide(
        *node, TensorDesc(C_DT_FLOAT, Shape{0}),
        [&](Precision, bool) {
          std::string why = Editor::HasControl(*node) ? "it has control edges" : bf16.Attention(node);
          if (why.empty()) return Outcome{Outcome::kDone, "query, key and value rounded to bf16, scores in fp32", 0};
          return Outcome{Outcome::kDoesNotPay, std::move(why), 0};
        },
        region ? &node->graph() : nullptr);
  }

  static std::string NoKernel(const Node &node) {
    return node.pinned() ? "the program chose its engine"
                         : Str("no kernel of ", node.type().str(), " takes such weights");
  }

  /// Rounding x is reading and writing it once more.
  static bool Gains(const ConvSite &site) {
    constexpr int64_t kLeastProducts = 16;  // of a value of x
    if (Bf16Nodes::FollowsBf16(site)) return true;
    const Shape &filter = DescOf(site.filter).shape;
    int64_t products = filter.elements(), channels = DescOf(site.x).shape[static_cast<size_t>(site.channel_axis())];
    for (int64_t stride : site.node->Ints("strides")) products /= std::max<int64_t>(stride, 1);
    return products >= kLeastProducts * std::max<int64_t>(channels, 1);
  }

  static Outcome InBf16(std::string why, const Tensor &weights) {
    if (!why.empty()) return Outcome::Cannot(std::move(why));
    return {Outcome::kDone, "x rounded to bf16, sums in fp32", weights.bytes() / 2};
  }

  void LowerOther(Editor &editor, Node *node, const TensorDesc &weights, bool region) {
    const int rule = choice_.RuleFor(*node);
    if (weights.dtype == C_DT_BF16 && choice_.For(rule) == Precision::kBf16) {  // of an offline model
      if (rule >= 0) fitted_[static_cast<size_t>(rule)] = true;
      return;
    }
    const auto lower = [&](Precision asked, bool) {
      if (weights.dtype != C_DT_FLOAT)
        return Outcome::Cannot(Str("its weights are ", GeDataTypeName(weights.dtype), ", not DT_FLOAT"));
      if (asked == Precision::kBf16 && IsRecurrence(*node) && !node->pinned())
        return RecurrenceInBf16(editor, node, weights);
      return Outcome::Cannot(NoKernel(*node));
    };
    Decide(*node, weights, lower, region ? &node->graph() : nullptr);
  }

  /// Its kernel rounds the weights when it packs them: the graph keeps those in float32, and says what may be rounded.
  Outcome RecurrenceInBf16(Editor &editor, Node *node, const TensorDesc &all) {
    static const Symbol compute_type("_compute_type");
    if (Editor::HasControl(*node)) return Outcome::Cannot("it has control edges");
    for (const TensorPtr &weights : WeightsOfRecurrence(*node))
      if (!weights || !FitsBf16(*weights))
        return Outcome::Cannot("a weight is beyond the range of bf16, or no constant");
    editor.graph.SetAttr(node, compute_type, int64_t{C_DT_BF16});
    Refusal why;
    if (!FusionTaken(ctx_, *node, {node}, &why)) {
      editor.graph.RemoveAttr(node, compute_type);
      return Outcome::Cannot(std::move(why.actual));
    }
    editor.changed = true;
    return {Outcome::kDone, "x, the state and weights rounded to bf16, sums in fp32", all.bytes() / 2};
  }

  /// Asks for a node and notes the outcome.
  template <class F>
  void Decide(const Node &node, const TensorDesc &weights, F lower, const Graph *region) {
    const int rule = choice_.RuleFor(node);
    const Precision asked = choice_.For(rule);
    if (rule >= 0) fitted_[static_cast<size_t>(rule)] = true;
    PrecisionNote note;
    note.node = node.OriginText(), note.type = node.type().str(), note.asked = NameOf(asked);
    const std::string label = node.Label();
    Outcome outcome;
    if (asked == Precision::kFp32) {
      outcome = {Outcome::kDoesNotPay, "asked for", 0};
    } else if (region) {
      outcome = Outcome::Cannot(Str("engine ", RegionEngine(*region), " took it as part of a region"));
    } else {
      ctx_.At(kLowerRule, &node);
      ctx_.Tried(kLowerRule);
      outcome = lower(asked, rule >= 0);
      if (outcome.kind == Outcome::kDone) ctx_.Applied(kLowerRule), ++lowered_;
      else ctx_.Declined(kLowerRule, node, {outcome.why, Str("weights of ", NameOf(asked))});
    }
    const bool done = outcome.kind == Outcome::kDone;
    note.ran = done ? note.asked : NameOfType(weights.dtype);
    note.bytes = done ? outcome.bytes : weights.bytes();
    note.before = static_cast<uint64_t>(weights.shape.elements()) * sizeof(float);
    note.why = outcome.why;
    if (outcome.kind == Outcome::kCannot)
      Left(Str(label, " runs in ", note.ran, ", not ", note.asked, ": ", outcome.why));
    notes_.push_back(std::move(note));
  }

  void Left(std::string text) {
    if (left_count_++ == 0) left_ = std::move(text);
  }

  void LowerProduct(Bf16Nodes &bf16, Editor &editor, Product *p, bool region) {
    const TensorPtr weights = ConstantOf(p->x[1]), other = ConstantOf(p->x[0]);
    if (!weights && !other) return;  // two values that a run computes: there are no weights
    const Node &node = *p->node;
    Decide(
        node, weights ? weights->desc : other->desc,
        [&](Precision asked, bool named) {
          if (!weights) return Outcome::Cannot("its constant is the left operand");
          if (asked == Precision::kBf16) return ProductInBf16(bf16, *p, weights, named);
          return LowerRightOperand(editor, *p, weights, asked, named);
        },
        region ? &editor.graph : nullptr);
  }

  static Outcome ProductInBf16(Bf16Nodes &bf16, const Product &p, const TensorPtr &weights, bool named) {
    if (std::string why = UnfitShape(p, *weights); !why.empty()) return Outcome::Cannot(std::move(why));
    if (Outcome cheap = Saves(weights->bytes(), weights->bytes() / 2, named); cheap.kind != Outcome::kDone)
      return cheap;
    return InBf16(bf16.Product(p, weights), *weights);
  }

  static std::string UnfitShape(const Product &p, const Tensor &weights) {
    const Shape &x = DescOf(p.x[0]).shape, &w = weights.desc.shape;
    if (p.adjoint[0]) return "its left operand is transposed";
    if (Editor::HasControl(*p.node)) return "it has control edges";
    if (w.rank() < 2 || w.elements() != w[static_cast<size_t>(w.rank() - 2)] * w[static_cast<size_t>(w.rank() - 1)] ||
        w.elements() == 0)
      return Str("its weights have shape ", w.str(), ", which is no matrix");
    if (!x.has_rank() || x.rank() < w.rank()) return Str("its left operand has shape ", x.str());
    return "";
  }

  Outcome LowerRightOperand(Editor &editor, const Product &p, const TensorPtr &weights, Precision asked, bool named) {
    if (std::string why = UnfitShape(p, *weights); !why.empty()) return Outcome::Cannot(std::move(why));
    const Shape &shape = weights->desc.shape;
    const size_t last = static_cast<size_t>(shape.rank() - 1), inner = p.adjoint[1] ? last : last - 1;
    WeightMatrix m;
    m.by_columns = p.adjoint[1];
    m.k = shape[inner], m.n = shape[last + last - 1 - inner];
    if (p.bias && DescOf(p.bias).shape != Shape{m.n})
      return Outcome::Cannot(Str("its bias has shape ", DescOf(p.bias).shape.str()));
    const int64_t bits = WeightBits(asked);
    if (Outcome cheap = Saves(weights->bytes(), QuantizedBytes(bits, m.k, m.n), named); cheap.kind != Outcome::kDone)
      return cheap;
    m.values = weights->as<float>();
    if (std::string why = m.Unfit(p.scale); !why.empty()) return Outcome::Cannot(std::move(why));
    Made &q = Quantized(weights, m, bits, p.scale);
    Transaction attempt(editor.graph.root());
    const Constants c = ConstantsOf(editor, q, p.x[1], q.weights.numbers);
    Node *made = editor.Make("WeightOnlyQuantizedMatMul", p.node->name(),
                             {p.x[0], c.numbers, c.scale, c.zero, {}, p.bias, p.residual},
                             {{"k", m.k},
                              {"block_size", q.weights.block},
                              {"bits", bits},
                              {"activation", p.activation.name},
                              {"alpha", p.activation.alpha},
                              {"beta", p.activation.beta}},
                             {p.node}, &p.node->output_desc(0));
    Refusal why;
    if (!FusionPays(ctx_, *made, {p.node}, &why)) return Outcome::Cannot(std::move(why.actual));
    editor.Replace({p.node, 0}, {made, 0});
    attempt.Commit();
    q.constants = c;
    return {Outcome::kDone, Str("blocks of ", q.weights.block, " values, sums in fp32"), q.weights.bytes()};
  }

  static Outcome Saves(uint64_t before, uint64_t after, bool named) {
    if (after < before && (named || before - after >= kLeastSaved)) return {Outcome::kDone, "", after};
    const std::string saved = after < before ? Str("only ", before - after, " bytes") : "nothing";
    return {named ? Outcome::kCannot : Outcome::kDoesNotPay, Str("it would save ", saved), 0};
  }

  struct Constants {
    const Graph *graph = nullptr;
    Endpoint numbers, scale, zero;
  };
  /// Weights of few bits, and the constants that hold them for nodes of one kind in one graph.
  struct Made {
    std::weak_ptr<Buffer> source;  // while it is there, its address belongs to no other
    QuantizedWeights weights;
    Constants constants;
  };

  /// Those that several nodes read are made once.
  Made &Quantized(const TensorPtr &value, const WeightMatrix &m, int64_t bits, double factor, bool table = false) {
    Made &made = quantized_[{value->buffer.get(), table, m.by_columns, m.k, bits, factor}];
    if (made.source.lock() != value->buffer) made = {value->buffer, Quantize(m, bits, factor), {}};
    return made;
  }

  /// The same constants for all nodes of a graph: models that share weights keep sharing them.
  static Constants ConstantsOf(Editor &editor, const Made &q, Endpoint from, const TensorPtr &numbers) {
    if (q.constants.graph == &editor.graph) return q.constants;
    const auto constant = [&](const TensorPtr &value) {
      return value ? editor.Constant(value, from.node->name(), {from.node}) : Endpoint();
    };
    return {&editor.graph, constant(numbers), constant(q.weights.scale), constant(q.weights.zero)};
  }

  /// Every reader of the table picks rows of it and may do so from few bits.
  bool OnlyTables(Endpoint table, Precision asked) const {
    for (const Use &use : table.node->uses(static_cast<size_t>(table.port)))
      if (use.port != 0 || !ReadsTable(*use.node) || choice_.For(choice_.RuleFor(*use.node)) != asked ||
          Editor::HasControl(*use.node))
        return false;
    return true;
  }

  void LowerTable(Editor &editor, Node *node, bool region) {
    const TensorPtr table = ConstantInput(*node, 0);
    Decide(
        *node, table->desc, [&](Precision asked, bool named) { return LowerRows(editor, node, table, asked, named); },
        region ? &editor.graph : nullptr);
  }

  Outcome LowerRows(Editor &editor, Node *node, const TensorPtr &table, Precision asked, bool named) {
    if (asked == Precision::kBf16) return {Outcome::kDoesNotPay, "it computes nothing", 0};
    if (Editor::HasControl(*node)) return Outcome::Cannot("it has control edges");
    const int64_t bits = WeightBits(asked);
    const int64_t rows = table->desc.shape[0], columns = table->desc.shape[1], block = BlockOf(bits, columns);
    if (columns % block != 0)
      return Outcome::Cannot(Str("its rows have ", columns, " values, which is no multiple of ", block));
    if (Outcome cheap = Saves(table->bytes(), QuantizedBytes(bits, columns, rows), named); cheap.kind != Outcome::kDone)
      return cheap;
    if (!OnlyTables(node->input(0), asked))
      return {named ? Outcome::kCannot : Outcome::kDoesNotPay,
              "others read the table in another precision, so nothing would be saved", 0};
    const WeightMatrix m{table->as<float>(), columns, rows, true};
    if (std::string why = m.Unfit(1); !why.empty()) return Outcome::Cannot(std::move(why));
    Made &q = Quantized(table, m, bits, 1, true);
    // Rows without the division into blocks; halves are numbers of their own type.
    const TensorPtr &numbers = q.weights.numbers;
    const bool halves = asked == Precision::kFp16Weights;
    TensorDesc desc(halves ? C_DT_FLOAT16 : C_DT_UINT8, Shape{rows, halves ? columns : columns / 8 * bits});
    const auto flat = std::make_shared<Tensor>(std::move(desc), numbers->buffer);
    q.constants = ConstantsOf(editor, q, node->input(0), flat);
    Node *made = editor.Make("GatherBlockQuantized", node->name(),
                             {q.constants.numbers, node->input(1), q.constants.scale, q.constants.zero},
                             {{"bits", halves ? int64_t{4} : bits},  // of bytes only
                              {"block_size", q.weights.block},
                              {"gather_axis", 0},
                              {"quantize_axis", 1},
                              {"checked", true}},
                             {node}, &node->output_desc(0));
    editor.Replace({node, 0}, {made, 0});
    return {Outcome::kDone, Str("blocks of ", q.weights.block, " values"), q.weights.bytes()};
  }

  Graph &root_;
  PassContext &ctx_;
  const PrecisionChoice choice_;
  std::vector<bool> fitted_;  // rules
  std::vector<PrecisionNote> notes_;
  std::string left_;  // the first node that cannot do what is asked
  size_t left_count_ = 0, lowered_ = 0;
  std::map<std::tuple<const Buffer *, bool, bool, int64_t, int64_t, double>, Made> quantized_;
};

}  // namespace

bool LowerPrecision(Graph &root, PassContext &context) {
  PrecisionChoice choice(context.options);
  return choice.Asks() && Lowering(root, context, std::move(choice)).Run();
}

}  // namespace gec
