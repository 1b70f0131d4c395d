// Ensembles of decision trees (ai.onnx.ml): what a file says in a dozen lists becomes the tables of operator
// TreeEnsemble.
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "core/ir/types.h"
#include "core/support/float16.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/learned.h"
#include "parsers/onnx/limits.h"

namespace gec::onnx {
namespace {

constexpr int32_t kMember = 6;

/// The tables (op_proto/ml_ops.h), in the making.
struct Tables {
  std::vector<int32_t> roots, nodes, leaves, targets;
  std::vector<double> splits, members, weights;

  void AddNode(int32_t mode, int64_t feature, int64_t yes, int64_t no, bool missing, double split) {
    for (int64_t v : {int64_t{mode}, feature, yes, no, int64_t{missing}, int64_t{0}, int64_t{0}})
      nodes.push_back(static_cast<int32_t>(v));
    splits.push_back(split);
  }

  Endpoint Add(NodeContext &c, Endpoint x, int64_t target_count, int64_t aggregate, int32_t type) const {
    const auto ints = [&](const std::vector<int32_t> &v, int64_t width, const char *role) {
      const int64_t rows = static_cast<int64_t>(v.size()) / width;
      return c.Const(Tensor::Of<int32_t>(C_DT_INT32, width == 1 ? Shape{rows} : Shape{rows, width}, v), role);
    };
    const auto reals = [&](const std::vector<double> &v, const char *role) {
      if (type == C_DT_DOUBLE) return c.Const(Tensor::Of<double>(type, Shape{static_cast<int64_t>(v.size())}, v), role);
      return Floats(c, std::vector<float>(v.begin(), v.end()), {}, role);
    };
    return c.Op(
        "TreeEnsemble",
        {x, ints(roots, 1, "roots"), ints(nodes, 7, "nodes"), reals(splits, "splits"), reals(members, "members"),
         ints(leaves, 2, "leaves"), ints(targets, 1, "targets"), reals(weights, "weights")},
        {{"target_count", target_count}, {"aggregate", aggregate}});
  }
};

/// The numbers of an attribute that is a tensor; none where it is absent, which is refused where it is needed.
std::vector<double> RealTensor(NodeContext &c, const std::string &name, bool needed) {
  const TensorPtr t = c.TensorAttr(name.c_str());
  if (!t && needed) c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' is missing"));
  std::vector<double> values;
  if (!t) return values;
  const int64_t n = t->desc.shape.elements();
  if (t->desc.dtype == C_DT_DOUBLE) values.assign(t->as<double>(), t->as<double>() + n);
  else if (t->desc.dtype == C_DT_FLOAT) values.assign(t->as<float>(), t->as<float>() + n);
  else if (t->desc.dtype == C_DT_FLOAT16)
    for (int64_t i = 0; i < n; ++i) values.push_back(FromHalfBits(t->as<uint16_t>()[i]));
  else c.Refuse(Reason::kUnsupportedType, Str("attribute '", name, "' is of ", DataTypeName(t->desc.dtype)));
  return values;
}

/// A list of numbers, of an attribute of floats or of one with "_as_tensor" behind its name.
std::vector<double> Reals(NodeContext &c, const std::string &name) {
  if (c.HasAttr((name + "_as_tensor").c_str())) return RealTensor(c, name + "_as_tensor", true);
  const std::vector<float> values = c.Floats(name.c_str());
  return {values.begin(), values.end()};
}

int32_t ModeOf(NodeContext &c, const std::string &text) {
  static const char *const kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
  for (int32_t i = 0; i < 6; ++i)
    if (text == kModes[i]) return i;
  c.Refuse(Reason::kInvalidModel, "nodes_modes has '" + text + "'");
}

int32_t Small(NodeContext &c, const char *name, int64_t value) {
  if (value < 0 || value >= INT32_MAX) c.Refuse(Reason::kInvalidModel, Str("attribute '", name, "' has ", value));
  return static_cast<int32_t>(value);
}

/// A node of a file is named by its tree and its number there.
struct NodeName {
  int64_t tree, node;
  bool operator==(const NodeName &o) const { return tree == o.tree && node == o.node; }
};
struct HashName {
  size_t operator()(const NodeName &n) const { return std::hash<int64_t>()(n.tree * int64_t{0x9E3779B1} ^ n.node); }
};

/// The trees of versions 1 to 4. `role`: "target" or "class", what lists of weights are called after.
Tables NamedTrees(NodeContext &c, const std::string &role) {
  const std::vector<int64_t> trees = c.Ints("nodes_treeids"), ids = c.Ints("nodes_nodeids"),
                             features = c.Ints("nodes_featureids"), yes = c.Ints("nodes_truenodeids"),
                             no = c.Ints("nodes_falsenodeids"), missing = c.Ints("nodes_missing_value_tracks_true");
  const std::vector<std::string> modes = c.Strings("nodes_modes");
  const std::vector<double> values = Reals(c, "nodes_values");
  c.Ignore({"nodes_hitrates", "nodes_hitrates_as_tensor"});
  const size_t n = trees.size();
  if (n == 0) c.Refuse(Reason::kInvalidModel, "there are no nodes");
  NeedCount(c, "nodes_nodeids", ids.size(), n);
  NeedCount(c, "nodes_featureids", features.size(), n);
  NeedCount(c, "nodes_truenodeids", yes.size(), n);
  NeedCount(c, "nodes_falsenodeids", no.size(), n);
  NeedCount(c, "nodes_modes", modes.size(), n);
  NeedCount(c, "nodes_values", values.size(), n);
  if (!missing.empty()) NeedCount(c, "nodes_missing_value_tracks_true", missing.size(), n);
  Tables t;
  // Branches and leaves are counted apart, as the tables have them.
  std::unordered_map<NodeName, int32_t, HashName> places;
  std::vector<NodeName> leaves;
  int32_t branches = 0;
  std::set<int64_t> begun;
  for (size_t i = 0; i < n; ++i) {
    const bool leaf = modes[i] == "LEAF";
    const int32_t place = leaf ? -1 - static_cast<int32_t>(leaves.size()) : branches++;
    if (leaf) leaves.push_back({trees[i], ids[i]});
    if (!places.emplace(NodeName{trees[i], ids[i]}, place).second)
      c.Refuse(Reason::kInvalidModel, Str("node ", ids[i], " of tree ", trees[i], " is there twice"));
    if (begun.insert(trees[i]).second) t.roots.push_back(place);  // a tree starts with its first node
  }
  const auto place_of = [&](int64_t tree, int64_t id) {
    const auto found = places.find({tree, id});
    if (found == places.end()) c.Refuse(Reason::kInvalidModel, Str("tree ", tree, " has no node ", id));
    return found->second;
  };
  for (size_t i = 0; i < n; ++i)
    if (modes[i] != "LEAF")
      t.AddNode(ModeOf(c, modes[i]), Small(c, "nodes_featureids", features[i]), place_of(trees[i], yes[i]),
                place_of(trees[i], no[i]), !missing.empty() && missing[i] != 0, values[i]);
  const auto list = [&](const char *name) { return c.Ints((role + name).c_str()); };
  const std::vector<int64_t> weight_trees = list("_treeids"), weight_nodes = list("_nodeids"),
                             weight_ids = list("_ids");
  const std::vector<double> weights = Reals(c, role + "_weights");
  NeedCount(c, (role + "_treeids").c_str(), weight_trees.size(), weights.size());
  NeedCount(c, (role + "_nodeids").c_str(), weight_nodes.size(), weights.size());
  NeedCount(c, (role + "_ids").c_str(), weight_ids.size(), weights.size());
  std::vector<std::vector<size_t>> of_leaf(leaves.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const int32_t place = place_of(weight_trees[i], weight_nodes[i]);
    if (place < 0) of_leaf[static_cast<size_t>(-1 - place)].push_back(i);
  }
  for (const std::vector<size_t> &own : of_leaf) {
    t.leaves.push_back(static_cast<int32_t>(t.targets.size()));
    for (size_t i : own) {
      t.targets.push_back(Small(c, (role + "_ids").c_str(), weight_ids[i]));
      t.weights.push_back(weights[i]);
    }
    t.leaves.push_back(static_cast<int32_t>(t.targets.size()));
  }
  return t;
}

/// Names of aggregations, in the order of their numbers.
int64_t AggregateOf(NodeContext &c, const std::string &text) {
  static const char *const kNames[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  for (int64_t i = 0; i < 4; ++i)
    if (text == kNames[i]) return i;
  c.Refuse(Reason::kInvalidModel,
           "attribute 'aggregate_function' is '" + text + "', expected SUM, AVERAGE, MIN or MAX");
}

Endpoint WithBase(NodeContext &c, Endpoint scores, const std::vector<double> &base) {
  if (base.empty()) return scores;
  return Formula(c).Add(scores, Floats(c, std::vector<float>(base.begin(), base.end()), {}, "base_values"));
}

void TreeEnsembleRegressor(NodeContext &c) {
  const int64_t targets = c.NeedInt("n_targets"), aggregate = AggregateOf(c, c.String("aggregate_function", "SUM"));
  const std::vector<double> base = Reals(c, "base_values");
  if (targets < 1 || targets > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute 'n_targets' is ", targets));
  if (!base.empty()) NeedCount(c, "base_values", base.size(), static_cast<size_t>(targets));
  const Endpoint x = RowsOf(c, c.In(0));
  const bool wide = c.Type(x) == C_DT_DOUBLE;
  Endpoint y = NamedTrees(c, "target").Add(c, x, targets, aggregate, wide ? C_DT_DOUBLE : C_DT_FLOAT);
  y = WithBase(c, c.CastTo(y, C_DT_FLOAT), base);
  c.Out(0, PostTransformed(c, y, c.String("post_transform", "NONE")));
}

void TreeEnsembleClassifier(NodeContext &c) {
  Formula f(c);
  const ClassLabels labels = ClassLabels::Of(c, "classlabels_int64s", "classlabels_strings");
  const std::string transform = c.String("post_transform", "NONE");
  std::vector<double> base = Reals(c, "base_values");
  const Endpoint x = RowsOf(c, c.In(0));
  Tables t = NamedTrees(c, "class");
  const std::set<int32_t> ids(t.targets.begin(), t.targets.end());
  const int64_t classes = static_cast<int64_t>(labels.size());
  const bool binary = classes == 2 && ids.size() == 1;  // all leaves tell of one class
  const bool one_score = binary && *ids.begin() == 0;
  const bool positive = std::all_of(t.weights.begin(), t.weights.end(), [](double w) { return w >= 0; });
  const int32_t type = c.Type(x) == C_DT_DOUBLE ? C_DT_DOUBLE : C_DT_FLOAT;
  const double limit = positive ? 0.5 : 0;  // above which the second class is meant, where there are two
  const auto second = [&](Endpoint score) {
    return c.CastTo(c.Squeeze(c.Op("Greater", {score, f.Real(limit, C_DT_FLOAT)}), {1}), C_DT_INT64);
  };
  if (one_score) {  // it is called the first class's and is that of the second
    if (base.size() == 2) base.pop_back();
    if (base.size() > 1) NeedCount(c, "base_values", base.size(), 1);
    const Endpoint score = WithBase(c, c.CastTo(t.Add(c, x, 1, 1, type), C_DT_FLOAT), base);
    c.Out(0, labels.At(c, second(score)));
    c.Out(1, BothClasses(c, score, transform, !positive || transform == "LOGISTIC"));
    return;
  }
  if (!base.empty()) NeedCount(c, "base_values", base.size(), labels.size());
  const Endpoint scores = WithBase(c, c.CastTo(t.Add(c, x, classes, 1, type), C_DT_FLOAT), base);
  c.Out(0, labels.At(
               c, binary ? second(c.Slice(scores, {1}, {2}, {1}))
                         : c.Op("ArgMaxV2", {scores, c.ConstInt(1, "axis")}, {{"dtype", DataTypeValue{C_DT_INT64}}})));
  c.Out(1, PostTransformed(c, scores, transform));
}

// ---- version 5: leaves apart from nodes, members of sets ----

/// The members of each node that asks for one lie one list behind the other, each with NaN at its end.
void TakeMembers(NodeContext &c, Tables &t, const std::vector<double> &values) {
  size_t at = 0;
  for (size_t i = 0; i < t.splits.size(); ++i) {
    if (t.nodes[i * 7] != kMember) continue;
    t.nodes[i * 7 + 5] = static_cast<int32_t>(t.members.size());
    while (at < values.size() && !std::isnan(values[at])) t.members.push_back(values[at++]);
    if (at == values.size()) c.Refuse(Reason::kInvalidModel, "membership_values ends before the members of every node");
    ++at;
    t.nodes[i * 7 + 6] = static_cast<int32_t>(t.members.size());
  }
}

void TreeEnsemble(NodeContext &c) {
  const std::vector<int64_t> roots = c.Ints("tree_roots"), features = c.Ints("nodes_featureids"),
                             yes = c.Ints("nodes_truenodeids"), no = c.Ints("nodes_falsenodeids"),
                             yes_leaf = c.Ints("nodes_trueleafs"), no_leaf = c.Ints("nodes_falseleafs"),
                             missing = c.Ints("nodes_missing_value_tracks_true"), targets = c.Ints("leaf_targetids");
  const TensorPtr modes = c.TensorAttr("nodes_modes");
  const std::vector<double> splits = RealTensor(c, "nodes_splits", true), weights = RealTensor(c, "leaf_weights", true);
  const int64_t count = c.Int("n_targets", 1), aggregate = c.Int("aggregate_function", 1),
                post = c.Int("post_transform", 0);
  c.Ignore({"nodes_hitrates"});
  const size_t n = features.size();
  NeedCount(c, "nodes_truenodeids", yes.size(), n);
  NeedCount(c, "nodes_falsenodeids", no.size(), n);
  NeedCount(c, "nodes_trueleafs", yes_leaf.size(), n);
  NeedCount(c, "nodes_falseleafs", no_leaf.size(), n);
  NeedCount(c, "nodes_splits", splits.size(), n);
  NeedCount(c, "leaf_targetids", targets.size(), weights.size());
  if (!missing.empty()) NeedCount(c, "nodes_missing_value_tracks_true", missing.size(), n);
  if (!modes || modes->desc.dtype != C_DT_UINT8 || modes->desc.shape.elements() != static_cast<int64_t>(n))
    c.Refuse(Reason::kInvalidModel, Str("attribute 'nodes_modes' is no tensor of ", n, " values of uint8"));
  if (aggregate < 0 || aggregate > 3)
    c.Refuse(Reason::kInvalidModel, Str("attribute 'aggregate_function' is ", aggregate, ", expected 0 to 3"));
  if (count < 1 || count > kMaxDim) c.Refuse(Reason::kInvalidModel, Str("attribute 'n_targets' is ", count));
  Tables t;
  const auto place = [&](int64_t id, int64_t leaf, const char *name) {
    const int32_t at = Small(c, name, id);
    return leaf ? -1 - at : at;
  };
  for (size_t i = 0; i < n; ++i)
    t.AddNode(modes->as<uint8_t>()[i], Small(c, "nodes_featureids", features[i]),
              place(yes[i], yes_leaf[i], "nodes_truenodeids"), place(no[i], no_leaf[i], "nodes_falsenodeids"),
              !missing.empty() && missing[i] != 0, splits[i]);
  TakeMembers(c, t, RealTensor(c, "membership_values", false));
  for (size_t i = 0; i < weights.size(); ++i) {
    t.leaves.push_back(static_cast<int32_t>(i));
    t.leaves.push_back(static_cast<int32_t>(i + 1));
    t.targets.push_back(Small(c, "leaf_targetids", targets[i]));
    t.weights.push_back(weights[i]);
  }
  for (int64_t root : roots) t.roots.push_back(Small(c, "tree_roots", root));
  const Endpoint x = RowsOf(c, c.In(0));
  const int32_t type = c.NeedType(x, "as the type of the scores");
  Endpoint y = t.Add(c, x, count, aggregate, type == C_DT_DOUBLE ? C_DT_DOUBLE : C_DT_FLOAT);
  if (post < 0 || post > 4)
    c.Refuse(Reason::kInvalidModel, Str("attribute 'post_transform' is ", post, ", expected 0 to 4"));
  if (post != 0) y = PostTransformed(c, c.CastTo(y, C_DT_FLOAT), std::string(kTransforms[post]));
  c.Out(0, c.CastTo(y, type));
}

constexpr char kTreesDomain[] = "ai.onnx.ml";
constexpr Handler kTreeHandlers[] = {
    {kTreesDomain, "TreeEnsemble", 5, TreeEnsemble},
    {kTreesDomain, "TreeEnsembleClassifier", 1, TreeEnsembleClassifier},
    {kTreesDomain, "TreeEnsembleRegressor", 1, TreeEnsembleRegressor},
};

}  // namespace

HandlerTable TreeHandlers() { return {std::begin(kTreeHandlers), std::end(kTreeHandlers)}; }

}  // namespace gec::onnx
