// Arithmetic, products, reductions and orders whose names or attributes differ.
#include "parsers/tensorflow/handlers.h"
#include "parsers/tensorflow/node_context.h"

namespace gec::tensorflow {
namespace {

void MatMul(NodeContext &c) {
  c.Ignore({"grad_a", "grad_b"});
  c.Out(0, c.Op("MatMulV2", {c.In(0), c.In(1)},
                {{"transpose_x1", c.Bool("transpose_a", false)}, {"transpose_x2", c.Bool("transpose_b", false)}}));
}

void BatchMatMul(NodeContext &c) {
  c.Ignore({"grad_x", "grad_y"});
  const Endpoint x = c.In(0);
  const int32_t wanted = c.Type("Tout", c.TypeOf(x));
  if (wanted != c.TypeOf(x)) c.Refuse(Reason::kUnsupportedUse, "a result of another type than the inputs");
  // BatchMatMul does not broadcast, but where it is allowed both give the same.
  c.Out(0,
        c.Op("BatchMatMulV2", {x, c.In(1)}, {{"adj_x1", c.Bool("adj_x", false)}, {"adj_x2", c.Bool("adj_y", false)}}));
}

void Reduce(NodeContext &c) {
  struct Row {
    std::string_view from;
    const char *to;
  };
  static constexpr Row kRows[] = {{"Mean", "ReduceMean"}, {"Sum", "ReduceSum"},   {"Max", "ReduceMax"},
                                  {"Min", "ReduceMin"},   {"Prod", "ReduceProd"}, {"All", "ReduceAll"},
                                  {"Any", "ReduceAny"}};
  const char *type = nullptr;
  for (const Row &row : kRows)
    if (row.from == c.op()) type = row.to;
  c.Out(0, c.Op(type, {c.In(0), c.In(1)}, {{"keep_dims", c.Bool("keep_dims", false)}}));
}

void ArgExtreme(NodeContext &c) {
  const char *type = c.op() == "ArgMax" ? "ArgMaxV2" : "ArgMin";
  c.Out(0, c.Op(type, {c.In(0), c.In(1)}, {{"dtype", DataTypeValue{c.Type("output_type", C_DT_INT64)}}}));
}

void Add(NodeContext &c) { c.Out(0, c.Op("Add", {c.In(0), c.In(1)})); }

void LeakyRelu(NodeContext &c) { c.Out(0, c.Op("LeakyRelu", {c.In(0)}, {{"negative_slope", c.Float("alpha", 0.2f)}})); }

void Softmax(NodeContext &c) {
  c.Out(0, c.Op(c.op() == "Softmax" ? "SoftmaxV2" : "LogSoftmaxV2", {c.In(0)}, {{"axes", AttrValue::ListInt{-1}}}));
}

void Cast(NodeContext &c) {
  if (c.Bool("Truncate", false)) c.Refuse(Reason::kUnsupportedUse, "attribute 'Truncate' is not supported");
  const int32_t to = c.Type("DstT", C_DT_UNDEFINED);
  if (to == C_DT_UNDEFINED || to == C_DT_STRING)
    c.Refuse(Reason::kUnsupportedType, "attribute 'DstT' must name a type of numbers");
  c.Out(0, c.Op("Cast", {c.In(0)}, {{"dst_type", int64_t{to}}}));
}

void TopK(NodeContext &c) {
  const Endpoint k = c.op() == "TopK" ? c.ConstInt(c.Int("k", 0), "k") : c.In(1);
  Node *node =
      c.Add("TopKV2", {c.In(0), k},
            {{"sorted", c.Bool("sorted", true)}, {"indices_dtype", int64_t{c.Type("index_type", C_DT_INT32)}}});
  c.OutAll(node);
}

// Half the sum of the squares.
void L2Loss(NodeContext &c) {
  const Endpoint x = c.In(0);
  const Endpoint flat = c.Reshape(c.Op("Square", {x}), {-1});
  const Endpoint sum = c.Op("ReduceSum", {flat, c.ConstInts({0}, "axes")}, {{"keep_dims", false}});
  const Endpoint half = c.Const(Tensor::Of<float>(C_DT_FLOAT, Shape{}, {0.5f}), "half");
  const int32_t type = c.TypeOf(x);
  c.Out(0, c.Op("Mul", {sum, type == C_DT_FLOAT ? half : c.Op("Cast", {half}, {{"dst_type", int64_t{type}}})}));
}

constexpr Handler kMathHandlers[] = {
    {"MatMul", MatMul},
    {"BatchMatMul", BatchMatMul},
    {"BatchMatMulV2", BatchMatMul},
    {"BatchMatMulV3", BatchMatMul},
    {"Mean", Reduce},
    {"Sum", Reduce},
    {"Max", Reduce},
    {"Min", Reduce},
    {"Prod", Reduce},
    {"All", Reduce},
    {"Any", Reduce},
    {"ArgMax", ArgExtreme},
    {"ArgMin", ArgExtreme},
    {"LeakyRelu", LeakyRelu},
    {"Softmax", Softmax},
    {"LogSoftmax", Softmax},
    {"Cast", Cast},
    {"TopK", TopK},
    {"TopKV2", TopK},
    {"L2Loss", L2Loss},
    {"AddV2", Add},
};

}  // namespace

HandlerTable MathHandlers() { return {std::begin(kMathHandlers), std::end(kMathHandlers)}; }

}  // namespace gec::tensorflow
