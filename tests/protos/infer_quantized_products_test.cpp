// QuantizedMatMul and QuantizedConv2D: shapes, types, and what does not go together.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/protos/infer_case.h"

namespace gec {
namespace {

/// x1 [2, 3, 4] and x2 [4, 5]; ports behind x1 by hand.
struct Product {
  Ints x1 = {2, 3, 4}, x2 = {4, 5};
  int32_t x1_type = C_DT_UINT8, x2_type = C_DT_INT8, dst = C_DT_FLOAT;
  Ints x1_scale, x1_zero, x2_scale, x2_zero, bias, y_scale, y_zero;  // shapes
  bool has_x1_scale = false, has_x1_zero = false, has_x2_scale = false, has_x2_zero = false, has_bias = false,
       has_y_scale = false, has_y_zero = false;
  int32_t x1_zero_type = C_DT_UINT8, bias_type = C_DT_INT32, y_zero_type = C_DT_INT8;
  std::string activation;
  bool adj = false;

  Inferred Run() const {
    InferCase c("QuantizedMatMul");
    const auto port = [&c](bool has, int32_t type, const Ints &dims) {
      if (has) c.T(type, dims);
      else c.None();
    };
    c.T(x1_type, x1);
    port(has_x1_scale, C_DT_FLOAT, x1_scale);
    port(has_x1_zero, x1_zero_type, x1_zero);
    c.T(x2_type, x2);
    port(has_x2_scale, C_DT_FLOAT, x2_scale);
    port(has_x2_zero, C_DT_INT8, x2_zero);
    port(has_bias, bias_type, bias);
    port(has_y_scale, C_DT_FLOAT, y_scale);
    port(has_y_zero, y_zero_type, y_zero);
    c.A("dst_type", int64_t{dst}).A("activation", activation.c_str()).B("adj_x2", adj);
    return c.Run();
  }
  std::string Text() const {
    const Inferred r = Run();
    return r.status == GE_SUCCESS ? r.shapes.at(0) : r.message;
  }
};

TEST(InferQuantized, Products) {
  Product p;
  EXPECT_EQ(p.Text(), "[2, 3, 5]");
  EXPECT_EQ(p.Run().types.at(0), C_DT_FLOAT);
  p.adj = true, p.x2 = {7, 4}, p.dst = C_DT_INT32;
  EXPECT_EQ(p.Text(), "[2, 3, 7]");
  EXPECT_EQ(p.Run().types.at(0), C_DT_INT32);
  p = Product();
  p.x1 = {-1, -1, 4}, p.has_x1_scale = true, p.x1_scale = {17};  // may be one per row
  EXPECT_EQ(p.Text(), "[-1, -1, 5]");
  p = Product();
  for (const Ints &shape : {Ints{}, Ints{1}, Ints{3}, Ints{6}, Ints{2, 3, 1}}) {
    p.has_x1_scale = true, p.x1_scale = shape;
    EXPECT_EQ(p.Text(), "[2, 3, 5]");
  }
}

TEST(InferQuantized, RefusalsOfProducts) {
  const auto text = [](auto change) {
    Product p;
    change(p);
    return p.Text();
  };
  EXPECT_EQ(text([](Product &p) { p.x1_type = C_DT_FLOAT; }),
            "x1 has data type DT_FLOAT, expected DT_INT8 or DT_UINT8");
  EXPECT_EQ(text([](Product &p) { p.dst = C_DT_INT64; }),
            "dst_type is DT_INT64, expected DT_INT32, DT_FLOAT, DT_INT8 or DT_UINT8");
  EXPECT_EQ(text([](Product &p) { p.x1 = {4}; }), "x1 has shape [4], expected at least 2 dimensions");
  EXPECT_EQ(text([](Product &p) { p.has_x1_scale = true, p.x1_scale = {4}; }),
            "x1_scale has 4 values, expected 1 or 6");
  EXPECT_EQ(text([](Product &p) { p.has_x2_scale = true, p.x2_scale = {4}; }),
            "x2_scale has 4 values, expected 1 or 5");
  EXPECT_EQ(text([](Product &p) { p.has_x2_zero = true, p.x2_zero = {2}; }),
            "x2_zero_point has 2 values, expected 1 or 5");
  EXPECT_EQ(text([](Product &p) { p.has_bias = true, p.bias = {3}; }), "bias has 3 values, expected 5");
  EXPECT_EQ(text([](Product &p) { p.has_bias = true, p.bias = {5}, p.bias_type = C_DT_INT8; }),
            "bias has data type DT_INT8, expected DT_INT32 or DT_FLOAT");
  EXPECT_EQ(text([](Product &p) { p.has_bias = true, p.bias = {5}, p.bias_type = C_DT_FLOAT, p.dst = C_DT_INT32; }),
            "bias has data type DT_FLOAT, expected DT_INT32");
  EXPECT_EQ(text([](Product &p) { p.has_x1_scale = true, p.dst = C_DT_INT32; }),
            "a product of dst_type DT_INT32 has no scales");
  EXPECT_EQ(text([](Product &p) { p.activation = "relu", p.dst = C_DT_INT32; }),
            "a product of dst_type DT_INT32 has no activation, but it is 'relu'");
  EXPECT_EQ(text([](Product &p) { p.has_y_scale = true; }),
            "y_scale and y_zero_point go with a dst_type of 8 bits, but it is DT_FLOAT");
  EXPECT_EQ(text([](Product &p) { p.has_y_zero = true, p.dst = C_DT_UINT8; }),
            "y_zero_point has data type DT_INT8, expected the dst_type DT_UINT8");
  EXPECT_EQ(text([](Product &p) { p.has_y_scale = true, p.y_scale = {2}, p.dst = C_DT_INT8; }),
            "y_scale has 2 values, expected 1");
  EXPECT_NE(text([](Product &p) { p.x2 = {3, 5}; }).find("inner extents differ"), std::string::npos);
  EXPECT_NE(text([](Product &p) { p.has_x1_zero = true, p.x1_zero_type = C_DT_INT8; }).find("x1_zero_point"),
            std::string::npos);
}

std::string Scaled(float x1_scale, float y_scale) {
  return InferCase("QuantizedMatMul")
      .T(C_DT_INT8, {2, 3})
      .SF(x1_scale)
      .None()
      .T(C_DT_INT8, {3, 4})
      .None()
      .None()
      .None()
      .SF(y_scale)
      .None()
      .A("dst_type", C_DT_INT8)
      .Shape();
}

TEST(InferQuantized, ScalesAreFinite) {
  EXPECT_EQ(Scaled(0.5f, 2), "[2, 4]");
  EXPECT_EQ(Scaled(0, 2), "[2, 4]");
  EXPECT_EQ(Scaled(NAN, 2), "refused: x1_scale[0] is nan, expected a finite number");
  EXPECT_EQ(Scaled(INFINITY, 2), "refused: x1_scale[0] is inf, expected a finite number");
  EXPECT_EQ(Scaled(1, 0), "refused: y_scale[0] is 0, expected a finite number other than 0");
}

InferCase Conv(Ints x, Ints filter) {
  return std::move(InferCase("QuantizedConv2D")
                       .T(C_DT_UINT8, std::move(x))
                       .None()
                       .None()
                       .T(C_DT_INT8, std::move(filter))
                       .A("strides", Ints{1, 1, 2, 2})
                       .A("pads", Ints{1, 1, 1, 1})
                       .A("dst_type", C_DT_UINT8));
}

TEST(InferQuantized, Convolutions) {
  EXPECT_EQ(Conv({1, 3, 10, 12}, {8, 3, 3, 3}).Shape(), "[1, 8, 5, 6]");
  EXPECT_EQ(Conv({1, 3, 10, 12}, {8, 3, 3, 3}).Type(), C_DT_UINT8);
  EXPECT_EQ(Conv({-1, 8, -1, 12}, {8, 1, 3, 3}).A("groups", 8).Shape(), "[-1, 8, -1, 6]");
  EXPECT_EQ(Conv({1, 10, 12, 3}, {8, 3, 3, 3}).A("data_format", "NHWC").A("strides", Ints{1, 2, 2, 1}).Shape(),
            "[1, 5, 6, 8]");
  EXPECT_EQ(Conv({1, 4, 10, 12}, {8, 3, 3, 3}).Shape(), "refused: x has 4 channels, expected 3 (filter) * 1 (groups)");
  EXPECT_EQ(Conv({1, 3, 10, 12}, {8, 3, 3, 3}).F({7}).Shape(), "refused: filter_scale has 7 values, expected 1 or 8");
  EXPECT_EQ(Conv({1, 3, 10, 12}, {8, 3, 3, 3}).None().None().T(C_DT_INT32, {7}).Shape(),
            "refused: bias has 7 values, expected one for each of 8 output channels");
}

}  // namespace
}  // namespace gec
