// Elementwise operators that feed each other become one loop over their elements.
//
// Regions of nodes that go together are groups of nodes with provably equal shapes (core/pattern/convex_groups.h).
#include <algorithm>
#include <cstring>
#include <map>

#include "core/passes/builtin.h"
#include "core/passes/elementwise_table.h"
#include "core/passes/epilogue.h"
#include "core/passes/fusion_cost.h"
#include "core/pattern/convex_groups.h"
#include "ge/fused_program.h"

namespace gec {
namespace {

const char kFuseElementwiseRule[] = "FuseElementwise";
constexpr size_t kMostInstructions = 256;
constexpr size_t kMostInputs = 32;

/// Numbers for shapes: equal numbers mean provably equal shapes.
class ShapeClasses {
 public:
  explicit ShapeClasses(size_t nodes) : first_port_(nodes, -1) {}
  /// The class of a node's output, given those of its inputs. `elementwise`: its shape is the inputs' broadcast.
  int Of(const Node &node, bool elementwise) {
    const TensorDesc &desc = node.output_desc(0);
    if (desc.shape.determined()) return Known(desc);
    int found = elementwise ? FromInputs(node) : -1;
    return found >= 0 ? found : next_++;
  }
  int At(Endpoint e) {
    int &number = Place(e);
    if (number < 0) number = DescOf(e).shape.determined() ? Known(DescOf(e)) : next_++;
    return number;
  }
  void Set(Endpoint e, int number) { Place(e) = number; }

 private:
  int &Place(Endpoint e) {
    if (e.port == 0) return first_port_[e.node->id()];
    return other_ports_.try_emplace(static_cast<uint64_t>(e.node->id()) << 32 | static_cast<uint32_t>(e.port), -1)
        .first->second;
  }
  int Known(const TensorDesc &desc) {
    const bool blocked = desc.format == C_FORMAT_NC1HWC0;
    if (last_ >= 0 && !blocked && desc.shape == last_shape_) return last_;
    std::vector<int64_t> key{blocked ? 1 : 0};
    key.insert(key.end(), desc.shape.dims().begin(), desc.shape.dims().end());
    if (blocked) key.insert(key.end(), desc.origin_shape.dims().begin(), desc.origin_shape.dims().end());
    auto [at, fresh] = known_.try_emplace(std::move(key), next_);
    if (fresh) ++next_;
    if (!blocked) {
      last_ = at->second;
      last_shape_ = desc.shape;
    }
    return at->second;
  }
  /// Spreads over a shape with unknown dimensions without changing it.
  static bool Within(const Shape &small, const Shape &large) {
    if (!small.known() || !large.has_rank() || small.rank() > large.rank()) return false;
    size_t lead = large.dims().size() - small.dims().size();
    for (size_t i = 0; i < small.dims().size(); ++i) {
      if (small[i] != 1 && small[i] != large[i + lead]) return false;
    }
    return true;
  }
  int FromInputs(const Node &node) {
    for (size_t k = 0; k < node.input_count(); ++k) {
      Endpoint e = node.input(k);
      if (!e || DescOf(e).shape.determined()) continue;
      int number = At(e);
      bool fits = true;
      for (size_t i = 0; i < node.input_count() && fits; ++i) {
        Endpoint other = node.input(i);
        fits = i == k || !other || (At(other) == number || Within(DescOf(other).shape, DescOf(e).shape));
      }
      if (fits) return number;
    }
    return -1;
  }
  std::map<std::vector<int64_t>, int> known_;
  std::vector<int> first_port_;  // by node id; -1: not asked yet
  std::unordered_map<uint64_t, int> other_ports_;
  int next_ = 0;
  int last_ = -1;  // class of last_shape_, a plain one: neighbours mostly have equal shapes
  Shape last_shape_;
};

/// Per node and piece: which piece it is in, and its number in that piece's program. Shared by all pieces, so that a
/// piece costs as much as it has nodes.
struct Slot {
  uint32_t piece = 0;
  int64_t number = 0;
};

/// Nodes made meanwhile have no slot and are in no piece.
bool InPiece(const std::vector<Slot> &slots, const Node *node, uint32_t piece) {
  return node->id() < slots.size() && slots[node->id()].piece == piece;
}

/// A number of the program in place of an operand: a float32 constant, or a stored byte.
bool NumberBeside(Endpoint e, const Node *reader, double *value) {
  if (ScalarBeside(e, {const_cast<Node *>(reader), 0}, value)) return true;
  const TensorPtr t = e ? ConstantOf(e) : nullptr;
  if (!t || t->bytes() != 1 || DescOf(e).shape.rank() > reader->output_desc(0).shape.rank()) return false;
  if (t->desc.dtype == C_DT_INT8) *value = *t->as<int8_t>();
  else if (t->desc.dtype == C_DT_UINT8) *value = *t->as<uint8_t>();
  else return false;
  return true;
}

size_t InstructionsOf(const ElementwiseOp &op) { return op.form == ElementwiseOp::Form::kInstruction ? 1 : 4; }

/// The instruction list of one kernel while it grows.
class ProgramBuilder {
 public:
  ProgramBuilder(std::vector<Slot> *slots, uint32_t piece) : slots_(*slots), piece_(piece) {}
  size_t instructions() const { return code_.size() / GE_FUSED_WORDS; }
  const std::vector<Endpoint> &inputs() const { return inputs_; }
  bool Inside(const Node *node) const { return InPiece(slots_, node, piece_); }

  /// First every node's operands, so that inputs have their numbers, then Emit in the same order.
  void Read(Endpoint e, const Node *reader) {
    double value;
    if (!e || Inside(e.node) || NumberBeside(e, reader, &value)) return;
    if (std::find(inputs_.begin(), inputs_.end(), e) == inputs_.end()) inputs_.push_back(e);
  }
  void Computes(const Node *node) { slots_[node->id()] = {piece_, 0}; }

  void Emit(const Node *node, const ElementwiseOp &op) {
    if (op.form == ElementwiseOp::Form::kQuantize) return EmitQuantize(node);
    if (op.form == ElementwiseOp::Form::kDequantize) return EmitDequantize(node);
    int64_t operand[3];
    for (int i = 0; i < 3; ++i) {
      int from = op.operands[i];
      if (from == kOperandNone) operand[i] = GE_FUSED_NONE;
      else if (from == kOperandAttr0) operand[i] = Number(op.attrs[0]);
      else if (from == kOperandAttr1) operand[i] = Number(op.attrs[1]);
      else operand[i] = Value(node->input(static_cast<size_t>(from)), node);
    }
    double exponent;
    int64_t result;
    if (op.opcode == GE_FUSED_POW && ScalarOf(node->input(1), &exponent) && (exponent == 2 || exponent == 3)) {
      result = Add(GE_FUSED_SQUARE, operand[0], GE_FUSED_NONE, GE_FUSED_NONE);
      if (exponent == 3) result = Add(GE_FUSED_MUL, result, operand[0], GE_FUSED_NONE);
    } else {
      result = Add(op.opcode, operand[0], operand[1], operand[2]);
    }
    if (op.negate) result = Add(GE_FUSED_NOT, result, GE_FUSED_NONE, GE_FUSED_NONE);
    slots_[node->id()].number = result;
  }
  int64_t NumberOf(const Node *node) const { return slots_[node->id()].number; }
  void EmitDequantize(const Node *node) {
    int64_t result = Value(node->input(0), node);
    if (HasZero(node)) result = Add(GE_FUSED_SUB, result, Value(node->input(2), node), GE_FUSED_NONE);
    slots_[node->id()].number = Add(GE_FUSED_MUL, result, Value(node->input(1), node), GE_FUSED_NONE);
  }
  /// An output of 8 bits rounds and saturates as it is stored; who reads the value here needs that done.
  void EmitQuantize(const Node *node) {
    bool read = false;
    for (const Use &use : node->uses(0)) read |= Inside(use.node);
    int64_t result = Add(GE_FUSED_DIV, Value(node->input(0), node), Value(node->input(1), node), GE_FUSED_NONE);
    const bool zero = HasZero(node);
    if (zero || read) result = Add(GE_FUSED_ROUND, result, GE_FUSED_NONE, GE_FUSED_NONE);
    if (zero) result = Add(GE_FUSED_ADD, result, Value(node->input(2), node), GE_FUSED_NONE);
    const bool is_signed = node->output_desc(0).dtype == C_DT_INT8;
    if (read)
      result = Add(GE_FUSED_CLIP, result, Number(is_signed ? -128.0f : 0.0f), Number(is_signed ? 127.0f : 255.0f));
    slots_[node->id()].number = result;
  }
  std::vector<int64_t> code_;
  std::vector<float> constants_;

 private:
  bool HasZero(const Node *node) const {
    double value = 1;
    return node->input_count() > 2 && node->input(2) && !(NumberBeside(node->input(2), node, &value) && value == 0);
  }
  int64_t Number(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    auto [at, fresh] = constant_number_.try_emplace(bits, -1 - static_cast<int64_t>(constants_.size()));
    if (fresh) constants_.push_back(value);
    return at->second;
  }
  int64_t Value(Endpoint e, const Node *reader) {
    if (Inside(e.node)) return NumberOf(e.node);
    auto input = std::find(inputs_.begin(), inputs_.end(), e);
    if (input != inputs_.end()) return input - inputs_.begin();
    double value = 0;
    NumberBeside(e, reader, &value);
    return Number(static_cast<float>(value));
  }
  int64_t Add(int opcode, int64_t a, int64_t b, int64_t c) {
    int64_t dst = static_cast<int64_t>(inputs_.size() + instructions());
    code_.insert(code_.end(), {opcode, dst, a, b, c});
    return dst;
  }
  std::vector<Slot> &slots_;
  const uint32_t piece_;
  std::vector<Endpoint> inputs_;  // kMostInputs at most
  std::unordered_map<uint32_t, int64_t> constant_number_;
};

class Fuser {
 public:
  explicit Fuser(Editor &editor)
      : editor_(editor), order_(editor.graph.TopologicalOrder()), classes_(editor.graph.id_limit()) {
    info_.resize(editor.graph.id_limit());
    kinds_.assign(info_.size(), -1);
    slots_.resize(info_.size());
  }

  void Run() {
    Label();
    Emit();
  }

 private:
  struct Info {
    ElementwiseOp op;
    bool output = false;
  };
  Info &Of(const Node *node) { return info_[node->id()]; }

  bool Eligible(const Node *node, ElementwiseOp *op) {
    if (Editor::HasControl(*node) || (!ElementwiseOf(*node, op) && !TruthOf(*node, op) && !QuantizedOf(*node, op)))
      return false;
    if (!node->output_desc(0).shape.has_rank()) return false;
    // A constant that becomes a number of the program has no rank there: another operand must bring that of the result.
    int32_t rank = -1;
    for (size_t i = 0; i < node->input_count(); ++i) {
      double value;
      Endpoint e = node->input(i);
      if (!e) continue;  // a zero point that is not there
      if (!DescOf(e).shape.has_rank()) return false;
      if (!NumberBeside(e, node, &value)) rank = std::max(rank, DescOf(e).shape.rank());
      // One storage layout: a blocked tensor is only read beside others of its shape.
      bool blocked = node->output_desc(0).format == C_FORMAT_NC1HWC0;
      if (!NumberBeside(e, node, &value) && (DescOf(e).format == C_FORMAT_NC1HWC0) != blocked) return false;
    }
    return rank == node->output_desc(0).shape.rank();
  }

  void Label() {
    for (Endpoint e : editor_.graph.Outputs()) {
      if (e) Of(e.node).output = true;
    }
    for (Node *node : order_) {
      if (!Eligible(node, &Of(node).op)) continue;
      kinds_[node->id()] = classes_.Of(*node, true);
      classes_.Set({node, 0}, kinds_[node->id()]);
    }
  }

  void Emit() {
    const std::vector<std::vector<Node *>> regions = ConvexGroups(editor_.graph, order_, kinds_);
    // From the end: then every removed reader is the last in its producer's list, however long that is.
    for (size_t i = regions.size(); i-- > 0;) Split(regions[i]);
  }

  /// Pieces of a region in topological order, so that they only feed later ones.
  void Split(const std::vector<Node *> &region) {
    std::vector<std::vector<Node *>> pieces(1);
    std::vector<Endpoint> inputs;  // of the last piece
    size_t instructions = 0;       // of the last piece, at most
    uint32_t inside = ++piece_;    // marks its nodes
    std::vector<Endpoint> fresh;
    for (Node *node : region) {
      fresh.clear();
      for (size_t i = 0; i < node->input_count(); ++i) {
        Endpoint e = node->input(i);
        double value;
        if (e && !InPiece(slots_, e.node, inside) && !NumberBeside(e, node, &value) && !Has(inputs, e) &&
            !Has(fresh, e))
          fresh.push_back(e);
      }
      if (instructions + InstructionsOf(Of(node).op) + 1 > kMostInstructions ||
          inputs.size() + fresh.size() > kMostInputs) {
        pieces.emplace_back();
        inside = ++piece_;
        inputs.clear();
        instructions = 0;
        for (size_t i = 0; i < node->input_count(); ++i) {
          Endpoint e = node->input(i);
          double value;
          if (e && !NumberBeside(e, node, &value) && !Has(inputs, e)) inputs.push_back(e);
        }
      } else {
        inputs.insert(inputs.end(), fresh.begin(), fresh.end());
      }
      instructions += InstructionsOf(Of(node).op);
      slots_[node->id()].piece = inside;
      pieces.back().push_back(node);
    }
    for (size_t i = pieces.size(); i-- > 0;) {
      if (pieces[i].size() >= 2) Fuse(pieces[i]);
    }
  }

  static bool Has(const std::vector<Endpoint> &list, Endpoint e) {
    return std::find(list.begin(), list.end(), e) != list.end();
  }

  /// Truth values alone are handled faster as the bytes they are.
  static bool Computes(const std::vector<Node *> &piece) {
    return std::any_of(piece.begin(), piece.end(), [](const Node *node) {
      return node->output_desc(0).dtype == C_DT_FLOAT || IsFloat32(node->input(0));
    });
  }

  void Fuse(const std::vector<Node *> &piece) {
    if (!Computes(piece)) return;
    editor_.ctx.At(kFuseElementwiseRule, piece.back());
    editor_.ctx.Tried(kFuseElementwiseRule);
    ProgramBuilder program(&slots_, ++piece_);
    for (const Node *node : piece) program.Computes(node);
    for (const Node *node : piece) {
      for (size_t i = 0; i < node->input_count(); ++i) program.Read(node->input(i), node);
    }
    for (const Node *node : piece) program.Emit(node, Of(node).op);

    std::vector<Node *> delivers;
    std::vector<int64_t> outputs, types;
    for (Node *node : piece) {
      bool out = Of(node).output;
      for (const Use &use : node->uses(0)) out |= !program.Inside(use.node);
      if (!out) continue;
      delivers.push_back(node);
      outputs.push_back(program.NumberOf(node));
      types.push_back(node->output_desc(0).dtype);
    }
    if (delivers.empty()) {
      editor_.ctx.Declined(kFuseElementwiseRule, *piece.back(), {"nothing reads the chain", "a chain that is read"});
      return;
    }
    Transaction attempt(editor_.graph.root());
    const bool was_changed = editor_.changed;
    std::vector<Editor::Attr> attrs{
        {"program", program.code_}, {"constants", program.constants_}, {"outputs", outputs}};
    if (std::count(types.begin(), types.end(), C_DT_FLOAT) != static_cast<std::ptrdiff_t>(types.size()))
      attrs.emplace_back("output_types", types);
    const std::vector<const Node *> parts(piece.begin(), piece.end());
    Node *made = editor_.Make("FusedElementwise", delivers.back()->name(), program.inputs(), attrs, parts,
                              &delivers[0]->output_desc(0), static_cast<int32_t>(delivers.size()));
    for (size_t o = 1; o < delivers.size(); ++o) {
      TensorDesc desc = delivers[o]->output_desc(0);
      desc.attrs = nullptr;
      editor_.graph.SetOutputDesc(made, o, std::move(desc));
    }
    Refusal why;
    if (!FusionTaken(editor_.ctx, *made, parts, &why)) {
      editor_.changed = was_changed;
      editor_.ctx.Declined(kFuseElementwiseRule, *piece.back(), why);
      return;
    }
    for (size_t o = delivers.size(); o-- > 0;) editor_.Replace({delivers[o], 0}, {made, static_cast<int32_t>(o)});
    for (size_t i = piece.size(); i-- > 0;) {
      if (!piece[i]->removed()) editor_.Sweep(piece[i]);
    }
    attempt.Commit();
    editor_.ctx.Applied(kFuseElementwiseRule);
  }

  Editor &editor_;
  std::vector<Node *> order_;
  std::vector<int32_t> kinds_;  // shape classes of nodes that may be fused, by id; negative: no such node
  std::vector<Info> info_;
  std::vector<Slot> slots_;
  uint32_t piece_ = 0;  // the newest number given
  ShapeClasses classes_;
};

}  // namespace

bool FuseElementwise(Graph &graph, PassContext &ctx) {
  Editor editor(graph, ctx, kFuseElementwiseRule);
  Fuser(editor).Run();
  return editor.changed;
}

}  // namespace gec
