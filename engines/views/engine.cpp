// DNN_VM_GE_LOCAL: operators without work. A node that is a view of its inputs gets a kernel that says so; where the
// planner cannot place it, the kernel copies.
#include <cstring>
#include <memory>

#include "ge/engine_kit.hpp"
#include "views.h"

namespace views {
namespace {

using ge::kit::Tensor;

class CopyKernel : public ge::kit::Kernel {
 public:
  CopyKernel(const GeOpDesc &op, std::vector<GeAlias> relations) {
    implementation = "views:copy";
    flags = GE_KERNEL_VIEW;
    aliases = std::move(relations);
    for (const GeAlias &a : aliases) {
      const bool split = a.kind == GE_ALIAS_OUTPUT_IN_INPUT;
      const int64_t bytes = split ? Tensor(op.outputs[a.output]).bytes() : Tensor(op.inputs[a.input]).bytes();
      if (bytes) copies_.push_back({a.input, a.output, split ? a.offset : 0, split ? 0 : a.offset, bytes});
    }
  }

  GeStatus Run(const GeKernelArgs &args) const override {
    constexpr int64_t kGrain = 1 << 19;  // bytes; less is not worth a second thread
    for (const Copy &copy : copies_) {
      char *to = static_cast<char *>(args.outputs[copy.output]) + copy.out_offset;
      const char *from = static_cast<const char *>(args.inputs[copy.input]) + copy.in_offset;
      if (to == from) continue;  // placed by the planner
      Parallel(copy.bytes, kGrain, [&](int64_t begin, int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      });
    }
    return GE_SUCCESS;
  }

 private:
  struct Copy {
    int32_t input, output;
    uint64_t in_offset, out_offset;
    int64_t bytes;
  };
  std::vector<Copy> copies_;
};

class Engine {
 public:
  explicit Engine(const GeEngineHost &) {}
  std::string Check(const GeOpDesc &op) const { return Examine(op, nullptr); }
  std::unique_ptr<ge::kit::Kernel> Create(const GeOpDesc &op, const GeKernelEnv &) const {
    std::vector<GeAlias> aliases;
    if (const std::string why = Examine(op, &aliases); !why.empty()) ge::kit::Refuse(why);
    return std::make_unique<CopyKernel>(op, std::move(aliases));
  }
};

constexpr GeEngineTable kTable = ge::kit::TableOf<Engine>(
    "DNN_VM_GE_LOCAL", GE_VERSION_STRING, 9, GE_ENGINE_VIEWS | GE_ENGINE_FUSIBLE | GE_ENGINE_DEFERS_CONSTANTS);

}  // namespace
}  // namespace views

extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &views::kTable : nullptr;
}
