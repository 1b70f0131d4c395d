// Operators that show their input under another shape or type, so that values need not leave the device for them.
#include "device.h"

namespace cuda_engine {
namespace {

class ViewKernel : public DeviceKernel {
 public:
  explicit ViewKernel(const Node &node) : bytes_(static_cast<size_t>(node.out(0).bytes())) {
    if (node.in(0).bytes() != node.out(0).bytes()) Refuse("input and output differ in size");
    implementation = "cuda:view";
    flags = GE_KERNEL_VIEW;
    aliases.push_back({GE_ALIAS_OUTPUT_IN_INPUT, 0, 0, 0, 0});
  }

 private:
  void Give(const GeKernelArgs &args, cudaStream_t stream) const override {
    if (bytes_ == 0 || args.outputs[0] == args.inputs[0]) return;  // placed by the planner
    Need(cudaMemcpyAsync(args.outputs[0], args.inputs[0], bytes_, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  }
  size_t bytes_;
};

void CheckView(const Node &node) {
  if (!node.in(0).present() || node.outputs() != 1) Refuse("not a view of one input");
  for (const Tensor &t : {node.in(0), node.out(0)})
    if (ge::kit::DataTypeBits(t.type()) == 0) Refuse(t.type_name(), " has no fixed size");
}

}  // namespace

const Family &ViewFamily() {
  static const Family family = {
      &CheckView, [](const Node &node) -> std::unique_ptr<DeviceKernel> { return std::make_unique<ViewKernel>(node); }};
  return family;
}

}  // namespace cuda_engine
