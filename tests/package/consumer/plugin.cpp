// A library of front-end plug-ins that reads ONNX messages: built against the installed package, found by `ge`.
#include "proto/onnx/ge_onnx.pb.h"
#include "register/register.h"

static domi::Status Parse(const google::protobuf::Message *message, ge::Operator &op) {
  const auto *node = dynamic_cast<const ge::onnx::NodeProto *>(message);
  if (node == nullptr || node->op_type() != "my.domain::1::Leaky") return domi::FAILED;
  for (const auto &attribute : node->attribute())
    if (attribute.name() == "alpha") op.SetAttr("negative_slope", attribute.f());
  return domi::SUCCESS;
}
REGISTER_CUSTOM_OP("LeakyRelu").FrameworkType(domi::ONNX).OriginOpType("my.domain::1::Leaky").ParseParamsFn(Parse);
