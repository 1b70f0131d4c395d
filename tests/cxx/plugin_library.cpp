// A library of front-end plug-ins as vendors ship it. The slope, of another source, tells one copy from another.
#include <string>

#include "register/register.h"

extern const int plugin_slope;

static domi::Status Parse(const ge::Operator &, ge::Operator &op) {
  op.SetAttr("negative_slope", static_cast<float>(plugin_slope));
  return domi::SUCCESS;
}

// One key that all copies ask for, and one of its own: "my.domain::1::Leaky2" for slope 2.
REGISTER_CUSTOM_OP("LeakyRelu")
    .FrameworkType(domi::ONNX)
    .OriginOpType({"my.domain::1::Leaky", "my.domain::1::Leaky" + std::to_string(plugin_slope)})
    .ParseParamsByOperatorFn(Parse);
