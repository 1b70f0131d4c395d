// Operators whose output is the input's bytes: only the shape, the type or nothing changes.
#include "common/copy.h"
#include "registry.h"

namespace reference {
namespace {

Kernel CreateView(const Node &node, const OpEntry &) {
  const int64_t in = (node.in_count(0) * ge::kit::DataTypeBits(node.in_type(0)) + 7) / 8;
  const int64_t out = (node.out_count(0) * ge::kit::DataTypeBits(node.out_type(0)) + 7) / 8;
  if (in != out)
    Fail(GE_PARAM_INVALID, "%s: input of shape %s has %lld bytes, output of shape %s has %lld", node.label().c_str(),
         ToText(node.in_dims(0)).c_str(), (long long)in, ToText(node.out_dims(0)).c_str(), (long long)out);
  Kernel kernel;
  kernel.flags = GE_KERNEL_VIEW;
  kernel.aliases.push_back({GE_ALIAS_OUTPUT_IN_INPUT, 0, 0, 0, 0});
  kernel.run = [in](const Call &call) { CopyBytes(call, call.in(0), call.out(0), in); };
  return kernel;
}

Kernel CreateIdentityN(const Node &node, const OpEntry &) {
  std::vector<int64_t> bytes;
  Kernel kernel;
  kernel.flags = GE_KERNEL_VIEW;
  for (int i = 0; i < node.outputs(); ++i) {
    bytes.push_back(node.in_count(i) * int64_t(ElementSize(node.in_type(i))));
    kernel.aliases.push_back({GE_ALIAS_OUTPUT_IN_INPUT, i, i, 0, 0});
  }
  kernel.run = [bytes](const Call &call) {
    for (size_t i = 0; i < bytes.size(); ++i)
      if (call.out(i)) CopyBytes(call, call.in(i), call.out(i), bytes[i]);
  };
  return kernel;
}

void CheckIdentityN(const Node &node) {
  if (node.inputs() != node.outputs())
    Fail(GE_PARAM_INVALID, "%s: %d inputs but %d outputs", node.label().c_str(), node.inputs(), node.outputs());
}

const OpEntry kView[] = {
    {"IdentityN", kMovable, &CreateIdentityN, &CheckIdentityN},
};
// Serves every operator that its traits call a view, also those of programs.
const OpEntry kAnyView = {"", kMovable | kPacked, &CreateView};

}  // namespace

OpTable ViewOps() { return TableOf(kView); }
const OpEntry *AnyView() { return &kAnyView; }

}  // namespace reference
