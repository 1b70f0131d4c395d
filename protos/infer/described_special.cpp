// Operators of narrow use: detection heads, mixtures of experts across ranks, hash tables, compression, physics. Often
// only the data types of their outputs are certain, or their rank; extents that depend on values stay unknown.
#include "protos/infer/described.h"

namespace gec::infer {
namespace {

constexpr Described kRows[] = {
    // detection and images
    {"Aipp", "?:FLOAT16"},
    {"AnchorResponseFlags", "v:UINT8"},
    {"CombinedNonMaxSuppression", "[0.0,?,4]:FLOAT [0.0,?]:FLOAT [0.0,?]:FLOAT [0.0]:INT32"},
    {"Correlation", "[1.0,?,?,?]:?"},
    {"DeformableOffsets", "[0.0,?,?,?]:0"},
    {"ExtendConv2D", "[0.0,?,?,?]:? ?:?"},
    {"GenerateBoundingBoxProposals", "[0.0,@post_nms_topn,4]:0 [0.0,@post_nms_topn]:0"},
    {"IMGWarpOffsets", "?:0"},
    {"Col2ImV2", "?:0"},
    {"MaxPoolWithArgmaxV1", "[0.0,?,?,?]:0 ?:?"},
    {"MaxPoolWithArgmaxV2", "[0.0,?,?,?]:0 ?:UINT16"},
    {"Mask2Argmax", "?:1"},
    {"AvgPool1DAvgMatrix", "?:0"},
    {"MultiScaleDeformableAttnFunction", "?:0"},
    {"Rgb2yuv422", "?:0"},
    {"RpnProposals", "?:FLOAT16"},
    {"TransArgb", "?:INT16"},
    {"Yolo", "?:0 ?:0 ?:0"},
    {"YoloPreDetection", "?:0 ?:0 ?:0"},
    {"YoloV3DetectionOutputV2", "?:0 ?:INT32"},
    {"YoloV5DetectionOutput", "?:0 ?:INT32"},
    // points
    {"StackGroupPoints", "[2.0,0.1,2.1]:0"},
    {"ThreeInterpolateBackward", "?:0"},
    // layers and losses
    {"ActULQClampMaxGrad", "?:0"},
    {"ActULQClampMinGrad", "?:0"},
    {"CTCLossV2", "?:0 ?:0"},
    {"CrossEntropySumExpAndIndexLogit", "?:FLOAT ?:FLOAT ?:FLOAT ?:INT32 ?:INT32"},
    {"FusedPatchMlp", "?:0"},
    {"GNTrainingUpdate", "0 ?:FLOAT ?:FLOAT"},
    {"GroupedBiasAddGrad", "[?,0.-1]:0"},
    {"INTrainingReduceV2", "?:FLOAT ?:FLOAT"},
    {"LSTMP", "?:0 ?:0 ?:0"},
    {"MovingSumWithSigmoid", "?:1"},
    {"SwinTransformerLnQKV", "?:FLOAT16 ?:FLOAT16 ?:FLOAT16"},
    {"TransformBiasRescaleQkv", "[0.0,@num_heads,0.1,?]:0 [0.0,@num_heads,0.1,?]:0 [0.0,@num_heads,0.1,?]:0"},
    {"StrideAdd", "?:0"},
    // experts, sampling, caches
    {"AlltoAllAllGatherBatchMatMul", "?:0 ?:0 ?:0"},
    {"AlltoAllvGroupedMatMul", "?:0 ?:0 ?:0"},
    {"BatchMatMulReduceScatterAlltoAll", "?:0"},
    {"GroupedMatMulAlltoAllv", "?:0 ?:0"},
    {"MoeDistributeDispatch", "[?,0.1]:? ?:FLOAT v:INT32 v:INT64 v:INT32 v:INT32 ?:FLOAT"},
    {"MoeDistributeDispatchV2", "[?,0.1]:? ?:FLOAT v:INT32 v:INT64 v:INT32 v:INT32 ?:FLOAT"},
    {"MoeFinalizeRoutingV2Grad", "?:0 ?:0"},
    {"MoeInitRoutingQuantV2", "?:INT8 v:INT32 v:INT32 v:INT32 ?:FLOAT"},
    {"TopKTopPSample", "[0.0]:INT64 0:FLOAT"},
    {"TopKTopPSampleV2", "[0.0]:INT64 ?:FLOAT ?:INT64 ?:FLOAT"},
    {"DequantRopeQuantKvcache", "?:1 ?:1 ?:1 3:3 4:4"},
    {"RopeQuantKvcache", "?:FLOAT16 ?:FLOAT16 ?:FLOAT16 5:5 6:6"},
    // quantisation and compression
    {"Compress", "?:0 ?:INT8"},
    {"CompressFcOp", "?:INT8 ?:INT8 ?:UINT32"},
    {"DequantSituQuant", "?:INT8 ?:FLOAT"},
    {"FlatQuant", "?:@dst_dtype ?:?"},
    {"HansDecode", "?:0"},
    {"HansEncode", "1 ?:0 ?:0 ?:0"},
    {"QuantMatmulActivationQuant", "?:@y_dtype ?:FLOAT8_E8M0"},
    {"QuantMatmulReduceSum", "?:BF16"},
    {"RotateQuant", "?:@y_dtype ?:?"},
    {"SignBitsPack", "[@size,?]:UINT8"},
    {"SignBitsUnpack", "[@size,?]:@dtype"},
    {"SituMxQuant", "?:@dst_type ?:FLOAT8_E8M0"},
    {"SwigluGroupQuant", "?:@dst_type ?:? ?:0"},
    {"SwigluMxQuant", "?:@dst_type ?:FLOAT8_E8M0"},
    {"TransposeQuantBatchMatMul", "?:@dtype"},
    {"TurboQuantCompressLatent", "?:UINT8"},
    // numbers, indices, memory
    {"AngleV2", "0:?"},
    {"Coordinates1DTo2D", "?:0 ?:0 ?:0"},
    {"IndexToAddr", "?:0"},
    {"MapIndex", "?:INT32"},
    {"NonZeroWithValue", "v:0 ?:INT32 ?:INT32"},
    {"QueueData", "?:UINT8"},
    {"TopKPQDistance", "v:1 v:INT32 v:INT32"},
    {"TopKPQDistanceV2", "v:0 v:INT32"},
    {"VariableV2", "0"},
    // molecular dynamics
    {"ProdEnvMatACalcRij", "?:0 ?:INT32 ?:0 ?:0 ?:0 ?:0"},
    {"ProdForceSeA", "?:0"},
    {"ProdVirialSeA", "?:0 ?:0"},
    {"TabulateFusion", "[3.0,4,@last_layer_size]:0"},
    {"TabulateFusionGrad", "2 3"},
};

}  // namespace

std::span<const Described> DescribedSpecial() { return kRows; }

}  // namespace gec::infer
