// Operators of narrow use: detection heads, mixtures of experts across ranks, hash tables, compression, physics. What
// depends on values, files or other ranks stays unknown.
#include "protos/infer/described.h"

namespace gec::infer {
namespace {

constexpr Described kDescribedSpecial[] = {
    // detection and images
    {"Aipp", "?:FLOAT16"},
    {"AnchorResponseFlags", "[@featmap_size.0*@featmap_size.1*@num_base_anchors]:UINT8"},
    {"GenerateBoundingBoxProposals", "[0.0,@post_nms_topn,4]:0 [0.0,@post_nms_topn]:0"},
    {"IMGWarpOffsets", "?:0"},
    {"Col2ImV2", "%r0=2%[0.0/#2.0/#2.1,#1.0,#1.1]|%r0=3%[0.0,0.1/#2.0/#2.1,#1.0,#1.1]|?:0"},
    {"Mask2Argmax", "?:1"},
    {"MultiScaleDeformableAttnFunction", "!0=4 [0.0,3.1,0.2*0.3]:0"},
    {"Rgb2yuv422", "0?"},
    {"RpnProposals", "[@post_nms_num,4]:FLOAT16"},
    {"TransArgb", "0?:INT16"},
    {"Yolo",
     "!0=4 [0.0,@boxes*@coords,0.2*0.3*2+32^32*32/2]:0 [0.0,0.2*0.3*@boxes*2+32^32*32/2]:0 "
     "[0.0,@classes,0.2*0.3*@boxes*2+32^32*32/2]:0"},
    {"YoloPreDetection",
     "!0=4 [0.0,@boxes*@coords,0.2*0.3*2+32^32*32/2]:0 [0.0,0.2*0.3*@boxes*2+32^32*32/2]:0 "
     "[0.0,@classes,0.2*0.3*@boxes*2+32^32*32/2]:0"},
    {"YoloV3DetectionOutputV2",
     "%out_box_dim=2%[0.0,@post_nms_topn*6]|[0.0,6,@post_nms_topn]:0 %out_box_dim=2%[0.0,8]|[0.0,8,1]:INT32"},
    {"YoloV5DetectionOutput",
     "%out_box_dim=2%[0.0,@post_nms_topn*6]|[0.0,6,@post_nms_topn]:0 %out_box_dim=2%[0.0,8]|[0.0,8,1]:INT32"},
    // points
    {"StackGroupPoints", "[2.0,0.1,2.1]:0"},
    {"ThreeInterpolateBackward", "!0=3 [0.0,0.1,@m]:0"},
    // layers and losses
    {"ActULQClampMaxGrad", "?:0"},
    {"ActULQClampMinGrad", "?:0"},
    {"CTCLossV2", "!0=3 [0.1]:0 [0.1,0.0,?]:0"},
    {"CrossEntropySumExpAndIndexLogit", "1:FLOAT 1:FLOAT 0:FLOAT 1:INT32 1:INT32"},
    {"FusedPatchMlp", "?:0"},
    {"GNTrainingUpdate",
     "!0=4 0 %f0=NHWC%[0.0,1,1,@num_groups,1]|[0.0,@num_groups,1,1,1]:FLOAT "
     "%f0=NHWC%[0.0,1,1,@num_groups,1]|[0.0,@num_groups,1,1,1]:FLOAT"},
    {"GroupedBiasAddGrad", "%1%[1.0,0.-1]|[0.0,0.-1]:0"},
    {"INTrainingReduceV2",
     "!0=4..5 %f0=NHWC%[0.0,1,1,0.3]|%f0=NDHWC%[0.0,1,1,1,0.4]|%r0=5%[0.0,0.1,1,1,1]|[0.0,0.1,1,1]:FLOAT "
     "%f0=NHWC%[0.0,1,1,0.3]|%f0=NDHWC%[0.0,1,1,1,0.4]|%r0=5%[0.0,0.1,1,1,1]|[0.0,0.1,1,1]:FLOAT"},
    {"LSTMP", "!0=3 [0.0,0.1,?]:0 [?,?,?]:0 [?,?,?]:0"},
    {"MovingSumWithSigmoid", "?:1"},
    {"SwinTransformerLnQKV",
     "!0=3 [0.0*0.1/@seq_length,@head_num,@seq_length,@head_dim]:FLOAT16 "
     "[0.0*0.1/@seq_length,@head_num,@seq_length,@head_dim]:FLOAT16 "
     "[0.0*0.1/@seq_length,@head_num,@seq_length,@head_dim]:FLOAT16"},
    {"TransformBiasRescaleQkv",
     "!0=3 [0.0,@num_heads,0.1,0.2/3/@num_heads]:0 [0.0,@num_heads,0.1,0.2/3/@num_heads]:0 "
     "[0.0,@num_heads,0.1,0.2/3/@num_heads]:0"},
    {"StrideAdd", "!0=5 [0.0,@c1_len,0.2,0.3,0.4]:0"},
    // experts, sampling, caches
    {"MoeFinalizeRoutingV2Grad",
     "!0:2:3 !0=2 %drop_pad_mode=1%[@expert_num,@expert_capacity,0.1]|%active_num=0%[1.0,0.1]|[?,0.1]:0 "
     "%3%3|[0.0,1]:0"},
    {"TopKTopPSample", "!0=2 !1=1 !1.0=0.0 [0.0]:INT64 0:FLOAT"},
    {"TopKTopPSampleV2", "!0=2 [0.0]:INT64 0:FLOAT 0:INT64 0:FLOAT"},
    {"DequantRopeQuantKvcache",
     "[0...!,@size_splits.0/3.-1,3.-1]:1 [0...!,@size_splits.1/3.-1,3.-1]:1 [0...!,@size_splits.2/3.-1,3.-1]:1 3:3 "
     "4:4"},
    {"RopeQuantKvcache",
     "[0...!,@size_splits.0/5.-1,5.-1]:FLOAT16 [0...!,@size_splits.1/5.-1,5.-1]:FLOAT16 "
     "[0...!,@size_splits.2/5.-1,5.-1]:FLOAT16 5:5 6:6"},
    // quantisation and compression
    {"Compress", "?:0 ?:INT8"},
    {"CompressFcOp", "?:INT8 ?:INT8 ?:UINT32"},
    {"DequantSituQuant", "0~-1:INT8 [0...!]:FLOAT"},
    {"HansDecode", "?:0"},
    {"HansEncode", "1 ?:0 ?:0 ?:0"},
    {"SignBitsPack", "!0=1 [@size,0.0^8^@size]:UINT8"},
    {"SignBitsUnpack", "!0=1 [@size,0.0*8/@size]:@dtype"},
    {"SituMxQuant", "0~-1:@dst_type %axis=-1%[0...!,0.-1/2^32^2,2]|?:FLOAT8_E8M0"},
    {"SwigluGroupQuant", "0~-1:@dst_type ?:? 0~-1:0"},
    {"TurboQuantCompressLatent", "?:UINT8"},
    // numbers, indices, memory
    {"AngleV2", "0:~0"},
    {"Coordinates1DTo2D", "0 0 ?:0"},
    {"IndexToAddr", "?:0"},
    {"MapIndex", "?:INT32"},
    {"NonZeroWithValue", "!0=2 [0.0*0.1]:0 [0.0*0.1*2]:INT32 [1]:INT32"},
    {"QueueData", "?:UINT8"},
    {"TopKPQDistance", "[@k]:1 [@k]:INT32 [@k]:INT32"},
    {"TopKPQDistanceV2", "v:0 v:INT32"},
    {"VariableV2", "0"},
    // molecular dynamics
    {"ProdEnvMatACalcRij", "[0.0,?]:0 [0.0,?]:INT32 [0.0,?]:0 [0.0,?]:0 [0.0,?]:0 [0.0,?]:0"},
    {"ProdForceSeA", "?:0"},
    {"ProdVirialSeA", "?:0 ?:0"},
    {"TabulateFusion", "[3.0,4,@last_layer_size]:0"},
    {"TabulateFusionGrad", "2 3"},
};

}  // namespace

std::span<const Described> DescribedSpecial() { return kDescribedSpecial; }

}  // namespace gec::infer
