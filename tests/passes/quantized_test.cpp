// Quantised graphs: integer products, operators that move bytes, weights that stay stored. Scales are powers of two, so
// that floats are exact, and results are equal to the bit.
#include "pass_graph.h"

using namespace gec;
using namespace gec::test;

namespace {

Endpoint Bytes(Builder &b, Shape shape, int32_t dtype = C_DT_INT8, int seed = 0) {
  std::vector<int8_t> values(static_cast<size_t>(shape.elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int8_t>((i * 37 + 11 + static_cast<size_t>(seed)) % 127 - 63);
  return {MakeConst(*b.graph, Tensor::Of(dtype, std::move(shape), values), "w"), 0};
}
Endpoint Zero(Builder &b, int8_t value, int32_t dtype = C_DT_INT8) {
  return {MakeConst(*b.graph, Tensor::Of(dtype, Shape(), std::vector<int8_t>{value}), "z"), 0};
}
Endpoint Quantize(Builder &b, Endpoint x, float scale, int8_t zero = 3, int32_t dtype = C_DT_INT8) {
  return b("QuantizeLinear", {x, b.Scalar(scale), Zero(b, zero, dtype)}, {{"dst_type", int64_t{dtype}}});
}
Endpoint Dequantize(Builder &b, Endpoint x, float scale, int8_t zero = 3) {
  return b("DequantizeLinear", {x, b.Scalar(scale), Zero(b, zero, DescOf(x).dtype)},
           {{"dst_type", int64_t{C_DT_FLOAT}}});
}
/// An activation: quantised, and floats again.
Endpoint Activation(Builder &b, Shape shape, float scale = 0.03125f, int8_t zero = 3, int32_t dtype = C_DT_INT8) {
  return Dequantize(b, Quantize(b, b.Input(std::move(shape)), scale, zero, dtype), scale, zero);
}
/// Weights with a scale for each slice along `axis`; -1: one scale.
Endpoint Weights(Builder &b, Shape shape, int64_t axis) {
  const int64_t count = axis < 0 ? 1 : shape[static_cast<size_t>(axis)];
  std::vector<float> scales;
  for (int64_t i = 0; i < count; ++i) scales.push_back(i % 2 ? 0.0078125f : 0.015625f);
  const Endpoint scale = axis < 0 ? b.Scalar(scales[0]) : b.Floats(Shape{count}, scales);
  return b("DequantizeLinear", {Bytes(b, std::move(shape)), scale},
           {{"axis", std::max<int64_t>(axis, 0)}, {"dst_type", int64_t{C_DT_FLOAT}}});
}
Endpoint Convolve(Builder &b, Endpoint x, Endpoint filter, Endpoint bias = {}) {
  return b("Conv2D", {x, filter, bias},
           {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
            {"pads", std::vector<int64_t>{1, 1, 1, 1}},
            {"dilations", std::vector<int64_t>{1, 1, 1, 1}},
            {"groups", int64_t{1}},
            {"data_format", "NCHW"}});
}

TEST(FuseQuantized, ConvolutionBiasActivationQuantize) {
  for (int parts = 0; parts < 32; ++parts) {
    Builder b;
    Endpoint bias;
    if (parts & 1) bias = b.Floats(Shape{6}, {1, -1, 0.5f, 2, 0, -3});
    Endpoint y = Convolve(b, Activation(b, {2, 4, 5, 5}), Weights(b, {6, 4, 3, 3}, parts & 2 ? 0 : -1), bias);
    if (parts & 4) y = b("Add", {b.Floats(Shape{6, 1, 1}, {1, -1, 0.5f, 2, 0, -3}), y});
    if (parts & 8) y = b("Relu", {y});
    if (parts & 16) y = Quantize(b, y, 0.0625f, 5, C_DT_UINT8);
    b.Outputs({y});
    EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0)) << parts;
    Node *fused = Only(*b.graph, "QuantizedConv2D");
    const bool both = (parts & 5) == 5;  // the second bias stays, and what is behind it
    EXPECT_EQ(fused->Int("dst_type"), (parts & 16) && !both ? C_DT_UINT8 : C_DT_FLOAT);
    EXPECT_EQ(fused->String("activation"), (parts & 8) && !both ? "relu" : "");
    EXPECT_EQ(Count(*b.graph, "Add"), both ? 1u : 0u);
    EXPECT_EQ(Count(*b.graph, "DequantizeLinear") + Count(*b.graph, "Conv2D"), 0u);
  }
}

TEST(FuseQuantized, ProductsInEveryForm) {
  for (const char *type : {"MatMulV2", "BatchMatMulV2"}) {
    for (int parts = 0; parts < 16; ++parts) {
      Builder b;
      const bool turned = parts & 1;
      Endpoint w = Weights(b, turned ? Shape{6, 5} : Shape{5, 6}, parts & 2 ? (turned ? 0 : 1) : -1);
      Endpoint y =
          b(type, {Activation(b, {3, 5}), w}, {{std::string(type) == "MatMulV2" ? "transpose_x2" : "adj_x2", turned}});
      if (parts & 4) y = b("Add", {y, b.Floats(Shape{6}, {1, -1, 0.5f, 2, 0, -3})});
      if (parts & 8) y = Quantize(b, y, 0.0625f);
      b.Outputs({y});
      EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0)) << type << parts;
      Node *fused = Only(*b.graph, "QuantizedMatMul");
      EXPECT_EQ(fused->Bool("adj_x2"), turned);
      EXPECT_EQ(static_cast<bool>(fused->input(6)), (parts & 4) != 0);
      EXPECT_EQ(static_cast<bool>(fused->input(7)), (parts & 8) != 0);
    }
  }
}

TEST(FuseQuantized, WeightsPerRowStayFloats) {
  Builder b;
  b.Outputs({b("MatMulV2", {Activation(b, {3, 5}), Weights(b, {5, 6}, 0)})});
  EXPECT_FALSE(Differential(b, {"FuseQuantized"}, 0));
}

TEST(FuseQuantized, DynamicallyQuantised) {
  for (int parts = 0; parts < 8; ++parts) {
    Builder b;
    Node *q = b.Op("DynamicQuantizeLinear", {b.Input({3, 5})});
    Endpoint sum = b("QuantizedMatMul", {{q, 0}, {}, {q, 2}, Bytes(b, {5, 6}), {}, Zero(b, 2)},
                     {{"dst_type", int64_t{C_DT_INT32}}});
    Endpoint scale = parts & 1 ? b.Floats(Shape{6}, {1, 2, 3, 4, 5, 6}) : b.Scalar(0.25f);
    Endpoint y = b("Mul", {b("Cast", {sum}, {{"dst_type", int64_t{C_DT_FLOAT}}}), b("Mul", {{q, 1}, scale})});
    if (parts & 2) y = b("Add", {b.Random({6}), y});
    if (parts & 4) y = b("Relu", {y});
    b.Outputs({y});
    EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 1e-6f)) << parts;
    Node *fused = Only(*b.graph, "QuantizedMatMul");
    EXPECT_EQ(fused->input(1), (Endpoint{q, 1}));
    EXPECT_EQ(Count(*b.graph, "Cast") + Count(*b.graph, "Mul") + Count(*b.graph, "Add") + Count(*b.graph, "Relu"), 0u);
  }
}

/// A bias as quantisers store it is added to the sums; in other steps it is a float.
TEST(FuseQuantized, StoredBias) {
  for (float step : {0.03125f * 0.015625f, 0.25f}) {
    Builder b;
    Endpoint stored{
        MakeConst(*b.graph, Tensor::Of(C_DT_INT32, Shape{6}, std::vector<int32_t>{1, -2, 300, 4, 5, -66}), "b"), 0};
    Endpoint bias = b("DequantizeLinear", {stored, b.Scalar(step)}, {{"dst_type", int64_t{C_DT_FLOAT}}});
    b.Outputs({Convolve(b, Activation(b, {1, 4, 5, 5}), Weights(b, {6, 4, 3, 3}, -1), bias)});
    EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0));
    EXPECT_EQ(DescOf(Only(*b.graph, "QuantizedConv2D")->input(6)).dtype, step < 0.1f ? C_DT_INT32 : C_DT_FLOAT);
  }
}

TEST(FuseQuantized, ValuesThatOthersReadStay) {
  Builder b;
  Endpoint y = b("MatMulV2", {Activation(b, {3, 5}), Weights(b, {5, 6}, -1)});
  b.Outputs({Quantize(b, y, 0.0625f), b("Relu", {y})});
  EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0));
  EXPECT_EQ(Only(*b.graph, "QuantizedMatMul")->Int("dst_type"), C_DT_FLOAT);
  EXPECT_EQ(Count(*b.graph, "QuantizeLinear"), 2u);
}

TEST(FuseQuantized, OperandsThatAreMovedAsBytes) {
  Builder b;
  Endpoint x = b("Reshape", {Activation(b, {3, 2, 5}), b.Ints({6, 5})});
  Endpoint w = b("Transpose", {Weights(b, {4, 5}, 0), b.Ints({1, 0})});
  b.Outputs({b("MatMulV2", {x, w})});
  EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0));
  Only(*b.graph, "QuantizedMatMul");
  EXPECT_EQ(Only(*b.graph, "Transpose")->output_desc(0).dtype, C_DT_INT8);
  EXPECT_EQ(Only(*b.graph, "Reshape")->output_desc(0).dtype, C_DT_INT8);
}

TEST(MoveQuantized, MovesBytesInPlaceOfFloats) {
  Builder b;
  Endpoint x = b("Transpose", {b("Reshape", {Activation(b, {4, 6}), b.Ints({2, 2, 6})}), b.Ints({2, 0, 1})});
  b.Outputs({b("Relu", {Dequantize(b, Quantize(b, x, 0.03125f), 0.03125f)})});
  EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0));
  EXPECT_EQ(Count(*b.graph, "QuantizeLinear"), 1u);
  EXPECT_EQ(Count(*b.graph, "DequantizeLinear"), 1u);
  EXPECT_EQ(Only(*b.graph, "Transpose")->output_desc(0).dtype, C_DT_INT8);
}

TEST(MoveQuantized, LargestOfBytes) {
  Builder b;
  Endpoint y = b("MaxPoolV3", {Activation(b, {1, 2, 6, 6})},
                 {{"ksize", std::vector<int64_t>{1, 1, 3, 3}},
                  {"strides", std::vector<int64_t>{1, 1, 2, 2}},
                  {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  b.Outputs({Quantize(b, y, 0.03125f)});
  EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0));
  EXPECT_EQ(Only(*b.graph, "MaxPoolV3")->output_desc(0).dtype, C_DT_INT8);
  EXPECT_EQ(Count(*b.graph, "QuantizeLinear"), 1u);
}

TEST(MoveQuantized, PartsAreQuantisedBeforeTheyAreJoined) {
  Builder b;
  Endpoint x = Activation(b, {2, 3}), y = Activation(b, {2, 4}, 0.0625f);
  Endpoint all = b("ConcatV2", {x, y, b.Int(1)}, {{"N", int64_t{2}}});
  b.Outputs({Quantize(b, all, 0.03125f)});
  EXPECT_TRUE(Differential(b, {"FuseQuantized"}, 0));
  EXPECT_EQ(Only(*b.graph, "ConcatV2")->output_desc(0).dtype, C_DT_INT8);
  EXPECT_EQ(Count(*b.graph, "QuantizeLinear"), 3u);
}

TEST(MoveQuantized, OtherScalesZeroPointsAndTypesChangeValues) {
  struct Case {
    float scale;
    int8_t zero;
    int32_t dtype;
  };
  for (const Case &c : {Case{0.0625f, 3, C_DT_INT8}, Case{0.03125f, 4, C_DT_INT8}, Case{0.03125f, 3, C_DT_UINT8}}) {
    Builder b;
    b.Outputs({Quantize(b, Activation(b, {4, 6}), c.scale, c.zero, c.dtype)});
    EXPECT_FALSE(Differential(b, {"FuseQuantized"}, 0));
  }
}

TEST(FoldDequantized, WeightsStayStoredUntilProductsWereSeen) {
  Builder b;
  Endpoint w = Weights(b, {5, 6}, 1);
  b.Outputs({b("MatMulV2", {b.Input({3, 5}), w}), b("MatMulV2", {Activation(b, {3, 5}), w})});
  EXPECT_FALSE(RunOne(*b.graph, "ConstantFolding"));
  EXPECT_TRUE(Differential(b, {"FuseQuantized", "FoldDequantized"}, 1e-5f));
  EXPECT_EQ(Count(*b.graph, "DequantizeLinear"), 0u);
  EXPECT_EQ(DescOf(Only(*b.graph, "MatMulV2")->input(1)).dtype, C_DT_FLOAT);
  EXPECT_EQ(DescOf(Only(*b.graph, "QuantizedMatMul")->input(3)).dtype, C_DT_INT8);
}

TEST(FuseElementwise, BytesComeAndLeave) {
  Builder b;
  Endpoint x = Quantize(b, b.Input({3, 40}), 0.03125f), y = Quantize(b, b.Input({3, 40}), 0.0625f, 100, C_DT_UINT8);
  Endpoint sum = b("Add", {Dequantize(b, x, 0.03125f), Dequantize(b, y, 0.0625f, 100)});
  Endpoint stored = Quantize(b, b("HardSwishV2", {sum}), 0.0625f, -7);
  b.Outputs({stored, b("Relu", {Dequantize(b, stored, 0.0625f, -7)})});
  EXPECT_TRUE(Differential(b, {"FuseElementwise"}, 1e-6f));
  Node *fused = Only(*b.graph, "FusedElementwise");
  EXPECT_EQ(fused->output_desc(0).dtype, C_DT_INT8);
  EXPECT_EQ(fused->output_desc(1).dtype, C_DT_FLOAT);
  EXPECT_EQ(Count(*b.graph, "QuantizeLinear") + Count(*b.graph, "DequantizeLinear"), 0u);
}

TEST(FuseElementwise, ScalesAlongTheLastAxisSpread) {
  for (int64_t axis : {0, 1}) {
    Builder b;
    Endpoint x = b("DequantizeLinear", {Quantize(b, b.Input({6, 6}), 0.03125f), b.Random({6}, 0.1f, 0.2f)},
                   {{"axis", axis}, {"dst_type", int64_t{C_DT_FLOAT}}});
    b.Outputs({b("Tanh", {b("Relu", {x})})});
    EXPECT_TRUE(Differential(b, {"FuseElementwise"}, 1e-6f));
    EXPECT_EQ(Count(*b.graph, "DequantizeLinear"), axis == 0 ? 1u : 0u);
    EXPECT_EQ(Count(*b.graph, "FusedElementwise"), 1u);
  }
}

}  // namespace
