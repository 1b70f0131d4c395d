"""The definitions that must name operators, for operator_lists.py: their types, and why no trait says it."""

ALLOWED = {
    "core/ir/node.cpp:IsDataType": (
        "AippData AnnData AnyData Data RefData",
        "the kinds of graph input, which have no computation to have traits of",
    ),
    "core/ir/node.cpp:IsVariableType": ("VarHandleOp Variable VariableV2", "the one place that says which nodes are variables"),
    "core/compile/leading_constants.cpp:Of": (
        "GatherV2 Range Slice StridedSliceV2",
        "what takes the leading part of a value, and by which inputs each says so",
    ),
    "core/passes/constant_folding.cpp:FromShape": (
        "Rank Shape Size",
        "operators that ask only for the shape have a fold of their own",
    ),
    "core/passes/fuse_conv_batch_norm.cpp:ReadAffine": (
        "Add BNInfer BiasAdd Mul Sub",
        "what may be folded into a convolution's weights, and as what",
    ),
    "core/passes/fuse_gelu.cpp:Erf": ("Add Div Erf Mul RealDiv", "the pattern"),
    "core/passes/fuse_gelu.cpp:TanhOfCube": ("Add Mul Pow Square", "the pattern"),
    "core/passes/fuse_gelu.cpp:TanhFactored": ("Add Mul Square", "the pattern"),
    "core/passes/fuse_layer_norm.cpp:NormRule": (
        "Add Div LayerNormV4 Mul Pow RealDiv Reciprocal ReduceMean Rsqrt Sqrt Square SquaredDifference Sub",
        "the pattern",
    ),
    "core/passes/fuse_layer_norm.cpp:ParameterRule": ("Add LayerNormV4 Mul", "the pattern"),
    "core/passes/fuse_layer_norm.cpp:Variance": ("Maximum Relu Sub", "the pattern"),
    "core/passes/fuse_layer_norm.cpp:InverseDeviation": ("Mul Reciprocal Rsqrt Sqrt", "the pattern"),
    "core/passes/fuse_layer_norm.cpp:ReadNorm": ("Div Mul RealDiv Sqrt Sub", "the pattern"),
    "core/passes/product.cpp:HasProduct": (
        "BatchMatMul BatchMatMulV2 FusedMatMulV2 MatMul MatMulV2",
        "the products that take an epilogue",
    ),
    "core/passes/product.cpp:ReadProduct": (
        "BatchMatMul BatchMatMulV2 FusedMatMulV2 MatMul MatMulV2",
        "the products that take an epilogue, with their attributes",
    ),
    "core/passes/fuse_softmax.cpp:Shifted": ("Maximum ReduceMax Sub", "the pattern"),
    "core/passes/fuse_softmax.cpp:ReadSoftmax": ("Div Log LogSoftmaxV2 Mul RealDiv Reciprocal Sub", "the pattern"),
    "core/compile/plan_sizes.cpp:TellsShape": (
        "BroadcastTo Expand LayerNormV4 Resize",
        "whose inputs tell extents that are known without them",
    ),
    "core/passes/layout_propagation.cpp:KindOf": (
        "AvgPoolV2 ConcatV2 GlobalAveragePool MaxPoolV3 PadV3 Resize SplitV",
        "how channels pass through operators that are not element by element",
    ),
    "core/passes/one_hot.cpp:ReadOneHot": ("Cast Equal OneHot", "the pattern"),
    "core/passes/conv.cpp:ConvKinds": (
        "Conv2D Conv2DTranspose Conv3D Conv3DTranspose Conv3DTransposeV2 FusedConv2D FusedConv3D FusedConvTranspose",
        "the forms of a convolution, and which one takes an activation",
    ),
    "core/passes/pad_conv.cpp:IsPad": ("Pad PadV2 PadV3", "the pattern"),
    "core/passes/quantized_layout.cpp:KindOf": (
        "AvgPoolV2 ConcatV2 DequantizeLinear MaxPoolV3 QuantizeLinear QuantizedConv2D",
        "how channels pass through operators that are not element by element",
    ),
    "core/passes/lines.cpp:PutsIn": (
        "ExpandDims Unsqueeze UnsqueezeV3",
        "which dimension a view puts in each names in a way of its own",
    ),
    "core/passes/rows.cpp:Square": ("Mul Pow Square", "the forms of a square"),
    "core/passes/rows.cpp:Mean": ("Div Mul RealDiv ReduceMean ReduceSum", "the forms of a mean"),
    "core/variables/variables.cpp:FindReads": (
        "Identity ReadVariableOp VarIsInitializedOp",
        "lowering: what reads a variable, and what asks for one",
    ),
    "core/variables/variables.cpp:Lower": (
        "Identity ReadVariableOp VarIsInitializedOp",
        "lowering: what reads a variable, and what asks for one",
    ),
    "runtime/session/watched_values.cpp:HandsOn": (
        "Assign AssignAdd AssignSub Cast Identity ReadVariableOp TransData",
        "what hands on the variable that Save watches",
    ),
    "engines/onednn/matmul.cpp:ReadMatMulAttributes": (
        "FusedMatMulV2 GEMM MatMul MatMulV2",
        "attributes of the versions of one operator",
    ),
    "engines/onednn/pool_spec.cpp:ReadPool": (
        "AvgPool MaxPool MaxPoolV3 Pooling",
        "attributes of the versions of one operator",
    ),
    "engines/onednn/taps_spec.cpp:Is3D": ("3D*", "the name alone says whether windows have two or three dimensions"),
    "engines/onednn/taps_spec.cpp:ReadTapsSpec": (
        "Fused* Transpose*",
        "attributes and inputs of the versions of one operator",
    ),
    "engines/reference/conv/conv_setup.cpp:ReadConv": (
        "Conv2DV2 Conv3DV2 FusedConv2D FusedConv3D QuantizedConv2D",
        "attributes of the versions of one operator",
    ),
    "engines/reference/conv/conv_setup.cpp:CheckConv": ("Fused*", "inputs of the versions of one operator"),
    "engines/reference/conv/conv_transpose.cpp:CreateFor": ("Fused*", "attributes of the versions of one operator"),
    "engines/reference/conv/conv_transpose.cpp:CheckConvTranspose": ("Fused*", "inputs of the versions of one operator"),
    "engines/reference/conv/image.h:WindowRank": (
        "3D*",
        "the name alone says whether windows have two or three dimensions",
    ),
    "engines/reference/conv/pool.cpp:CreateVolume": (
        "AvgPool3D MaxPool3DWithArgmaxV2 MaxPoolWithArgmaxV3",
        "attributes of the versions of one operator",
    ),
    "engines/reference/movement/pad.cpp:ModeOf": ("MirrorPad Pad PadV2", "attributes of the versions of one operator"),
    "engines/simd/elementwise.cpp:PerChannel": ("BNInfer BiasAdd PRelu", "whose parameters lie along the channels"),
    "engines/simd/rowwise.cpp:NormKernel": (
        "LayerNorm LayerNormV4 RmsNorm",
        "attributes of the versions of one operator",
    ),
    "engines/simd/rowwise.cpp:ReduceKernel": ("ReduceMax ReduceMean ReduceMin ReduceProd", "the kind of reduction"),
}
