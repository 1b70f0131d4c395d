// Fill: one value everywhere.
#include <algorithm>
#include <cstring>

#include "kernel.h"

namespace vec {
namespace {

class FillKernel : public Kernel {
 public:
  explicit FillKernel(const GeOpDesc &op)
      : count_(Count(DimsOf(op.outputs[0]))), bytes_(ElementBytes(op.outputs[0].data_type)) {
    if (Count(DimsOf(op.inputs[1])) != 1) Refuse("value is not one value");
    implementation = "fill";
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    if (bytes_ == 8) Everywhere<uint64_t>(args);
    else if (bytes_ == 4) Everywhere<uint32_t>(args);
    else if (bytes_ == 2) Everywhere<uint16_t>(args);
    else Everywhere<uint8_t>(args);
    return GE_SUCCESS;
  }

 private:
  template <class T>
  void Everywhere(const GeKernelArgs &args) const {
    T value, *to = static_cast<T *>(args.outputs[0]);
    std::memcpy(&value, args.inputs[1], sizeof value);
    Parallel(count_, int64_t{1} << 16, [=](int64_t begin, int64_t end) { std::fill(to + begin, to + end, value); });
  }

  int64_t count_, bytes_;
};

void CheckFill(const GeOpDesc &op) {
  const GeTensorData &y = op.outputs[0];
  const int64_t bytes = ElementBytes(y.data_type);
  if ((bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || y.data_type == C_DT_RESOURCE)
    Refuse(DataTypeName(y.data_type), " is not supported");
  if (op.inputs[1].data_type != y.data_type) Refuse("value is ", DataTypeName(op.inputs[1].data_type));
}

}  // namespace

const Family &FillFamily() {
  static const Family family = {&CheckFill, [](const GeOpDesc &op, const Table *) -> std::unique_ptr<Kernel> {
                                  return std::make_unique<FillKernel>(op);
                                }};
  return family;
}

}  // namespace vec
