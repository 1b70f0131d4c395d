// Small identities of arithmetic and of shapes. Float results stay within rounding of the original.
#include <algorithm>
#include <cmath>

#include "core/ops/traits.h"
#include "core/passes/builtin.h"
#include "core/passes/conv.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

struct Site {
  Editor &editor;
  Node *node;
  Endpoint in(size_t i) const { return i < node->input_count() ? node->input(i) : Endpoint(); }
  Endpoint out() const { return {node, 0}; }
  const TensorDesc &desc() const { return node->output_desc(0); }
  Endpoint Make(const char *type, const std::vector<Endpoint> &inputs,
                const std::vector<Editor::Attr> &attrs = {}) const {
    return {editor.Make(type, node->name(), inputs, attrs, {node}, &desc()), 0};
  }
  Endpoint Make(const char *type, const std::vector<Endpoint> &inputs, const Node *also) const {
    return {editor.Make(type, node->name(), inputs, {}, {node, also}, &desc()), 0};
  }
};

bool IsType(Endpoint e, const char *type) { return e && e.port == 0 && e.node->known_type().view() == type; }

/// Every element of the constant is `wanted`.
bool AllEqual(Endpoint e, double wanted) {
  TensorPtr t = ConstantOf(e);
  if (!t || t->bytes() == 0 || t->bytes() > (1 << 20)) return false;
  switch (t->desc.dtype) {
    case C_DT_FLOAT:
      return std::all_of(t->as<float>(), t->as<float>() + t->bytes() / 4, [&](float v) { return v == wanted; });
    case C_DT_INT32:
      return std::all_of(t->as<int32_t>(), t->as<int32_t>() + t->bytes() / 4, [&](int32_t v) { return v == wanted; });
    case C_DT_INT64:
      return std::all_of(t->as<int64_t>(), t->as<int64_t>() + t->bytes() / 8,
                         [&](int64_t v) { return double(v) == wanted; });
    default:
      return false;
  }
}

/// Combining x with the constant does not change x's shape or type.
bool KeepsShape(const Site &s, Endpoint x, Endpoint constant) {
  if (DescOf(x).dtype != s.desc().dtype) return false;
  if (DescOf(x).shape.determined()) return DescOf(x).shape == s.desc().shape;
  const Shape &c = DescOf(constant).shape;
  if (!c.known() || c.elements() != 1) return false;
  return c.rank() == 0 || (DescOf(x).shape.has_rank() && c.rank() <= DescOf(x).shape.rank());
}

/// An operand of a commutative node that is the neutral element gives the other one.
Endpoint Neutral(const Site &s, double neutral, bool either) {
  if (s.in(1) && AllEqual(s.in(1), neutral) && KeepsShape(s, s.in(0), s.in(1))) return s.in(0);
  if (either && s.in(0) && AllEqual(s.in(0), neutral) && KeepsShape(s, s.in(1), s.in(0))) return s.in(1);
  return {};
}

Endpoint AddZero(const Site &s) { return Neutral(s, 0, true); }
Endpoint SubZero(const Site &s) { return Neutral(s, 0, false); }
Endpoint MulOne(const Site &s) { return Neutral(s, 1, true); }
Endpoint DivOne(const Site &s) { return Neutral(s, 1, false); }

bool Moderate(double v) { return std::abs(v) >= 1e-9 && std::abs(v) <= 1e9; }

/// (x * a) * b
Endpoint MulChain(const Site &s) {
  for (size_t k = 0; k < 2; ++k) {
    Endpoint inner = s.in(k);
    double b, a;
    if (!IsType(inner, "Mul") || !IsFloat32(inner) || !ScalarBeside(s.in(1 - k), inner, &b) || !s.editor.OnlyUse(inner))
      continue;
    for (size_t j = 0; j < 2; ++j) {
      Endpoint x = inner.node->input(j), c = inner.node->input(1 - j);
      if (ConstantOf(x) || !ScalarBeside(c, x, &a) || !Moderate(a) || !Moderate(b)) continue;
      Endpoint product =
          s.editor.Constant(ScalarTensor(static_cast<float>(a * b)), s.node->name() + "_factor", {s.node});
      return s.Make("Mul", {x, product}, inner.node);
    }
  }
  return {};
}

/// x / c = x * (1 / c)
/// 1 / v has no rounding: v is a power of two.
bool ReciprocalIsExact(float v) {
  int exponent;
  return std::abs(std::frexp(v, &exponent)) == 0.5f;
}

/// x / c as x * (1 / c), where no result changes: other reciprocals are rounded, and one unit in the last place decides
/// where Round, Floor or a cast follows and the quotient lies between two integers. A convolution's result is the
/// exception: the factor ends in its weights, which are rounded anyway.
Endpoint DivByConstant(const Site &s) {
  TensorPtr c = s.in(1) ? ConstantOf(s.in(1)) : nullptr;
  if (!c || c->desc.dtype != C_DT_FLOAT || ConstantOf(s.in(0)) || c->bytes() == 0 || c->bytes() > (1 << 20)) return {};
  ConvSite conv;
  const bool into_weights = s.in(0) && ReadConv(s.in(0).node, &conv);
  std::vector<float> inverse(c->as<float>(), c->as<float>() + c->bytes() / sizeof(float));
  for (float &v : inverse) {
    if (!Moderate(v) || !(into_weights || ReciprocalIsExact(v))) return {};
    v = static_cast<float>(1.0 / v);
  }
  return s.Make(
      "Mul", {s.in(0), s.editor.Constant(FloatTensor(c->desc.shape, inverse), s.node->name() + "_factor", {s.node})});
}

/// 1 / x and 1 / sqrt(x)
Endpoint OneOver(const Site &s) {
  double one;
  if (!s.in(1) || !IsFloat32(s.in(1)) || !ScalarBeside(s.in(0), s.in(1), &one) || one != 1) return {};
  return s.Make("Reciprocal", {s.in(1)});
}
Endpoint ReciprocalOfSqrt(const Site &s) {
  Endpoint root = s.in(0);
  if (!IsType(root, "Sqrt") || !IsFloat32(root) || !s.editor.OnlyUse(root)) return {};
  return s.Make("Rsqrt", {root.node->input(0)}, root.node);
}

Endpoint TwiceTheSame(const Site &s) {  // Neg, LogicalNot, Reciprocal are their own inverses
  Endpoint inner = s.in(0);
  if (!inner || inner.node->known_type() != s.node->known_type()) return {};
  return inner.node->input(0);
}
Endpoint Idempotent(const Site &s) {  // Relu, Abs, Floor …
  Endpoint inner = s.in(0);
  return inner && inner.node->known_type() == s.node->known_type() ? inner : Endpoint();
}

Endpoint PowConstant(const Site &s) {
  double exponent;
  if (!IsFloat32(s.in(0)) || !ScalarBeside(s.in(1), s.in(0), &exponent)) return {};
  if (exponent == 1) return s.in(0);
  if (exponent == 2) return s.Make("Square", {s.in(0)});
  return {};
}

Endpoint MakeReshape(const Site &s, Endpoint x, const std::vector<int64_t> &shape, const Node *also) {
  Endpoint target = s.editor.Constant(IntTensor(shape), s.node->name() + "_shape", {s.node});
  std::vector<const Node *> from = {s.node};
  if (also) from.push_back(also);
  return {s.editor.Make("Reshape", s.node->name(), {x, target}, {}, from, &s.desc()), 0};
}

/// The shape as a Reshape operand: at most one unknown dimension, and no zeros, whose meaning depends on the input.
bool AsTarget(const Shape &shape, std::vector<int64_t> *target) {
  if (!shape.has_rank()) return false;
  target->assign(shape.dims().begin(), shape.dims().end());
  for (int64_t &extent : *target)
    extent = std::max<int64_t>(extent, GE_UNKNOWN_DIM);  // symbolic ones are unknown as well
  return std::count(target->begin(), target->end(), 0) == 0 &&
         std::count(target->begin(), target->end(), GE_UNKNOWN_DIM) <= 1;
}

/// A view of a view, where neither reads the bytes as another type, which a reshape cannot.
Endpoint ViewOfView(const Site &s) {
  Endpoint inner = s.in(0);
  std::vector<int64_t> target;
  if (!inner || inner.port != 0 || !IsView(*inner.node) || inner.node->input(0).node == nullptr) return {};
  if (Editor::HasControl(*inner.node) || s.node->output_count() != 1) return {};
  const int32_t dtype = s.desc().dtype;
  if (DescOf(inner).dtype != dtype || DescOf(inner.node->input(0)).dtype != dtype) return {};
  if (!AsTarget(s.desc().shape, &target)) return {};
  return MakeReshape(s, inner.node->input(0), target, inner.node);
}

Endpoint TransposeChain(const Site &s) {
  Endpoint inner = s.in(0);
  std::vector<int64_t> first, second;
  if (!IsType(inner, "Transpose") || !IntsAt(*inner.node, 1, &first) || !IntsAt(*s.node, 1, &second) ||
      first.size() != second.size())
    return {};
  std::vector<int64_t> perm;
  for (int64_t p : second) {
    if (p < 0 || static_cast<size_t>(p) >= first.size()) return {};
    perm.push_back(first[static_cast<size_t>(p)]);
  }
  Endpoint order = s.editor.Constant(IntTensor(perm), s.node->name() + "_perm", {s.node});
  return s.Make("Transpose", {inner.node->input(0), order}, inner.node);
}

/// Only dimensions of size 1 move: the elements stay in order.
Endpoint TransposeOfOnes(const Site &s) {
  std::vector<int64_t> perm, target;
  const Shape &x = DescOf(s.in(0)).shape;
  if (!x.determined() || !IntsAt(*s.node, 1, &perm) || static_cast<int32_t>(perm.size()) != x.rank()) return {};
  int64_t last = -1;
  for (int64_t p : perm) {
    if (p < 0 || p >= x.rank()) return {};
    if (x[static_cast<size_t>(p)] == 1) continue;
    if (p < last) return {};
    last = p;
  }
  return AsTarget(s.desc().shape, &target) ? MakeReshape(s, s.in(0), target, nullptr) : Endpoint();
}

/// A reduction over dimensions of size 1.
Endpoint ReduceOverOnes(const Site &s) {
  std::vector<int64_t> axes, target;
  const Shape &x = DescOf(s.in(0)).shape;
  if (!x.determined() || !IntsAt(*s.node, 1, &axes) || axes.empty() || DescOf(s.in(0)).dtype != s.desc().dtype)
    return {};
  for (int64_t a : axes) {
    if (a < 0) a += x.rank();
    if (a < 0 || a >= x.rank() || x[static_cast<size_t>(a)] != 1) return {};
  }
  if (s.desc().shape == x) return s.in(0);
  return AsTarget(s.desc().shape, &target) && s.desc().shape.determined() ? MakeReshape(s, s.in(0), target, nullptr)
                                                                          : Endpoint();
}

/// The mean over all pixels of an image.
Endpoint MeanOfPixels(const Site &s) {
  static const Symbol keep("keep_dims");
  std::vector<int64_t> axes;
  const TensorDesc &x = DescOf(s.in(0));
  if (x.dtype != C_DT_FLOAT || x.shape.rank() != 4 || !s.node->Bool(keep) || !IntsAt(*s.node, 1, &axes) ||
      axes.size() != 2)
    return {};
  for (int64_t &a : axes) a = a < 0 ? a + 4 : a;
  std::sort(axes.begin(), axes.end());
  if (axes[0] != 2 || axes[1] != 3) return {};
  return s.Make("GlobalAveragePool", {s.in(0)});
}

/// A clamp between two constants after a Relu or another clamp of wider bounds changes nothing more.
Endpoint ClipOfRelu(const Site &s) {
  double low;
  if (!IsType(s.in(0), "Relu") || !ScalarOf(s.in(1), &low) || low < 0 || !s.editor.OnlyUse(s.in(0))) return {};
  return s.Make("ClipByValueV2", {s.in(0).node->input(0), s.in(1), s.in(2)}, s.in(0).node);
}

struct Entry {
  const char *type;
  const char *rule;
  Endpoint (*rewrite)(const Site &);
};
const Entry kEntries[] = {
    {"Add", "AddZero", AddZero},
    {"Sub", "SubZero", SubZero},
    {"Mul", "MulOne", MulOne},
    {"Mul", "MulChain", MulChain},
    {"RealDiv", "DivOne", DivOne},
    {"RealDiv", "DivByConstant", DivByConstant},
    {"RealDiv", "OneOver", OneOver},
    {"Div", "DivOne", DivOne},
    {"Div", "DivByConstant", DivByConstant},
    {"Reciprocal", "ReciprocalOfSqrt", ReciprocalOfSqrt},
    {"Neg", "TwiceTheSame", TwiceTheSame},
    {"LogicalNot", "TwiceTheSame", TwiceTheSame},
    {"Relu", "Idempotent", Idempotent},
    {"Abs", "Idempotent", Idempotent},
    {"Floor", "Idempotent", Idempotent},
    {"Ceil", "Idempotent", Idempotent},
    {"Pow", "PowConstant", PowConstant},
    {"Transpose", "TransposeChain", TransposeChain},
    {"Transpose", "TransposeOfOnes", TransposeOfOnes},
    {"ReduceMean", "ReduceOverOnes", ReduceOverOnes},
    {"ReduceMean", "MeanOfPixels", MeanOfPixels},
    {"ReduceSum", "ReduceOverOnes", ReduceOverOnes},
    {"ReduceMax", "ReduceOverOnes", ReduceOverOnes},
    {"ReduceMin", "ReduceOverOnes", ReduceOverOnes},
    {"ReduceProd", "ReduceOverOnes", ReduceOverOnes},
    {"ClipByValueV2", "ClipOfRelu", ClipOfRelu},
};
const Entry kViewEntry = {"", "ViewOfView", ViewOfView};  // for every operator that is a view

using Entries = std::vector<const Entry *>;

/// The rewrites that start at the node, or null.
const Entries *EntriesOf(const Node &node) {
  static const auto *by_type = [] {
    auto *map = new std::unordered_map<Symbol, Entries>();
    for (const Entry &entry : kEntries) (*map)[entry.type].push_back(&entry);
    return map;
  }();
  static const Entries *views = new Entries{&kViewEntry};
  auto at = by_type->find(node.known_type());
  if (at != by_type->end()) return &at->second;
  return IsView(node) ? views : nullptr;
}

}  // namespace

bool AlgebraicSimplify(Graph &graph, PassContext &ctx) {
  Editor editor(graph, ctx, "AlgebraicSimplify");
  // In topological order one sweep sees what the rewrites before it made of the producers.
  for (Node *start : graph.TopologicalOrder()) {
    Node *node = start;
    for (int steps = 0; node && !node->removed() && steps < 8; ++steps) {
      const Entries *entries = EntriesOf(*node);
      if (!entries || !node->input_count() || !node->input(0) || Editor::HasControl(*node)) break;
      Node *next = nullptr;
      for (const Entry *entry : *entries) {
        ctx.At(entry->rule, node);
        ctx.Tried(entry->rule);
        Endpoint result = entry->rewrite({editor, node});
        if (!result) continue;
        bool pass_through = IsDataType(result.node->type()) || IsConstType(result.node->type());
        if (pass_through && editor.IsOutput({node, 0})) continue;  // an output stays a computed value
        ctx.Applied(entry->rule);
        editor.Replace({node, 0}, result);
        next = result.node;
        break;
      }
      node = next;
    }
  }
  return editor.changed;
}

}  // namespace gec
