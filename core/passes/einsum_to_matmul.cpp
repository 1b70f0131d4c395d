// An einsum of two operands that is a product of matrices, but for the order of dimensions, becomes one.
#include <algorithm>
#include <cctype>
#include <string>

#include "core/passes/builtin.h"
#include "core/passes/editor.h"

namespace gec {
namespace {

const char kEinsumRule[] = "EinsumToMatMul";

bool Has(const std::string &labels, char label) { return labels.find(label) != std::string::npos; }
/// Those of `labels` that hold for `test`, in their order.
template <class F>
std::string Those(const std::string &labels, const F &test) {
  std::string out;
  for (char label : labels)
    if (test(label)) out += label;
  return out;
}
bool Distinct(const std::string &labels) {
  return std::all_of(labels.begin(), labels.end(),
                     [&](char c) { return std::isalpha(static_cast<unsigned char>(c)); }) &&
         std::all_of(labels.begin(), labels.end(),
                     [&](char c) { return std::count(labels.begin(), labels.end(), c) == 1; });
}

struct Equation {
  std::string a, b, out;
  std::string batch, m, n, k;  // in both and the result; of a; of b; summed
};

bool ReadEquation(const Node &node, Equation *e) {
  std::string text = node.String("equation");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t comma = text.find(','), arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || comma > arrow) return false;
  e->a = text.substr(0, comma), e->b = text.substr(comma + 1, arrow - comma - 1), e->out = text.substr(arrow + 2);
  if (!Distinct(e->a) || !Distinct(e->b) || !Distinct(e->out)) return false;
  e->batch = Those(e->out, [&](char c) { return Has(e->a, c) && Has(e->b, c); });
  e->m = Those(e->a, [&](char c) { return Has(e->out, c) && !Has(e->b, c); });
  e->n = Those(e->b, [&](char c) { return Has(e->out, c) && !Has(e->a, c); });
  e->k = Those(e->b, [&](char c) { return Has(e->a, c) && !Has(e->out, c); });
  const auto counted = [](const std::string &labels, size_t parts) { return labels.size() == parts; };
  return !e->k.empty() && counted(e->a, e->batch.size() + e->m.size() + e->k.size()) &&
         counted(e->b, e->batch.size() + e->n.size() + e->k.size()) &&
         counted(e->out, e->batch.size() + e->m.size() + e->n.size());
}

class Rewrite {
 public:
  Rewrite(Editor &editor, Node *node) : editor_(editor), node_(node) {}

  /// Extents by label; false where they differ (an extent of 1 would be repeated) or are not known.
  bool ReadExtents(const Equation &e) {
    for (const auto &[labels, port] : {std::pair(&e.a, size_t{0}), std::pair(&e.b, size_t{1})}) {
      const Shape &shape = DescOf(node_->input(port)).shape;
      if (!shape.known() || static_cast<size_t>(shape.rank()) != labels->size()) return false;
      for (size_t i = 0; i < labels->size(); ++i) {
        int64_t &extent = extents_[static_cast<unsigned char>((*labels)[i])];
        if (extent != 0 && extent != shape[static_cast<int64_t>(i)]) return false;
        extent = shape[static_cast<int64_t>(i)];
        if (extent < 1) return false;
      }
    }
    return true;
  }

  Endpoint Product(const Equation &e) {
    bool adj_a = false, adj_b = false;
    const Endpoint a = Matrix(node_->input(0), e.a, e.batch, e.m, e.k, &adj_a);
    const Endpoint b = Matrix(node_->input(1), e.b, e.batch, e.k, e.n, &adj_b);
    const bool flat = e.batch.empty();
    Node *product =
        editor_.Make(flat ? "MatMulV2" : "BatchMatMulV2", node_->name(), {a, b},
                     {{flat ? "transpose_x1" : "adj_x1", adj_a}, {flat ? "transpose_x2" : "adj_x2", adj_b}}, {node_});
    const std::string labels = e.batch + e.m + e.n;
    std::vector<int64_t> dims;
    for (char label : labels) dims.push_back(Extent(label));
    return Turned(Reshaped({product, 0}, dims), labels, e.out);
  }

 private:
  int64_t Extent(char label) const { return extents_[static_cast<unsigned char>(label)]; }
  int64_t Extent(const std::string &labels) const {
    int64_t product = 1;
    for (char label : labels) product *= Extent(label);
    return product;
  }

  /// As [batch, rows, columns], or with the last two exchanged where that spares a transposition.
  Endpoint Matrix(Endpoint x, const std::string &labels, const std::string &batch, const std::string &rows,
                  const std::string &columns, bool *adj) {
    *adj = labels == batch + columns + rows && labels != batch + rows + columns;
    if (!*adj) x = Turned(x, labels, batch + rows + columns);
    std::vector<int64_t> dims;
    if (!batch.empty()) dims.push_back(Extent(batch));
    dims.push_back(Extent(*adj ? columns : rows));
    dims.push_back(Extent(*adj ? rows : columns));
    return Reshaped(x, dims);
  }
  Endpoint Reshaped(Endpoint x, const std::vector<int64_t> &dims) {
    const auto &have = DescOf(x).shape.dims();
    if (std::equal(have.begin(), have.end(), dims.begin(), dims.end())) return x;
    const Endpoint shape = editor_.Constant(IntTensor(dims), node_->name() + "_shape", {node_});
    return {editor_.Make("Reshape", node_->name(), {x, shape}, {}, {node_}), 0};
  }
  Endpoint Turned(Endpoint x, const std::string &from, const std::string &to) {
    if (from == to) return x;
    std::vector<int64_t> perm;
    for (char label : to) perm.push_back(static_cast<int64_t>(from.find(label)));
    const Endpoint order = editor_.Constant(IntTensor(perm), node_->name() + "_perm", {node_});
    return {editor_.Make("Transpose", node_->name(), {x, order}, {}, {node_}), 0};
  }

  Editor &editor_;
  Node *node_;
  int64_t extents_[256] = {};
};

void ReplaceEinsum(Editor &editor, Node *node) {
  static const Symbol einsum("Einsum");
  if (node->known_type() != einsum || node->input_count() != 2 || !node->input(0) || !node->input(1)) return;
  editor.ctx.At(kEinsumRule, node);
  editor.ctx.Tried(kEinsumRule);
  auto declined = [&](const Refusal &why) { editor.ctx.Declined(kEinsumRule, *node, why); };
  Equation e;
  if (!ReadEquation(*node, &e))
    return declined({"the equation is no product of two matrices", "a product of two matrices", Mismatch::kAttribute});
  if (!IsFloat32(node->input(0)) || !IsFloat32(node->input(1)))
    return declined({"it is not of float32", "operands of float32", Mismatch::kDtype});
  if (Editor::HasControl(*node)) return declined({"it has control edges", "no control edges"});
  Rewrite rewrite(editor, node);
  if (!rewrite.ReadExtents(e))
    return declined({"the extents of its labels are not known, or one is repeated", "known extents", Mismatch::kShape});
  const Endpoint made = rewrite.Product(e);
  editor.ctx.Applied(kEinsumRule);
  editor.Replace({node, 0}, made);
}

}  // namespace

bool EinsumToMatMul(Graph &graph, PassContext &ctx) {
  static const Symbol einsum("Einsum");
  if (!graph.Has(einsum)) return false;
  Editor editor(graph, ctx, kEinsumRule);
  for (Node *node : graph.TopologicalOrder()) {
    if (!node->removed()) ReplaceEinsum(editor, node);
  }
  return editor.changed;
}

}  // namespace gec
