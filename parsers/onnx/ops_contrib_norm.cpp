// Normalisations as ONNX Runtime's optimiser writes them: of sums, of embeddings, of groups with an activation.
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

Endpoint Summed(NodeContext &c, Endpoint x, Endpoint more) { return more ? c.Op("Add", {x, more}) : x; }

// Over the last axis, with the outputs that come after the first one.
void NormalizeSum(NodeContext &c, Endpoint sum, Endpoint gamma, Endpoint beta, bool simplified, float epsilon) {
  Node *node;
  if (simplified) {
    node = c.Add("RmsNorm", {sum, gamma}, {{"epsilon", epsilon}});
  } else {
    node = c.Add("LayerNormV4", {sum, c.ShapeValue(gamma), gamma, beta}, {{"epsilon", epsilon}});
  }
  c.Out(0, {node, 0});
  if (simplified && c.WantsOutput(1)) c.Refuse(Reason::kUnsupportedUse, "output mean is not available");
  if (!simplified && c.WantsOutput(1)) c.Out(1, {node, 1});
  if (c.WantsOutput(2)) c.Out(2, {node, simplified ? 1 : 2});
  if (c.WantsOutput(3)) c.Out(3, sum);
}

void SkipLayerNormalization(NodeContext &c) {
  const Endpoint x = Summed(c, Summed(c, c.In(0), c.In(1)), c.OptIn(4)), gamma = c.In(2), beta = c.OptIn(3);
  NormalizeSum(c, x, gamma, beta, false, c.Float("epsilon", 1e-12f));
}

void SkipSimplifiedLayerNormalization(NodeContext &c) {
  const Endpoint x = Summed(c, Summed(c, c.In(0), c.In(1)), c.OptIn(3));
  NormalizeSum(c, x, c.In(2), {}, true, c.Float("epsilon", 1e-12f));
}

// Root mean square over the axes from `axis` on.
void SimplifiedLayerNormalization(NodeContext &c) {
  const Endpoint x = c.In(0), scale = c.In(1);
  const float epsilon = c.Float("epsilon", 1e-5f);
  c.Ignore({"stash_type"});
  const int64_t axis = c.Int("axis", -1);
  const int64_t count =
      axis < 0 && c.Rank(x) < 0 ? -axis : c.NeedRank(x, "to find the normalised axes") - c.NeedAxis(axis, x);
  const Shape have = c.ShapeOf(scale);
  if (have.has_rank() && have.rank() != count)
    c.Refuse(Reason::kInvalidModel, Str("the scale has shape ", have.str(), ", ", count, " axes are normalised"));
  const int32_t type = c.NeedType(x, "to normalise it");
  if (type == C_DT_DOUBLE) {
    std::vector<int64_t> axes;
    for (int64_t i = -count; i < 0; ++i) axes.push_back(i);
    const Endpoint square = c.Reduce("ReduceMean", c.Op("Mul", {x, x}), axes, true);
    const Endpoint root =
        c.Op("Sqrt", {c.Op("Add", {square, c.NumberLike(static_cast<double>(epsilon), x, "epsilon")})});
    const Endpoint inverse = c.Op("Reciprocal", {root});
    c.Out(0, c.Op("Mul", {c.Op("Mul", {x, inverse}), scale}));
    if (c.WantsOutput(1)) c.Out(1, c.CastTo(inverse, C_DT_FLOAT));
    return;
  }
  Node *node = c.Add("RmsNorm", {x, c.CastLike(scale, x)}, {{"epsilon", epsilon}});
  c.Out(0, {node, 0});
  if (c.WantsOutput(1)) c.Out(1, {node, 1});
}

void EmbedLayerNormalization(NodeContext &c) {
  Formula f(c);
  const Endpoint ids = c.In(0), segments = c.OptIn(1), words = c.In(2), positions = c.In(3), segment_table = c.OptIn(4);
  const Endpoint gamma = c.In(5), beta = c.In(6), mask = c.OptIn(7), position_ids = c.OptIn(8);
  if (!segments != !segment_table) c.Refuse(Reason::kInvalidModel, "segment_ids and segment_embedding come together");
  if (c.NeedRank(ids, "to count positions") != 2)
    c.Refuse(Reason::kInvalidModel, Str("input_ids has rank ", c.Rank(ids), ", expected 2"));
  const Endpoint length = f.Dim(ids, 1);
  const auto rows = [&](Endpoint table, Endpoint at) {
    return c.Op("GatherV2", {table, f.FromFront(c.CastTo(at, C_DT_INT64), "an id"), f.Int(0)});
  };
  Endpoint sum = rows(words, ids);
  sum = f.Add(sum, position_ids ? rows(positions, position_ids) : f.Slice(positions, f.Int(0), length, 0));
  if (segments) sum = f.Add(sum, rows(segment_table, segments));
  const Endpoint extent = c.ShapeValue(gamma);
  c.Out(0, c.Op("LayerNormV4", {sum, extent, gamma, beta}, {{"epsilon", c.Float("epsilon", 1e-12f)}}));
  c.Ignore({"mask_index_type"});
  if (c.WantsOutput(1)) {
    // How many ids count; zeros without a mask.
    Endpoint count =
        mask ? c.Reduce("ReduceSum", c.CastTo(f.Equal(mask, c.NumberLike(1, mask, "counts")), C_DT_INT32), {1}, false)
             : f.Zeros(f.Vector({f.Dim(ids, 0)}), C_DT_INT32);
    c.Out(1, count);
  }
  if (c.WantsOutput(2)) c.Out(2, sum);
}

// [batch, channels] at the end or in front, in groups; what follows may be x * sigmoid(x).
Endpoint NormalizeGroups(NodeContext &c, Endpoint x, Endpoint gamma, Endpoint beta) {
  Formula f(c);
  const int64_t groups = c.NeedInt("groups"), activation = c.NeedInt("activation");
  const float epsilon = c.Float("epsilon", 1e-5f);
  const bool last = c.Flag("channels_last", true);
  if (activation != 0 && activation != 1)
    c.Refuse(Reason::kInvalidModel, Str("activation is ", activation, ", expected 0 or 1"));
  const int64_t rank = c.NeedRank(x, "to find its channels");
  if (rank < 3 || groups <= 0)
    c.Refuse(Reason::kInvalidModel, Str("groups is ", groups, ", the input has rank ", rank));
  const int64_t channels = c.ShapeOf(x)[static_cast<size_t>(last ? rank - 1 : 1)];
  if (channels >= 0 && channels % groups != 0)
    c.Refuse(Reason::kInvalidModel, Str(channels, " channels do not divide into ", groups, " groups"));
  std::vector<int64_t> front, back;  // channels to the front, and back
  for (int64_t i = 0; i < rank; ++i) {
    front.push_back(i == 0 ? 0 : i == 1 ? rank - 1 : i - 1);
    back.push_back(i == 0 ? 0 : i == rank - 1 ? 1 : i + 1);
  }
  if (last) x = c.Transpose(x, front);
  const int32_t type = c.NeedType(x, "to normalise it");
  const Endpoint shape = c.ShapeValue(x),
                 grouped = c.Op("Reshape", {c.Widened(x), c.ConstInts({0, groups, -1}, "groups")});
  const Endpoint extent = f.Dims(grouped, 2, 3);
  Endpoint y = f.Reshape(c.Op("LayerNormV4", {grouped, extent, {}, {}}, {{"epsilon", epsilon}}), shape);
  const auto beside = [&](Endpoint v) { return c.CastLike(f.Along(v, 1, rank), y); };
  y = f.Add(f.Mul(y, beside(gamma)), beside(beta));
  if (activation == 1) y = f.Mul(y, c.Op("Sigmoid", {y}));
  y = c.CastTo(y, type);
  return last ? c.Transpose(y, back) : y;
}

void MicrosoftGroupNorm(NodeContext &c) { c.Out(0, NormalizeGroups(c, c.In(0), c.In(1), c.In(2))); }

void SkipGroupNorm(NodeContext &c) {
  Endpoint skip = c.In(3);
  // [batch, channels] is spread over the positions.
  if (c.Rank(skip) == 2) skip = c.Unsqueeze(skip, {1, 2});
  const Endpoint sum = Summed(c, Summed(c, c.In(0), skip), c.OptIn(4));
  c.Out(0, NormalizeGroups(c, sum, c.In(1), c.In(2)));
  if (c.WantsOutput(1)) c.Out(1, sum);
}

constexpr Handler kContribNormHandlers[] = {
    {"", "SimplifiedLayerNormalization", 1, SimplifiedLayerNormalization},
    {"com.microsoft", "EmbedLayerNormalization", 1, EmbedLayerNormalization},
    {"com.microsoft", "GroupNorm", 1, MicrosoftGroupNorm},
    {"com.microsoft", "SimplifiedLayerNormalization", 1, SimplifiedLayerNormalization},
    {"com.microsoft", "SkipGroupNorm", 1, SkipGroupNorm},
    {"com.microsoft", "SkipLayerNormalization", 1, SkipLayerNormalization},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", 1, SkipSimplifiedLayerNormalization},
};

}  // namespace

HandlerTable ContribNormHandlers() { return {std::begin(kContribNormHandlers), std::end(kContribNormHandlers)}; }

}  // namespace gec::onnx
