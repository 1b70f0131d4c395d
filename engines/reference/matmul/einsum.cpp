// Einsum for any equation: the sum over all label values of the product of the operands' elements.
#include <algorithm>
#include <cctype>

#include "elementwise/elementwise.h"
#include "registry.h"

namespace reference {
namespace {

constexpr int kMaxOperands = 16;

// A parsed equation with strides for every operand: output labels first, then the summed ones.
struct Contraction {
  Dims dims;            // extents of the labels
  int output_rank = 0;  // labels of the output come first
  std::vector<Dims> strides;
};

// Labels are 0 … 51 for letters and 100 + i for dimension i of the ellipsis, counted from its right end.
using Labels = std::vector<int>;

Labels ParseTerm(const Node &node, const std::string &term, int rank, int *ellipsis_rank) {
  int letters = int(std::count_if(term.begin(), term.end(), [](char c) { return std::isalpha((unsigned char)c); }));
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    const char c = term[i];
    if (c == '.' && term.compare(i, 3, "...") == 0) {
      const int hidden = rank < 0 ? *ellipsis_rank : rank - letters;
      if (hidden < 0)
        Fail(GE_PARAM_INVALID, "%s: '%s' has more labels than the operand dimensions", node.label().c_str(),
             term.c_str());
      if (rank >= 0) *ellipsis_rank = std::max(*ellipsis_rank, hidden);
      for (int k = hidden; k > 0; --k) labels.push_back(100 + k);
      i += 2;
    } else if (std::isalpha((unsigned char)c)) {
      labels.push_back(std::islower((unsigned char)c) ? c - 'a' : 26 + c - 'A');
    } else {
      Fail(GE_PARAM_INVALID, "%s: equation has the unexpected character '%c'", node.label().c_str(), c);
    }
  }
  if (rank >= 0 && int(labels.size()) != rank)
    Fail(GE_PARAM_INVALID, "%s: '%s' names %zu dimensions, the operand has %d", node.label().c_str(), term.c_str(),
         labels.size(), rank);
  return labels;
}

Contraction Parse(const Node &node) {
  std::string equation = node.String("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  const std::string left = equation.substr(0, arrow);
  int ellipsis_rank = 0;
  std::vector<Labels> operands;
  for (size_t at = 0; at <= left.size();) {
    size_t comma = std::min(left.find(',', at), left.size());
    if (int(operands.size()) == node.inputs())
      Fail(GE_PARAM_INVALID, "%s: equation '%s' has more operands than the node inputs", node.label().c_str(),
           equation.c_str());
    const int port = int(operands.size());
    operands.push_back(ParseTerm(node, left.substr(at, comma - at), node.in_dims(port).n, &ellipsis_rank));
    at = comma + 1;
  }
  if (int(operands.size()) != node.inputs())
    Fail(GE_PARAM_INVALID, "%s: equation '%s' has %zu operands, the node %d inputs", node.label().c_str(),
         equation.c_str(), operands.size(), node.inputs());
  Labels output;
  if (arrow != std::string::npos) {
    output = ParseTerm(node, equation.substr(arrow + 2), -1, &ellipsis_rank);
  } else {  // implicit: the ellipsis, then letters that appear once, in alphabetical order
    for (int k = ellipsis_rank; k > 0; --k) output.push_back(100 + k);
    Labels letters;
    auto uppercase_first = [](int l) { return l >= 26 ? l - 26 : l + 26; };
    for (char c : left)
      if (std::isalpha((unsigned char)c) && std::count(left.begin(), left.end(), c) == 1)
        letters.push_back(std::islower((unsigned char)c) ? c - 'a' : 26 + c - 'A');
    std::sort(letters.begin(), letters.end(), [&](int a, int b) { return uppercase_first(a) < uppercase_first(b); });
    output.insert(output.end(), letters.begin(), letters.end());
  }
  Labels order = output;
  for (const Labels &labels : operands)
    for (int label : labels)
      if (std::find(order.begin(), order.end(), label) == order.end()) order.push_back(label);
  Contraction c;
  c.output_rank = int(output.size());
  for (int label : order) {
    int64_t extent = -1;
    for (size_t k = 0; k < operands.size(); ++k)
      for (size_t i = 0; i < operands[k].size(); ++i) {
        if (operands[k][i] != label) continue;
        const int64_t d = node.in_dims(int(k))[int(i)];
        if (extent == -1 || extent == 1) extent = d;
        else if (d != extent && d != 1)
          Fail(GE_PARAM_INVALID, "%s: a label has the extents %lld and %lld", node.label().c_str(), (long long)extent,
               (long long)d);
      }
    if (extent == -1)
      Fail(GE_PARAM_INVALID, "%s: the output of '%s' has an unknown label", node.label().c_str(), equation.c_str());
    c.dims.push(extent);
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    const Dims dims = node.in_dims(int(k)), own = RowMajorStrides(dims);
    Dims strides;
    for (int label : order) {
      int64_t stride = 0;  // a label that appears twice walks the diagonal
      for (size_t i = 0; i < operands[k].size(); ++i)
        if (operands[k][i] == label && dims[int(i)] != 1) stride += own[int(i)];
      strides.push(stride);
    }
    c.strides.push_back(strides);
  }
  Dims y(c.dims.d, c.output_rank);
  if (!(y == node.out_dims(0)))
    Fail(GE_PARAM_INVALID, "%s: the output has shape %s, expected %s", node.label().c_str(),
         ToText(node.out_dims(0)).c_str(), ToText(y).c_str());
  return c;
}

// Operands are brought to A in the workspace; A is double for floating point.
template <class A>
Kernel CreateFor(const Node &node) {
  Contraction c = Parse(node);
  const int operands = node.inputs();
  std::vector<LoadFn<A>> load;
  std::vector<int64_t> counts;
  std::vector<uint64_t> offsets;
  Kernel kernel;
  for (int k = 0; k < operands; ++k) {
    load.push_back(Loader<A>(node.in_type(k)));
    counts.push_back(node.in_count(k));
    offsets.push_back(kernel.workspace);
    kernel.workspace += (uint64_t(counts.back()) * sizeof(A) + 63) / 64 * 64;
  }
  StoreFn<A> store = Storer<A>(node.out_type(0));
  const Dims outer(c.dims.d, c.output_rank), summed(c.dims.d + c.output_rank, c.dims.n - c.output_rank);
  kernel.flops = double(operands) * double(c.dims.count());
  kernel.run = [=](const Call &call) {
    for (int k = 0; k < operands; ++k)
      load[size_t(k)](call.in(size_t(k)), 0, 1, counts[size_t(k)], call.workspace<A>(offsets[size_t(k)]));
    const int64_t inner = summed.n ? summed[summed.n - 1] : 1;
    const Dims middle(summed.d, summed.n ? summed.n - 1 : 0);
    call.Parallel(outer.count(), std::max<int64_t>(1, 8192 / (summed.count() + 1)), [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const A *base[kMaxOperands];
        for (int k = 0; k < operands; ++k) base[k] = call.workspace<A>(offsets[size_t(k)]);
        int64_t rest = t;
        for (int i = outer.n - 1; i >= 0; --i) {
          for (int k = 0; k < operands; ++k) base[k] += rest % outer[i] * c.strides[size_t(k)][i];
          rest /= outer[i];
        }
        A sum = 0;
        int64_t index[Dims::kCapacity] = {};
        if (summed.count() != 0) {
          do {
            const A *at[kMaxOperands];
            int64_t step[kMaxOperands];
            for (int k = 0; k < operands; ++k) {
              const Dims &strides = c.strides[size_t(k)];
              at[k] = base[k];
              for (int i = 0; i < middle.n; ++i) at[k] += index[i] * strides[outer.n + i];
              step[k] = summed.n ? strides[strides.n - 1] : 0;
            }
            if (operands == 2) {
              for (int64_t i = 0; i < inner; ++i) sum += at[0][i * step[0]] * at[1][i * step[1]];
            } else {
              for (int64_t i = 0; i < inner; ++i) {
                A product = 1;
                for (int k = 0; k < operands; ++k) product *= at[k][i * step[k]];
                sum += product;
              }
            }
          } while (Next(middle, index));
        }
        store(&sum, 1, call.out(0), t, 1);
      }
    });
  };
  return kernel;
}

Kernel CreateEinsum(const Node &node, const OpEntry &) {
  return CommonCompute(node, node.inputs()) <= Compute::kDouble ? CreateFor<double>(node) : CreateFor<int64_t>(node);
}

void CheckEinsum(const Node &node) {
  if (node.inputs() < 1 || node.inputs() > kMaxOperands)
    Fail(GE_UNSUPPORTED, "%s: %d operands, expected 1 to %d", node.label().c_str(), node.inputs(), kMaxOperands);
}

const OpEntry kEinsum[] = {{"Einsum", kNumbers, &CreateEinsum, &CheckEinsum}};

}  // namespace

OpTable EinsumOps() { return TableOf(kEinsum); }

}  // namespace reference
