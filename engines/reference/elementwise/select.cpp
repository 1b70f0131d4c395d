// Selection and clipping, ternary arithmetic, and parameters that belong to the channel dimension.
#include "elementwise/formulas.h"
#include "registry.h"

namespace reference {
namespace {

// Copies elements of any type: out = condition ? yes : no, each broadcast.
struct Pick {
  BroadcastPlan plan;  // condition, yes, no
  int condition, yes, no;
};

template <class T>
void RunPick(const Call &call, const Pick &pick) {
  const uint8_t *condition = call.in<uint8_t>(size_t(pick.condition));
  const T *yes = call.in<T>(size_t(pick.yes)), *no = call.in<T>(size_t(pick.no));
  T *out = call.out<T>(0);
  const int last = pick.plan.dims.n - 1;
  const int64_t c = pick.plan.strides[0][last], y = pick.plan.strides[1][last], n = pick.plan.strides[2][last];
  call.Parallel(pick.plan.total, 1 << 14, [&](int64_t begin, int64_t end) {
    ForEachRun(pick.plan, begin, end, [&](const int64_t *offsets, int64_t at, int64_t length) {
      const uint8_t *pc = condition + offsets[0];
      const T *py = yes + offsets[1], *pn = no + offsets[2];
      for (int64_t i = 0; i < length; ++i) out[at + i] = pc[i * c] ? py[i * y] : pn[i * n];
    });
  });
}

struct Bytes16 {
  uint64_t low, high;
};

Kernel CreatePick(const Node &node, const std::vector<Dims> &shapes, int condition, int yes, int no) {
  Pick pick{PlanBroadcast(node.label(), node.out_dims(0), shapes), condition, yes, no};
  Kernel kernel;
  switch (ElementSize(node.out_type(0))) {
    case 1:
      kernel.run = [pick](const Call &call) { RunPick<uint8_t>(call, pick); };
      break;
    case 2:
      kernel.run = [pick](const Call &call) { RunPick<uint16_t>(call, pick); };
      break;
    case 4:
      kernel.run = [pick](const Call &call) { RunPick<uint32_t>(call, pick); };
      break;
    case 8:
      kernel.run = [pick](const Call &call) { RunPick<uint64_t>(call, pick); };
      break;
    default:
      kernel.run = [pick](const Call &call) { RunPick<Bytes16>(call, pick); };
      break;
  }
  return kernel;
}

// Select lets a vector condition choose whole rows; SelectV2 broadcasts.
Kernel CreateSelect(const Node &node, const OpEntry &) {
  Dims condition = node.in_dims(0), out = node.out_dims(0);
  if (std::string_view(node.type()) == "Select" && condition.n == 1 && out.n > 1 && condition[0] == out[0])
    for (int i = 1; i < out.n; ++i) condition.push(1);
  return CreatePick(node, {condition, node.in_dims(1), node.in_dims(2)}, 0, 1, 2);
}

Kernel CreateMaskedFill(const Node &node, const OpEntry &) {
  return CreatePick(node, {node.in_dims(1), node.in_dims(2), node.in_dims(0)}, 1, 2, 0);
}

void CheckSelect(const Node &node) {
  bool mask = std::string_view(node.type()) == "MaskedFill";
  int condition = mask ? 1 : 0, a = mask ? 0 : 1;
  if (node.in_type(condition) != C_DT_BOOL)
    Fail(GE_UNSUPPORTED, "%s: %s is not supported for input %d, expected DT_BOOL", node.label().c_str(),
         DataTypeName(node.in_type(condition)), condition);
  if (ElementSize(node.in_type(a)) == 0 || node.in_type(a) != node.in_type(2) || node.in_type(a) != node.out_type(0))
    Fail(GE_UNSUPPORTED, "%s: values have types %s and %s, output has %s", node.label().c_str(),
         DataTypeName(node.in_type(a)), DataTypeName(node.in_type(2)), DataTypeName(node.out_type(0)));
}

// y = f(x, parameter) where a vector parameter belongs to the channel dimension.
Kernel CreateChannelwise(const Node &node, const OpEntry &entry) {
  Dims x = node.in_dims(0), parameter = node.in_dims(1);
  bool last = std::string_view(node.type()) == "BiasAdd" && node.String("data_format", "NHWC") == "NHWC";
  if (!last && parameter.n == 1 && x.n >= 2 && parameter[0] == x[1])
    for (int i = 2; i < x.n; ++i) parameter.push(1);
  GeTensorData inputs[2] = {node.in(0), node.in(1)};
  inputs[1].rank = parameter.n;
  inputs[1].dims = parameter.d;
  GeOpDesc op = node.op();
  op.inputs = inputs;
  return CreateElementwise(Node(&op), entry);
}

const OpEntry kSelect[] = {
    {"Select", kBool, &CreateSelect, &CheckSelect},
    {"SelectV2", kBool, &CreateSelect, &CheckSelect},
    {"MaskedFill", kMovable, &CreateMaskedFill, &CheckSelect},
    {"ClipByValue", kNumbers, &CreateElementwise, &CheckElementwise, &kAllFns<ClipOp, 3>},
    {"ClipByValueV2", kNumbers, &CreateElementwise, &CheckElementwise, &kAllFns<ClipOp, 3>},
    {"AxpyV2", kReal, &CreateElementwise, &CheckElementwise, &kAllFns<AxpyV2Op, 3>},
    {"Lerp", kFloats, &CreateElementwise, &CheckElementwise, &kFloatFns<LerpOp, 3>},
    {"Addcmul", kNumbers, &CreateElementwise, &CheckElementwise, &kAllFns<AddcmulOp, 4>},
    {"Addcdiv", kNumbers, &CreateElementwise, &CheckElementwise, &kAllFns<AddcdivOp, 4>},
    {"BiasAdd", kNumbers, &CreateChannelwise, &CheckElementwise, &kAllFns<AddOp, 2>},
    {"PRelu", kFloats, &CreateChannelwise, &CheckElementwise, &kFloatFns<PReluOp, 2>},
};

}  // namespace

OpTable SelectOps() { return TableOf(kSelect); }

}  // namespace reference
