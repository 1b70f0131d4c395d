// Ensembles of decision trees (op_proto/ml_ops.h says how they are laid out), and probabilities from pairs of classes.
#include <algorithm>
#include <cmath>
#include <memory>

#include "registry.h"

namespace reference {
namespace {

constexpr int64_t kNodeRow = 7, kLeafRow = 2;

struct Trees {
  int64_t features = 0, targets = 0;
  int aggregate = 1;
  std::vector<int32_t> roots, nodes, leaves, ids;
  std::vector<double> splits, members, weights;
};

// The tables, as the inputs of a node or of a call hold them.
struct TableSource {
  std::string label;
  int64_t counts[8] = {};
  LoadFn<double> load[8] = {};

  explicit TableSource(const Node &node) : label(node.label()) {
    for (int i = 1; i < 8; ++i) {
      counts[i] = node.in_count(i);
      load[i] = Loader<double>(node.in_type(i));
    }
  }
  template <class T>
  std::vector<T> Read(int port, const void *data) const {
    std::vector<double> all(static_cast<size_t>(counts[port]));
    if (!all.empty()) load[port](data, 0, 1, counts[port], all.data());
    return std::vector<T>(all.begin(), all.end());
  }
};

void CheckRange(const std::string &label, const char *what, int64_t value, int64_t least, int64_t most) {
  if (value < least || value > most)
    Fail(GE_PARAM_INVALID, "%s: %s is %lld, expected %lld to %lld", label.c_str(), what, (long long)value,
         (long long)least, (long long)most);
}

// Every way down from the roots ends. Nodes may be reached on several ways (a set's members are often one comparison
// each, all with one node behind them); what has been found to end is not walked again.
void CheckWays(const std::string &label, const Trees &t) {
  enum : uint8_t { kNew, kOpen, kEnds };
  std::vector<uint8_t> state(t.splits.size(), kNew);
  std::vector<int32_t> way;
  for (int32_t root : t.roots) {
    way.push_back(root);
    while (!way.empty()) {
      const int32_t at = way.back();
      if (at < 0 || state[size_t(at)] != kNew) {
        way.pop_back();
        if (at >= 0) state[size_t(at)] = kEnds;
        continue;
      }
      state[size_t(at)] = kOpen;
      for (int side : {2, 3}) {
        const int32_t next = t.nodes[size_t(at * kNodeRow + side)];
        if (next >= 0 && state[size_t(next)] == kOpen)
          Fail(GE_PARAM_INVALID, "%s: node %d of a tree is reached from itself", label.c_str(), next);
        if (next >= 0 && state[size_t(next)] == kNew) way.push_back(next);
      }
    }
  }
}

// Every place leads somewhere.
void CheckTrees(const std::string &label, const Trees &t) {
  const int64_t nodes = int64_t(t.splits.size()), leaves = int64_t(t.leaves.size()) / kLeafRow;
  if (int64_t(t.nodes.size()) != nodes * kNodeRow || t.ids.size() != t.weights.size() || t.leaves.size() % kLeafRow)
    Fail(GE_PARAM_INVALID, "%s: nodes, leaves and their numbers do not fit", label.c_str());
  for (int64_t i = 0; i < nodes; ++i) {
    const int32_t *row = &t.nodes[size_t(i * kNodeRow)];
    CheckRange(label, "a comparison", row[0], 0, 6);
    CheckRange(label, "a feature", row[1], 0, t.features - 1);
    CheckRange(label, "a node", row[2], -leaves, nodes - 1);
    CheckRange(label, "a node", row[3], -leaves, nodes - 1);
    CheckRange(label, "a first member", row[5], 0, row[6]);
    CheckRange(label, "a last member", row[6], 0, int64_t(t.members.size()));
  }
  for (int64_t i = 0; i < leaves; ++i) {
    CheckRange(label, "a first weight", t.leaves[size_t(i * kLeafRow)], 0, t.leaves[size_t(i * kLeafRow + 1)]);
    CheckRange(label, "a last weight", t.leaves[size_t(i * kLeafRow + 1)], 0, int64_t(t.ids.size()));
  }
  for (int32_t id : t.ids) CheckRange(label, "a target", id, 0, t.targets - 1);
  for (int32_t root : t.roots) CheckRange(label, "a root", root, -leaves, nodes - 1);
  CheckWays(label, t);
}

bool Holds(const Trees &t, const int32_t *row, double split, double x) {
  switch (row[0]) {
    case 0:
      return x <= split;
    case 1:
      return x < split;
    case 2:
      return x >= split;
    case 3:
      return x > split;
    case 4:
      return x == split;
    case 5:
      return x != split;
    default:
      return std::find(t.members.begin() + row[5], t.members.begin() + row[6], x) != t.members.begin() + row[6];
  }
}

int32_t LeafOf(const Trees &t, int32_t at, const double *x) {
  while (at >= 0) {
    const int32_t *row = &t.nodes[size_t(at * kNodeRow)];
    const double value = x[row[1]];
    at = Holds(t, row, t.splits[size_t(at)], value) || (row[4] && value != value) ? row[2] : row[3];
  }
  return -1 - at;
}

// `scored`: room for a flag for each target.
void Score(const Trees &t, const double *x, double *y, double *scored) {
  std::fill(y, y + t.targets, 0.0);  // of a target that no leaf has a weight for, as in ONNX Runtime
  std::fill(scored, scored + t.targets, 0.0);
  for (int32_t root : t.roots) {
    const int32_t *leaf = &t.leaves[size_t(LeafOf(t, root, x) * kLeafRow)];
    for (int32_t i = leaf[0]; i < leaf[1]; ++i) {
      const size_t id = size_t(t.ids[size_t(i)]);
      const double w = t.weights[size_t(i)];
      if (t.aggregate < 2) y[id] += w;
      else if (scored[id] == 0) y[id] = w;
      else y[id] = t.aggregate == 2 ? std::min(y[id], w) : std::max(y[id], w);
      scored[id] = 1;
    }
  }
  if (t.aggregate == 0)
    for (int64_t i = 0; i < t.targets; ++i) y[i] /= double(t.roots.size());
}

Trees TreesOf(const TableSource &source, const Trees &start, const void *const *data) {
  Trees t = start;
  t.roots = source.Read<int32_t>(1, data[1]);
  t.nodes = source.Read<int32_t>(2, data[2]);
  t.splits = source.Read<double>(3, data[3]);
  t.members = source.Read<double>(4, data[4]);
  t.leaves = source.Read<int32_t>(5, data[5]);
  t.ids = source.Read<int32_t>(6, data[6]);
  t.weights = source.Read<double>(7, data[7]);
  CheckTrees(source.label, t);
  return t;
}

Kernel CreateTrees(const Node &node, const OpEntry &) {
  const Dims x = node.in_dims(0);
  if (x.n != 2) Fail(GE_PARAM_INVALID, "%s: x has shape %s, expected rank 2", node.label().c_str(), ToText(x).c_str());
  Trees start;
  start.features = x[1];
  start.targets = node.Int("target_count", 1);
  start.aggregate = int(node.Int("aggregate", 1));
  CheckRange(node.label(), "aggregate", start.aggregate, 0, 3);
  const TableSource source(node);
  std::shared_ptr<const Trees> known;  // the tables are constant as a rule
  const void *data[8] = {};
  bool constant = true;
  for (int i = 1; i < 8; ++i) {
    data[i] = node.in(i).data;
    constant = constant && (data[i] || source.counts[i] == 0);
  }
  if (constant) known = std::make_shared<const Trees>(TreesOf(source, start, data));
  const LoadFn<double> load = Loader<double>(node.in_type(0));
  const StoreFn<double> store = Storer<double>(node.out_type(0));
  const int64_t rows = x[0], scratch = start.features + 2 * start.targets;
  Kernel kernel;
  kernel.workspace = uint64_t(rows * scratch) * sizeof(double);
  kernel.run = [=](const Call &call) {
    const auto trees = known ? known : std::make_shared<const Trees>(TreesOf(source, start, call.args->inputs));
    const Trees &t = *trees;
    call.Parallel(rows, std::max<int64_t>(1, 4096 / int64_t(t.roots.size() + 1)), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        double *features = call.workspace<double>() + row * scratch, *y = features + t.features;
        load(call.in(0), row * t.features, 1, t.features, features);
        Score(t, features, y, y + t.targets);
        store(y, t.targets, call.out(0), row * t.targets, 1);
      }
    });
  };
  return kernel;
}

// The method's fixed point, as far as libsvm goes for it.
void Couple(const double *pairs, int64_t k, double *r, double *q, double *qp, double *p) {
  for (int64_t i = 0, at = 0; i < k; ++i)
    for (int64_t j = i + 1; j < k; ++j, ++at) {
      r[i * k + j] = std::clamp(pairs[at], 1e-7, 1 - 1e-7);
      r[j * k + i] = 1 - r[i * k + j];
    }
  for (int64_t t = 0; t < k; ++t) {
    p[t] = 1 / double(k);
    q[t * k + t] = 0;
    for (int64_t j = 0; j < k; ++j) {
      if (j == t) continue;
      q[t * k + t] += r[j * k + t] * r[j * k + t];
      q[t * k + j] = -r[j * k + t] * r[t * k + j];
    }
  }
  const double enough = 0.005 / double(k);
  for (int64_t round = 0; round < std::max<int64_t>(100, k); ++round) {
    double all = 0, worst = 0;
    for (int64_t t = 0; t < k; ++t) {
      qp[t] = 0;
      for (int64_t j = 0; j < k; ++j) qp[t] += q[t * k + j] * p[j];
      all += p[t] * qp[t];
    }
    for (int64_t t = 0; t < k; ++t) worst = std::max(worst, std::abs(qp[t] - all));
    if (worst < enough) return;
    for (int64_t t = 0; t < k; ++t) {
      const double diff = (all - qp[t]) / q[t * k + t];
      p[t] += diff;
      all = (all + diff * (diff * q[t * k + t] + 2 * qp[t])) / ((1 + diff) * (1 + diff));
      for (int64_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + diff * q[t * k + j]) / (1 + diff);
        p[j] /= 1 + diff;
      }
    }
  }
}

Kernel CreateCouple(const Node &node, const OpEntry &) {
  const int64_t k = node.Int("classes", 0), rows = node.in_dims(0)[0], pairs = k * (k - 1) / 2;
  if (k < 2 || node.in_count(0) != rows * pairs)
    Fail(GE_PARAM_INVALID, "%s: %lld classes and pairs of shape %s do not fit", node.label().c_str(), (long long)k,
         ToText(node.in_dims(0)).c_str());
  const LoadFn<double> load = Loader<double>(node.in_type(0));
  const StoreFn<double> store = Storer<double>(node.out_type(0));
  Kernel kernel;
  kernel.workspace = uint64_t(pairs + 2 * k * k + 2 * k) * sizeof(double);
  kernel.run = [=](const Call &call) {
    double *given = call.workspace<double>(), *r = given + pairs, *q = r + k * k, *qp = q + k * k, *p = qp + k;
    for (int64_t row = 0; row < rows; ++row) {
      load(call.in(0), row * pairs, 1, pairs, given);
      Couple(given, k, r, q, qp, p);
      store(p, k, call.out(0), row * k, 1);
    }
  };
  return kernel;
}

constexpr TypeSet kRealFloats = TypeBit(C_DT_FLOAT) | TypeBit(C_DT_DOUBLE);
const OpEntry kTrees[] = {
    {"TreeEnsemble", kRealFloats | TypeBit(C_DT_FLOAT16) | kIndex, &CreateTrees},
    {"CoupleProbabilities", kRealFloats, &CreateCouple},
};

}  // namespace

OpTable TreeOps() { return TableOf(kTrees); }

}  // namespace reference
