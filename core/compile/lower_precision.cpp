// Constant matrices of products and tables in the precision that the program allows (options precision, …).
//
// Behind the library's fusions, which know products of float32: what they made of a product is kept. A node whose
// weights stay as they are says why in the report; a program that wants to hear of it as an error says so.
#include <map>
#include <tuple>
#include <utility>

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

/// The largest float32 matrix among the constants of a node that computes with them.
TensorPtr WeightsOfOther(const Node &node) {
  TensorPtr largest;
  if (!IsPure(node) || IsControlFlow(node) || HasTrait(node, GE_TRAIT_ELEMENTWISE) || IsView(node)) return nullptr;
  for (size_t i = 0; i < node.input_count(); ++i) {
    TensorPtr t = node.input(i) ? ConstantOf(node.input(i)) : nullptr;
    if (IsFp32Matrix(t) && t->bytes() >= kLeastSaved && (!largest || t->bytes() > largest->bytes())) largest = t;
  }
  return largest;
}

/// What becomes of a node.
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
        Left(Str("pattern '", choice_.rules[i].pattern, "' of option precision.nodes fits no node with weights"));
    ctx_.At(kLowerRule, nullptr);
    if (!left_.empty()) {
      const std::string more = left_count_ > 1 ? Str(", and ", left_count_ - 1, " more: the report tells all") : "";
      if (choice_.strict) Fail(GE_UNSUPPORTED, "option precision.strict: ", left_, more);
      Warn(Str("precision: ", left_, more));
    }
    if (!notes_.empty()) AddPrecisionNotes(root_, notes_);
    ctx_.Changes(lowered_);
    return lowered_ != 0;
  }

 private:
  void RunOn(Graph &graph) {
    if (SkipsOptimization(graph)) return;
    const bool region = IsRegion(graph);
    Editor editor(graph, ctx_, kLowerRule);
    std::vector<Node *> tables;
    for (Node *node : graph.TopologicalOrder()) {
      if (node->removed()) continue;
      Product p;
      if (ReadProduct(node, &p)) {
        LowerProduct(editor, &p, region);
      } else if (ReadsTable(*node)) {
        // Behind the products: where a table is the weights of one too, it goes only if no other needs it.
        tables.push_back(node);
      } else if (const TensorPtr weights = WeightsOfOther(*node)) {
        Decide(
            *node, weights->bytes(),
            [&](Precision, bool) {
              return Outcome::Cannot(node->pinned() ? "the program chose its engine"
                                                    : Str("no kernel of ", node->type().str(), " takes such weights"));
            },
            region ? &graph : nullptr);
      }
    }
    for (Node *node : tables) LowerTable(editor, node, region);
  }

  /// Asks for a node and notes what became of it.
  template <class F>
  void Decide(const Node &node, uint64_t before, F lower, const Graph *region) {
    const int rule = choice_.RuleFor(node);
    const Precision asked = choice_.For(rule);
    if (rule >= 0) fitted_[static_cast<size_t>(rule)] = true;
    PrecisionNote note;
    note.node = node.OriginText(), note.type = node.type().str(), note.asked = NameOf(asked);
    const std::string label = node.Label();
    Outcome outcome;
    if (asked == Precision::kFp32) {
      outcome = {Outcome::kDoesNotPay, "asked for", 0};
    } else if (asked == Precision::kBf16) {
      outcome = Outcome::Cannot("there are no kernels for bf16");
    } else if (region) {
      outcome = Outcome::Cannot(Str("engine ", RegionEngine(*region), " took it as part of a region"));
    } else {
      ctx_.At(kLowerRule, &node);
      ctx_.Tried(kLowerRule);
      outcome = lower(asked, rule >= 0);
      if (outcome.kind == Outcome::kDone) ctx_.Applied(kLowerRule), ++lowered_;
      else ctx_.Declined(kLowerRule, Str(label, ": ", outcome.why));
    }
    const bool done = outcome.kind == Outcome::kDone;
    note.ran = NameOf(done ? asked : Precision::kFp32);
    note.bytes = done ? outcome.bytes : before, note.before = before;
    note.why = outcome.why;
    if (outcome.kind == Outcome::kCannot) Left(Str(label, " runs in fp32, not ", note.asked, ": ", outcome.why));
    notes_.push_back(std::move(note));
  }

  void Left(std::string text) {
    if (left_count_++ == 0) left_ = std::move(text);
  }

  void LowerProduct(Editor &editor, Product *p, bool region) {
    const TensorPtr weights = ConstantOf(p->x[1]), other = ConstantOf(p->x[0]);
    if (!weights && !other) return;  // two values that a run computes: there are no weights
    const Node &node = *p->node;
    Decide(
        node, weights ? weights->bytes() : other->bytes(),
        [&](Precision asked, bool named) {
          if (!weights) return Outcome::Cannot("its constant is the left operand");
          return LowerRightOperand(editor, *p, weights, asked, named);
        },
        region ? &editor.graph : nullptr);
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
    if (std::string why = m.Unfit(); !why.empty()) return Outcome::Cannot(std::move(why));
    const QuantizedWeights &q = Quantized(weights, m, bits, p.scale);
    Transaction attempt(editor.graph.root());
    const auto constant = [&](const TensorPtr &value) {
      return value ? editor.Constant(value, p.x[1].node->name(), {p.x[1].node}) : Endpoint();
    };
    Node *made = editor.Make("WeightOnlyQuantizedMatMul", p.node->name(),
                             {p.x[0], constant(q.numbers), constant(q.scale), constant(q.zero), {}, p.bias, p.residual},
                             {{"k", m.k},
                              {"block_size", q.block},
                              {"bits", bits},
                              {"activation", p.activation.name},
                              {"alpha", p.activation.alpha},
                              {"beta", p.activation.beta}},
                             {p.node}, &p.node->output_desc(0));
    std::string why;
    if (!FusionPays(ctx_, *made, {p.node}, &why)) return Outcome::Cannot(std::move(why));
    editor.Replace({p.node, 0}, {made, 0});
    attempt.Commit();
    return {Outcome::kDone, Str("blocks of ", q.block, " values, sums in fp32"), q.bytes()};
  }

  static Outcome Saves(uint64_t before, uint64_t after, bool named) {
    if (after < before && (named || before - after >= kLeastSaved)) return {Outcome::kDone, "", after};
    const std::string saved = after < before ? Str("only ", before - after, " bytes") : "nothing";
    return {named ? Outcome::kCannot : Outcome::kDoesNotPay, Str("it would save ", saved), 0};
  }

  /// One that several nodes read is made once.
  const QuantizedWeights &Quantized(const TensorPtr &value, const WeightMatrix &m, int64_t bits, double factor) {
    auto &made = quantized_[{value->buffer.get(), m.by_columns, m.k, bits, factor}];
    if (!made.second.numbers) made = {value, Quantize(m, bits, factor)};
    return made.second;
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
        *node, table->bytes(),
        [&](Precision asked, bool named) -> Outcome {
          if (Editor::HasControl(*node)) return Outcome::Cannot("it has control edges");
          const int64_t bits = WeightBits(asked);
          const int64_t rows = table->desc.shape[0], columns = table->desc.shape[1], block = BlockOf(bits, columns);
          if (columns % block != 0)
            return Outcome::Cannot(Str("its rows have ", columns, " values, which is no multiple of ", block));
          if (Outcome cheap = Saves(table->bytes(), QuantizedBytes(bits, columns, rows), named);
              cheap.kind != Outcome::kDone)
            return cheap;
          if (!OnlyTables(node->input(0), asked))
            return {Outcome::kDoesNotPay, "others read the table in fp32, so nothing would be saved", 0};
          const WeightMatrix m{table->as<float>(), columns, rows, true};
          if (std::string why = m.Unfit(); !why.empty()) return Outcome::Cannot(std::move(why));
          const QuantizedWeights &q = Quantized(table, m, bits, 1);
          const auto constant = [&](const TensorPtr &value, Shape shape) {
            if (!value) return Endpoint();
            TensorDesc desc(value->desc.dtype, std::move(shape));
            return editor.Constant(std::make_shared<Tensor>(std::move(desc), value->buffer),
                                   node->input(0).node->name(), {node->input(0).node});
          };
          const Endpoint numbers = constant(q.numbers, Shape{rows, columns / 8 * bits});
          const Endpoint zero = q.zero ? constant(q.zero, q.zero->desc.shape) : Endpoint();
          Node *made = editor.Make(
              "GatherBlockQuantized", node->name(),
              {numbers, node->input(1), constant(q.scale, q.scale->desc.shape), zero},
              {{"bits", bits}, {"block_size", q.block}, {"gather_axis", 0}, {"quantize_axis", 1}, {"checked", true}},
              {node}, &node->output_desc(0));
          editor.Replace({node, 0}, {made, 0});
          return {Outcome::kDone, Str("blocks of ", q.block, " values"), q.bytes()};
        },
        region ? &editor.graph : nullptr);
  }

  Graph &root_;
  PassContext &ctx_;
  const PrecisionChoice choice_;
  std::vector<bool> fitted_;  // rules
  std::vector<PrecisionNote> notes_;
  std::string left_;  // the first node that cannot do what is asked
  size_t left_count_ = 0, lowered_ = 0;
  // With the tensors they were made of, whose addresses are not given to others meanwhile.
  std::map<std::tuple<const Buffer *, bool, int64_t, int64_t, double>, std::pair<TensorPtr, QuantizedWeights>>
      quantized_;
};

}  // namespace

bool LowerPrecision(Graph &root, PassContext &context) {
  PrecisionChoice choice(context.options);
  return choice.AsksForLess() && Lowering(root, context, std::move(choice)).Run();
}

}  // namespace gec
