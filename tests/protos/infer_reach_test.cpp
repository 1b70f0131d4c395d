// How far inference reaches: many nodes of every operator with known inputs, and the operators of which none had
// outputs of known shape. The lists below are what docs/limits.md counts.
#include <gtest/gtest.h>

#include <iterator>
#include <set>
#include <sstream>

#include "protos/table/prototypes.h"
#include "tests/protos/infer_case.h"

namespace gec {
namespace {

class Random {
 public:
  explicit Random(const char *seed) {
    for (; *seed; ++seed) state_ = state_ * 31 + static_cast<unsigned char>(*seed);
  }
  int64_t operator()(uint64_t bound) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<int64_t>(state_ % bound);
  }
  template <class T>
  const T &Of(const std::vector<T> &values) {
    return values[static_cast<size_t>((*this)(values.size()))];
  }

 private:
  uint64_t state_ = 88172645463325252ull;
};

bool MayBeInteger(const std::string &types) {
  return types.find("INT32") != std::string::npos || types.find("INT64") != std::string::npos ||
         types.find("Index") != std::string::npos;
}
bool MayBeFloat(const std::string &types) {
  return types.find("FLOAT") != std::string::npos || types.find("Type") != std::string::npos || types == "T" ||
         types.find("T1") != std::string::npos || types.find("ALL") != std::string::npos;
}

/// A node with inputs whose shapes and values are known.
InferCase Node(const GeOpSchema &schema, Random &random) {
  InferCase c(schema.type);
  const std::vector<const char *> words = {"NCHW",  "NHWC",  "NCDHW",       "NDHWC",    "SAME", "VALID", "REFLECT",
                                           "ij->j", "int32", "torch.qint8", "constant", "mean", "none",  "forward"};
  const size_t rank = static_cast<size_t>(random(6)), length = static_cast<size_t>(1 + random(6));
  const int64_t one = random(3) ? 1 : 2;
  const bool all_attrs = random(4) == 0;
  for (size_t i = 0; i < schema.attr_count; ++i) {
    const GeIrAttr &attr = schema.attrs[i];
    if (!attr.required && !all_attrs && random(4)) continue;
    const char *name = attr.value.name;
    if (attr.value.type == C_VT_INT) c.A(name, std::string(name).ends_with("rank_id") ? 0 : one);
    if (attr.value.type == C_VT_BOOL) c.B(name, random(2) != 0);
    if (attr.value.type == C_VT_DATA_TYPE) c.D(name, C_DT_INT32);
    if (attr.value.type == C_VT_STRING) c.A(name, random.Of(words));
    if (attr.value.type == C_VT_FLOAT && attr.required) c.A(name, static_cast<float>(i + 1));
    if (attr.value.type == C_VT_LIST_LIST_INT && attr.required) c.A(name, std::vector<Ints>(rank, Ints{1, one}));
    if (attr.value.type == C_VT_LIST_INT) {
      Ints list(random(3) ? length : static_cast<size_t>(random(7)), random(4) ? 1 : 0);
      if (std::string(name) == "perm" || std::string(name).starts_with("perm_"))
        for (size_t k = 0; k < list.size(); ++k) list[k] = static_cast<int64_t>(k);
      c.A(name, list);
    }
  }
  const Ints extents = {1, 2, 3, 4, 8, 64};
  Ints shared(rank);
  for (int64_t &extent : shared) extent = random.Of(extents);
  if (random(2)) shared.assign(rank, 4);
  for (size_t i = 0; i < schema.input_count; ++i) {
    const GeIrPort &port = schema.inputs[i];
    std::string types = port.data_types ? port.data_types : "";
    int32_t count = port.kind == GE_IR_DYNAMIC ? static_cast<int32_t>(1 + random(2)) : 1;
    for (int32_t k = 0; k < count; ++k) {
      if (port.kind == GE_IR_OPTIONAL && random(3) == 0) {
        c.None();
      } else if (MayBeInteger(types) && (!MayBeFloat(types) || random(3) == 0) && random(4)) {
        Ints values(static_cast<size_t>(random(6)), 1);
        if (random(3) == 0)
          for (int64_t &value : values) value = random(3);
        if (random(3) == 0) c.S(1);
        else c.V(values);
      } else {
        Ints dims = shared;
        if (random(3) == 0) {
          dims.resize(static_cast<size_t>(random(6)));
          for (int64_t &extent : dims) extent = random.Of(extents);
        }
        bool is_bool = types.find("BOOL") != std::string::npos && random(2);
        c.T(is_bool ? C_DT_BOOL : MayBeFloat(types) ? C_DT_FLOAT : C_DT_INT32, dims);
      }
    }
    if (port.kind == GE_IR_DYNAMIC) c.Count(count);
  }
  return c.Outputs(schema.output_count);
}

/// Worst output: 0 all extents known, 1 some, 2 none of several or the one, 3 not even their number.
int Openness(const Inferred &r) {
  int worst = 0;
  for (const std::string &shape : r.shapes) {
    if (shape == "[?]") return 3;
    size_t unknown = 0, all = shape == "[]" ? 0 : 1 + static_cast<size_t>(std::count(shape.begin(), shape.end(), ','));
    for (size_t at = shape.find("-1"); at != std::string::npos; at = shape.find("-1", at + 1)) ++unknown;
    worst = std::max(worst, unknown == 0 ? 0 : unknown < all ? 1 : 2);
  }
  return worst;
}

using Names = std::set<std::string>;

Names Split(const std::string &text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

// What an output is like depends on values, on files or on what other ranks send, or is not said anywhere.
const Names kUnknownRank = Split(
    "ActULQClampMaxGrad ActULQClampMinGrad Aipp CheckValid ComplexV2 Compress CompressFcOp Coordinates1DTo2D "
    "FusedPatchMlp HansDecode HansEncode IMGWarpOffsets IMGWarpResize Im2col IndexToAddr MapIndex "
    "Mask2Argmax MovingSumWithSigmoid NonZeroWithValueShape ProdForceSeA ProdVirialSeA QueueData "
    "RaggedTensorFromVariant RandomNormal ReadVariableOp ReluV2 SequenceAt SequenceConcat SwigluGroupQuant "
    "TransDataRNN "
    "TurboQuantCompressLatent");
// The number of values is the result of the computation, but for Iou3D, LSTMP, RoiAlignRotated and TopKPQDistanceV2.
const Names kUnknownExtents = Split(
    "DSAGenBitMask EmbeddingHashTableExport Iou3D LSTMP ListDiff MaskedSelect MaskedSelectV2 "
    "MoeDistributeDispatch MoeDistributeDispatchV2 NonMaxSuppressionV3 NonMaxSuppressionV4 RoiAlignRotated "
    "RotatedNMS SequenceErase SortedNMS SparseFillEmptyRows SparseSlice TextConcat TextNormalize TextOfNumbers "
    "TextSplit "
    "TopKPQDistanceV2 Unique UniqueConsecutive "
    "UniqueWithCounts UniqueWithCountsAndSorting UniqueWithCountsExt2");
const Names kSomeUnknownExtents = Split(
    "CTCLossV2 ChamferDistance CoalesceSparse DynamicPartition NonMaxSuppressionV6 NonMaxSuppressionV7 "
    "NonZero ProdEnvMatACalcRij UniqueExt2 Where");
// Chance does not find inputs that fit together, or all optional ones; the other tests of this folder have them.
const Names kNotByChance = Split(
    "AffineGrid AlltoAllAllGatherBatchMatMul AlltoAllvGroupedMatMul CombinedNonMaxSuppression CommonGRU "
    "CommonLSTM Conv2DTranspose DeformableOffsets DepthwiseWeight6DTo4D EmbeddingBag ExtendConv2D "
    "FusedConvPool2D FusedDenseLayers FusedSeparableConv2D GatherShapes GroupedMatMulAlltoAllv MatrixDiagV2 "
    "MatrixDiagV3 MaxPoolV2 "
    "QuantMatmulReduceSum "
    "QuantizedConv2D "
    "QuantizedMatMul Range "
    "SparseTensorDenseMatMul WeightOnlyQuantizedMatMul");

TEST(InferReach, OperatorsWithoutShapesAreThese) {
  Names ranks, extents, some;
  ForEachBuiltinPrototype([&](const GeOpSchema &schema) {
    std::string type = schema.type;
    if (type == "Const" || type == "Constant") return;  // the graph knows what they hold
    if (schema.output_count == 0 || schema.graph_count || kNotByChance.count(schema.type)) return;
    const OpEntry *entry = OpRegistry::Instance().Find(Symbol(schema.type));
    Random random(schema.type);
    int best = 4;
    for (int round = 0; entry && entry->infer && round < 20000 && best > 0; ++round) {
      if (round >= 3000 && best < 4) break;
      Inferred r = Node(schema, random).Run();
      if (r.status == GE_SUCCESS) best = std::min(best, Openness(r));
    }
    if (best >= 3) ranks.insert(schema.type);
    if (best == 2) extents.insert(schema.type);
    if (best == 1) some.insert(schema.type);
  });
  EXPECT_EQ(ranks, kUnknownRank);
  EXPECT_EQ(extents, kUnknownExtents);
  EXPECT_EQ(some, kSomeUnknownExtents);
}

}  // namespace
}  // namespace gec
