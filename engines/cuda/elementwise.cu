// Operators that are one instruction of ge/elementwise.def on float32: their inputs are broadcast, and attributes of
// theirs are further operands.
#include <cstring>

#include "formulas.h"
#include "grid.h"

namespace cuda_engine {
namespace {

struct ElementwiseCall {
  int64_t count = 0;
  int32_t opcode = GE_FUSED_NONE;
  Walk<3> walk;
  const float *inputs[3] = {};  // null: the number
  float numbers[3] = {};
  float *output = nullptr;
};

__global__ void Elementwise(ElementwiseCall call) {
  ForMine(call.count, [&](int64_t i) {
    int64_t at[3];
    call.walk.At(i, at);
    float x[3];
    for (int k = 0; k < 3; ++k) x[k] = call.inputs[k] ? call.inputs[k][at[k]] : call.numbers[k];
    call.output[i] = Compute(call.opcode, x[0], x[1], x[2]);
  });
}

/// An operator that is one instruction.
struct Row {
  const char *type;
  int32_t opcode;
  size_t inputs;
};
const Row *FindRow(const char *type) {
  static const Row kRows[] = {
#define GE_ELEMENTWISE_UNARY(type, rule, types, place, opcode, onnx, since) {#type, GE_FUSED_##opcode, 1},
#define GE_ELEMENTWISE_BINARY(type, rule, types, place, opcode, order, onnx, since) {#type, GE_FUSED_##opcode, 2},
#define GE_ELEMENTWISE_TERNARY(type, opcode) {#type, GE_FUSED_##opcode, 3},
#include "ge/elementwise.def"
  };
  for (const Row &row : kRows)
    if (row.opcode != GE_FUSED_NONE && std::strcmp(row.type, type) == 0) return &row;
  return nullptr;
}

/// Applies the attributes to the instruction. Refuses values that ask for another one.
void ReadAttributes(const Node &node, ElementwiseCall *call) {
  static const struct {
    const char *type, *attr;
    int operand;  // 0: the attribute must have the value
    double value;
  } kNumbers[] = {
#define GE_ELEMENTWISE_PARAM(type, operand, attr, value, onnx, onnx_value) {#type, #attr, operand, value},
#define GE_ELEMENTWISE_FIXED(type, attr, kind, value) {#type, #attr, 0, value},
#include "ge/elementwise.def"
  };
  static const struct {
    const char *type, *attr, *text;
    int32_t opcode;
  } kModes[] = {
#define GE_ELEMENTWISE_MODE(type, attr, text, opcode) {#type, #attr, text, GE_FUSED_##opcode},
#include "ge/elementwise.def"
  };
  for (const auto &row : kNumbers) {
    if (!node.is(row.type)) continue;
    const GeAttrData *a = GeOpAttr(&node.op(), row.attr);
    const double value = a && a->type == C_VT_INT ? static_cast<double>(a->i) : node.Float(row.attr, row.value);
    if (row.operand > 0) call->numbers[row.operand] = static_cast<float>(value);
    else if (value != row.value) Refuse(row.attr, " is ", value, ", the kernel has ", row.value);
  }
  for (const auto &row : kModes)
    if (node.is(row.type) && node.String(row.attr, "") == row.text) call->opcode = row.opcode;
}

ElementwiseCall ReadCall(const Node &node) {
  ElementwiseCall call;
  call.opcode = FindRow(node.type())->opcode;
  ReadAttributes(node, &call);
  return call;
}

class ElementwiseKernel : public DeviceKernel {
 public:
  explicit ElementwiseKernel(const Node &node) : call_(ReadCall(node)), inputs_(FindRow(node.type())->inputs) {
    implementation = "cuda:elementwise";
    const Dims to = node.out(0).dims();
    Dims steps[3] = {Dims(to.size(), 0), Dims(to.size(), 0), Dims(to.size(), 0)};
    for (size_t k = 0; k < inputs_; ++k) {
      steps[k] = BroadcastSteps(node.in(k).dims(), to, "an input");
      if (node.in(k).dims() == to) aliases.push_back({GE_ALIAS_IN_PLACE, static_cast<int32_t>(k), 0, 0, 0});
    }
    for (size_t d = 0; d < to.size(); ++d) call_.walk.Add(to[d], {steps[0][d], steps[1][d], steps[2][d]});
    call_.count = Count(to);
    flops = static_cast<double>(call_.count);
  }

 private:
  void Give(const GeKernelArgs &args, cudaStream_t stream) const override {
    ElementwiseCall call = call_;
    for (size_t k = 0; k < inputs_; ++k) call.inputs[k] = FloatIn(args, k);
    call.output = FloatOut(args, 0);
    Launch(&Elementwise, call, call.count, stream);
  }
  ElementwiseCall call_;
  size_t inputs_;
};

void CheckElementwise(const Node &node) {
  for (size_t k = 0; k < FindRow(node.type())->inputs; ++k) RequireFloat(node.in(k), "an input");
  RequireFloat(node.out(0), "the output");
  ReadCall(node);
}

}  // namespace

void NeedKernels() {
  cudaFuncAttributes attributes{};
  Need(cudaFuncGetAttributes(&attributes, &Elementwise), "cudaFuncGetAttributes");
}

bool IsElementwise(const char *type) { return FindRow(type) != nullptr; }

const Family &ElementwiseFamily() {
  static const Family family = {&CheckElementwise, [](const Node &node) -> std::unique_ptr<DeviceKernel> {
                                  return std::make_unique<ElementwiseKernel>(node);
                                }};
  return family;
}

}  // namespace cuda_engine
