"""A fusion pass of one's own: a product and a sum that follows it become one product with a bias.

A file like this works in every program, also one in C or C++, that runs with ASCEND_GE_PY_PASS_PATH naming it.
"""

from ge.es.all import Add, MatMulV2
from ge.passes import PassStage, PatternFusionPass, pattern, register_fusion_pass


@register_fusion_pass(name="ProductWithBias", stage=PassStage.AFTER_INFER_SHAPE)
class ProductWithBias(PatternFusionPass):
    # Inputs stand for any tensor; operands count by position, so each order has a pattern of its own.
    @pattern
    def product_plus_bias(self, inputs):
        x, w, bias = inputs[:3]
        return Add(MatMulV2(x, w), bias)

    @pattern
    def bias_plus_product(self, inputs):
        x, w, bias = inputs[:3]
        return Add(bias, MatMulV2(x, w))

    # Inputs of the pattern are captured first. A bias is a row: anything else stays a sum.
    def meet_requirements(self, match):
        bias = match.get_captured_tensor(2)
        return len(bias.node.get_output_desc(bias.index).get_shape()) == 1

    def replacement(self, inputs):
        x, w, bias = inputs[:3]
        return MatMulV2(x, w, bias)
