// A library of front-end plug-ins as GE's samples build it: google:: has another name, and no library of messages is
// linked.
#include "proto/onnx/ge_onnx.pb.h"
#include "register/register.h"

namespace domi {
static Status Parse(const google::protobuf::Message *message, ge::Operator &op) {
  const auto *node = dynamic_cast<const ge::onnx::NodeProto *>(message);
  if (node == nullptr) return FAILED;
  for (const auto &attribute : node->attribute())
    if (attribute.name() == "alpha") op.SetAttr("negative_slope", attribute.f() * 2);
  return SUCCESS;
}
REGISTER_CUSTOM_OP("LeakyRelu").FrameworkType(ONNX).OriginOpType("my.domain::1::Doubled").ParseParamsFn(Parse);
}  // namespace domi
