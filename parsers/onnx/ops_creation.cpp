// Constants, ranges, filled and random tensors.
#include <string.h>

#include <bit>

#include "core/ir/types.h"
#include "parsers/onnx/formula.h"
#include "parsers/onnx/handlers.h"
#include "parsers/onnx/importer_internal.h"
#include "parsers/onnx/limits.h"
#include "parsers/onnx/node_context.h"

namespace gec::onnx {
namespace {

void Constant(NodeContext &c) {
  TensorPtr value;
  if (c.HasAttr("value")) {
    if (c.IsTextAttr("value")) return c.Out(0, c.TextAttr("value", "value"));
    value = c.TensorAttr("value");
  } else if (c.HasAttr("value_float")) {
    value = Tensor::Of<float>(C_DT_FLOAT, Shape{}, {c.Float("value_float", 0)});
  } else if (c.HasAttr("value_int")) {
    value = Tensor::Of<int64_t>(C_DT_INT64, Shape{}, {c.Int("value_int", 0)});
  } else if (c.HasAttr("value_floats")) {
    std::vector<float> v = c.Floats("value_floats");
    value = Tensor::Of<float>(C_DT_FLOAT, Shape{static_cast<int64_t>(v.size())}, v);
  } else if (c.HasAttr("value_ints")) {
    std::vector<int64_t> v = c.Ints("value_ints");
    value = Tensor::Of<int64_t>(C_DT_INT64, Shape{static_cast<int64_t>(v.size())}, v);
  } else if (auto *a = c.Attr("sparse_value"); a && a->sparse_tensor) {
    try {
      ExternalFiles none("");
      value = TakeSparseTensor(a->sparse_tensor, &none,
                               [&](uint64_t bytes, const std::string &what) { c.importer().Make(bytes, what); });
    } catch (const Error &e) {
      if (e.code() == GE_OUT_OF_MEMORY) throw;
      c.Refuse(e.code() == GE_UNSUPPORTED ? Reason::kUnsupportedType : Reason::kInvalidModel, e.what());
    }
  } else if (c.HasAttr("value_string")) {
    return c.Out(0, c.ConstTexts({c.String("value_string", "")}, Shape{}, "value"));
  } else if (c.HasAttr("value_strings")) {
    const std::vector<std::string> texts = c.Strings("value_strings");
    return c.Out(0, c.ConstTexts(texts, Shape{static_cast<int64_t>(texts.size())}, "value"));
  } else {
    c.Refuse(Reason::kInvalidModel, "it has no value");
  }
  c.Out(0, c.Const(value, "value"));
}

void ConstantOfShape(NodeContext &c) {
  Endpoint value;
  if (c.HasAttr("value")) {
    TensorPtr t = c.TensorAttr("value");
    if (!t || t->desc.shape.elements() != 1) c.Refuse(Reason::kInvalidModel, "attribute 'value' is not one element");
    value = c.Const(std::make_shared<Tensor>(TensorDesc(t->desc.dtype, Shape{}), t->buffer), "value");
  } else {
    value = c.ConstNumber(0, C_DT_FLOAT, "value");
  }
  c.Out(0, c.Op("Fill", {c.In(0), value}));
}

void Range(NodeContext &c) { c.Out(0, c.Op("Range", {c.In(0), c.In(1), c.In(2)})); }

void EyeLike(NodeContext &c) {
  Endpoint x = c.In(0);
  int32_t type = c.HasAttr("dtype") ? c.TypeAttr("dtype", C_DT_FLOAT) : c.NeedType(x, "to make ones of it");
  int64_t k = c.Int("k", 0);
  if (c.NeedRank(x, "to make a diagonal") != 2) c.Refuse(Reason::kInvalidModel, "the input is not a matrix");
  const Shape known = c.ShapeOf(x);
  if (!known.known() || known.elements() > kMaxMaterialised) {  // compare column - row with k
    Formula f(c);
    Endpoint offset = f.Sub(f.Count(f.Dim(x, 1)), c.Unsqueeze(f.Count(f.Dim(x, 0)), {1}));
    Endpoint diagonal = f.Equal(offset, f.Int(k));
    c.Out(0, type == C_DT_BOOL ? c.Op("Identity", {diagonal}) : c.CastTo(diagonal, type));
    return;
  }
  int64_t rows = c.NeedDim(x, 0, "to make a diagonal"), columns = c.NeedDim(x, 1, "to make a diagonal");
  std::vector<uint8_t> mask(static_cast<size_t>(rows * columns));
  for (int64_t r = 0; r < rows; ++r) {
    if (k > columns || k < -rows) break;
    int64_t column = r + k;
    if (column >= 0 && column < columns) mask[static_cast<size_t>(r * columns + column)] = 1;
  }
  Endpoint diagonal = c.Const(Tensor::Of<uint8_t>(C_DT_BOOL, Shape{rows, columns}, mask), "diagonal");
  c.Out(0, c.CastTo(diagonal, type));
  if (type == C_DT_BOOL) c.Out(0, c.Op("Identity", {diagonal}));
}

// A seed of 0 asks for a new one each time; models with a seed repeat.
std::pair<int64_t, int64_t> Seeds(NodeContext &c) {
  if (!c.HasAttr("seed")) return {0, 0};
  uint32_t bits = std::bit_cast<uint32_t>(c.Float("seed", 0));
  return {int64_t{bits}, 1};
}

Endpoint Uniform(NodeContext &c, Endpoint shape, int32_t type) {
  auto [seed, seed2] = Seeds(c);
  return c.Op("RandomUniform", {shape}, {{"dtype", DataTypeValue{type}}, {"seed", seed}, {"seed2", seed2}});
}
Endpoint Normal(NodeContext &c, Endpoint shape, int32_t type) {
  auto [seed, seed2] = Seeds(c);
  return c.Op("RandomStandardNormal", {shape}, {{"dtype", DataTypeValue{type}}, {"seed", seed}, {"seed2", seed2}});
}
Endpoint Affine(NodeContext &c, Endpoint e, double factor, double offset) {
  if (factor != 1) e = c.Op("Mul", {e, c.NumberLike(factor, e, "factor")});
  if (offset != 0) e = c.Op("Add", {e, c.NumberLike(offset, e, "offset")});
  return e;
}

Endpoint RandomShape(NodeContext &c) {
  std::vector<int64_t> shape = c.Ints("shape");
  for (int64_t d : shape) {
    if (d < 0) c.Refuse(Reason::kInvalidModel, Str("shape has dimension ", d, ", expected 0 or more"));
  }
  return c.ConstInts(shape, "shape");
}

void RandomUniform(NodeContext &c) {
  int32_t type = c.TypeAttr("dtype", C_DT_FLOAT);
  float low = c.Float("low", 0), high = c.Float("high", 1);
  c.Out(0, Affine(c, Uniform(c, RandomShape(c), type), high - low, low));
}
void RandomNormal(NodeContext &c) {
  int32_t type = c.TypeAttr("dtype", C_DT_FLOAT);
  float mean = c.Float("mean", 0), scale = c.Float("scale", 1);
  c.Out(0, Affine(c, Normal(c, RandomShape(c), type), scale, mean));
}
int32_t LikeType(NodeContext &c, Endpoint x) {
  return c.HasAttr("dtype") ? c.TypeAttr("dtype", C_DT_FLOAT) : c.NeedType(x, "to make values of it");
}
void RandomUniformLike(NodeContext &c) {
  Endpoint x = c.In(0);
  float low = c.Float("low", 0), high = c.Float("high", 1);
  c.Out(0, Affine(c, Uniform(c, c.ShapeValue(x), LikeType(c, x)), high - low, low));
}
void RandomNormalLike(NodeContext &c) {
  Endpoint x = c.In(0);
  float mean = c.Float("mean", 0), scale = c.Float("scale", 1);
  c.Out(0, Affine(c, Normal(c, c.ShapeValue(x), LikeType(c, x)), scale, mean));
}
void Bernoulli(NodeContext &c) {
  Endpoint x = c.In(0);
  int32_t type = LikeType(c, x);
  Endpoint below = c.Op("Less", {Uniform(c, c.ShapeValue(x), C_DT_FLOAT), c.CastTo(x, C_DT_FLOAT)});
  c.Out(0, c.CastTo(below, type));
}

constexpr Handler kCreationHandlers[] = {
    {"", "Constant", 1, Constant},
    {"", "ConstantOfShape", 9, ConstantOfShape},
    {"", "Range", 11, Range},
    {"com.microsoft", "Range", 1, Range},
    {"", "EyeLike", 9, EyeLike},
    {"", "RandomUniform", 1, RandomUniform},
    {"", "RandomNormal", 1, RandomNormal},
    {"", "RandomUniformLike", 1, RandomUniformLike},
    {"", "RandomNormalLike", 1, RandomNormalLike},
    {"", "Bernoulli", 15, Bernoulli},
};

}  // namespace

HandlerTable CreationHandlers() { return {std::begin(kCreationHandlers), std::end(kCreationHandlers)}; }

}  // namespace gec::onnx
