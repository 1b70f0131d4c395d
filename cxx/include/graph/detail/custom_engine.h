// The engine that runs custom operators of a program: DNN_VM_CUSTOM, asked before all others.
#ifndef INC_GRAPH_DETAIL_CUSTOM_ENGINE_H_
#define INC_GRAPH_DETAIL_CUSTOM_ENGINE_H_

#include <dlfcn.h>
#include <sys/auxv.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exe_graph/runtime/eager_op_execution_context.h"
#include "exe_graph/runtime/op_compile_context.h"
#include "ge/engine.h"
#include "graph/custom_op/cast.h"
#include "graph/custom_op_registry.h"
#include "graph/detail/compute_node.h"
#include "graph/detail/context_infer.h"
#include "graph/detail/language.h"
#include "graph/detail/library_table.h"

namespace ge {
namespace detail {

GE_OF_THIS_LIBRARY inline CustomOpRegistry &CustomOps() {
  static auto *registry = new CustomOpRegistry;  // outlives every static object that may use it
  return *registry;
}

/// One node with known input shapes, made ready to run.
class CustomKernel {
 public:
  CustomKernel(std::shared_ptr<BaseCustomOp> op, const GeOpDesc &desc, const GeKernelEnv &env)
      : op_(std::move(op)), eager_(CustomOpCast<EagerExecuteOp>(op_.get())), node_(desc), fail_(env.fail) {
    for (size_t port : node_.inputs) inputs_.push_back(GertTensor(desc.inputs[port]));
    for (size_t i = 0; i < desc.output_count; ++i) {
      outputs_.push_back(GertTensor(desc.outputs[i]));
      bool known = desc.outputs[i].rank >= 0;
      for (int32_t d = 0; d < desc.outputs[i].rank; ++d) known = known && desc.outputs[i].dims[d] >= 0;
      allocates_ = allocates_ || !known;
    }
  }

  GeStatus Compile(std::mutex &one_at_a_time) {
    if (!node_.problem.empty()) return Failed(GE_INFER_FAILED, node_.problem);
    auto *compilable = CustomOpCast<CompilableOp>(op_.get());
    if (compilable == nullptr) return GE_SUCCESS;
    gert::detail::KernelFrame frame;
    frame.node = &node_.info;
    for (const gert::Tensor &tensor : inputs_) frame.inputs.push_back(&tensor);
    for (gert::Tensor &tensor : outputs_) frame.outputs.push_back(&tensor);
    gert::OpCompileContext context(&frame);
    std::lock_guard<std::mutex> lock(one_at_a_time);
    const graphStatus status = compilable->Compile(&context);
    return status == GRAPH_SUCCESS ? GE_SUCCESS : Failed(GE_FAILED, Returned("Compile", status));
  }

  void Describe(GeKernel *kernel) {
    kernel->struct_size = sizeof *kernel;
    kernel->run = &Run;
    kernel->state = this;
    kernel->destroy = [](void *state) { delete static_cast<CustomKernel *>(state); };
    kernel->implementation = "custom";
    if (!allocates_) return;
    kernel->flags = GE_KERNEL_DATA_DEPENDENT | GE_KERNEL_ALLOCATES_OUTPUTS;
    kernel->workspace_bytes = kShapeBytes * outputs_.size();
  }

 private:
  static constexpr size_t kShapeBytes = 64, kHighestRank = 7;  // of a kernel that reports its shapes

  static gert::Tensor WithMemory(const gert::Tensor &like, void *memory) {
    return gert::Tensor(like.GetShape(), like.GetFormat(), gert::kOnHost, like.GetDataType(), memory);
  }
  std::string Returned(const char *function, graphStatus status) const {
    return std::string(function) + " of the custom operator returned " + std::to_string(status);
  }
  GeStatus Failed(GeStatus code, const std::string &text) const { return fail_(code, text.c_str()); }

  static GeStatus Run(void *state, const GeKernelArgs *args) {
    auto *self = static_cast<CustomKernel *>(state);
    try {
      return self->Execute(*args);
    } catch (const std::bad_alloc &) {
      return self->fail_(GE_OUT_OF_MEMORY, "no memory");
    } catch (const std::exception &e) {
      return self->Failed(GE_FAILED, std::string("Execute of the custom operator threw an exception: ") + e.what());
    } catch (...) {
      return self->fail_(GE_FAILED, "Execute of the custom operator threw an unknown exception");
    }
  }

  GeStatus Execute(const GeKernelArgs &args) const {
    gert::detail::ExecuteFrame frame;
    frame.node = &node_.info;
    if (allocates_) {
      frame.host = args.allocator->host;
      frame.give = args.allocator->allocate;
    }
    for (size_t i = 0; i < inputs_.size(); ++i)
      frame.in.push_back(WithMemory(inputs_[i], const_cast<void *>(args.inputs[node_.inputs[i]])));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (allocates_)
        frame.out.emplace_back(outputs_[i].GetShape(), outputs_[i].GetFormat(), outputs_[i].GetDataType());
      else frame.out.push_back(WithMemory(outputs_[i], args.outputs[i]));
    }
    for (const gert::Tensor &tensor : frame.in) frame.inputs.push_back(&tensor);
    for (gert::Tensor &tensor : frame.out) frame.outputs.push_back(&tensor);
    gert::EagerOpExecutionContext context(&frame);
    const graphStatus status = eager_->Execute(&context);
    if (status != GRAPH_SUCCESS) return Failed(GE_FAILED, Returned("Execute", status));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const GeStatus taken = allocates_ ? Report(frame, args, i) : Planned(frame, args, i);
      if (taken != GE_SUCCESS) return taken;
    }
    return GE_SUCCESS;
  }

  GeStatus CheckType(const gert::Tensor &made, size_t i) const {
    if (made.GetDataType() == outputs_[i].GetDataType()) return GE_SUCCESS;
    return Failed(GE_DATA_MISMATCH, "output " + std::to_string(i) + " became " + GeDataTypeName(made.GetDataType()) +
                                        ", the graph has " + GeDataTypeName(outputs_[i].GetDataType()));
  }
  // Memory elsewhere is copied.
  static void Fetch(const gert::Tensor &made, void *planned, size_t bytes) {
    if (bytes > 0 && made.GetAddr() != nullptr && made.GetAddr() != planned)
      std::memcpy(planned, made.GetAddr(), bytes);
  }
  // An output whose shape the graph knows.
  GeStatus Planned(const gert::detail::ExecuteFrame &frame, const GeKernelArgs &args, size_t i) const {
    const gert::Tensor &made = frame.out[i];
    const GeStatus status = CheckType(made, i);
    if (status != GE_SUCCESS) return status;
    if (made.GetStorageShape() != outputs_[i].GetStorageShape())
      return Failed(GE_DATA_MISMATCH, "output " + std::to_string(i) + " became " + Text(made.GetStorageShape()) +
                                          ", inference said " + Text(outputs_[i].GetStorageShape()));
    const int64_t bytes = GetSizeInBytes(made.GetShapeSize(), made.GetDataType());
    Fetch(made, args.outputs[i], bytes < 0 ? 0 : static_cast<size_t>(bytes));
    return GE_SUCCESS;
  }
  // An output whose shape only Execute knows.
  GeStatus Report(gert::detail::ExecuteFrame &frame, const GeKernelArgs &args, size_t i) const {
    gert::Tensor &made = frame.out[i];
    const GeStatus status = CheckType(made, i);
    if (status != GE_SUCCESS) return status;
    const gert::Shape &shape = made.GetStorageShape();
    const std::string what = "output " + std::to_string(i);
    if (shape.GetDimNum() > kHighestRank)
      return Failed(GE_UNSUPPORTED,
                    what + " has rank " + std::to_string(shape.GetDimNum()) + ", at most 7 are allowed");
    for (size_t d = 0; d < shape.GetDimNum(); ++d)
      if (shape.GetDim(d) < 0) return Failed(GE_DATA_MISMATCH, what + " was left with shape " + Text(shape));
    const int64_t bytes = GetSizeInBytes(shape.GetShapeSize(), made.GetDataType());
    if (bytes < 0) return Failed(GE_DATA_MISMATCH, what + " has a shape without size, " + Text(shape));
    if (bytes > 0 && (made.GetAddr() == nullptr || made.GetSize() < static_cast<size_t>(bytes)))
      return Failed(GE_DATA_MISMATCH, what + " of shape " + Text(shape) + " needs " + std::to_string(bytes) +
                                          " bytes, Execute gave it " + std::to_string(made.GetSize()));
    auto *row = reinterpret_cast<int64_t *>(static_cast<char *>(args.workspace) + kShapeBytes * i);
    row[0] = static_cast<int64_t>(shape.GetDimNum());
    for (size_t d = 0; d < shape.GetDimNum(); ++d) row[1 + d] = shape.GetDim(d);
    if (i < frame.given.size() && frame.given[i] != nullptr && made.GetAddr() == frame.given[i]) return GE_SUCCESS;
    const GeKernelAllocator &allocator = *args.allocator;
    void *planned = allocator.allocate(allocator.host, static_cast<int32_t>(i), static_cast<uint64_t>(bytes));
    if (planned == nullptr) return Failed(GE_OUT_OF_MEMORY, what + ": no memory");
    Fetch(made, planned, static_cast<size_t>(bytes));
    return GE_SUCCESS;
  }
  static std::string Text(const gert::Shape &shape) {
    std::string text = "[";
    for (size_t d = 0; d < shape.GetDimNum(); ++d) text += (d == 0 ? "" : ",") + std::to_string(shape.GetDim(d));
    return text + "]";
  }

  std::shared_ptr<BaseCustomOp> op_;
  EagerExecuteOp *eager_;
  ComputeNode node_;
  std::vector<gert::Tensor> inputs_, outputs_;  // without data; inputs: present ones
  bool allocates_ = false;
  GeStatus (*fail_)(GeStatus code, const char *message);
};

class CustomEngine {
 public:
  /// Makes the engine known to the library, once.
  static void Use() {
    static const bool registered = Register();
    (void)registered;
  }

 private:
  static bool Register() {
    static const std::string name = Name();
    static GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = name.c_str();
    table.version = "1";
    table.cost = 0;
    table.flags = GE_ENGINE_OWN_OPERATORS;
    table.check = &Check;
    table.create_kernel = &Create;
    if (GeEngineRegister(&table, nullptr) == GE_SUCCESS) return true;
    GeLogMessage(GE_LOG_ERROR, GeLastErrorMessage());
    GeClearLastError();
    return false;
  }
  // Libraries that keep their registries to themselves have an engine each, named after them.
  static std::string Name() {
    const std::string base = "DNN_VM_CUSTOM";
    Dl_info here{};
    if (dladdr(reinterpret_cast<void *>(&Check), &here) == 0 || here.dli_fname == nullptr) return base;
    constexpr uintptr_t kHeaders = 4096;  // a program's headers are at its beginning
    const uintptr_t program = getauxval(AT_PHDR), begin = reinterpret_cast<uintptr_t>(here.dli_fbase);
    if (program >= begin && program < begin + kHeaders) return base;
    const char *file = std::strrchr(here.dli_fname, '/');
    return base + ":" + (file == nullptr ? here.dli_fname : file + 1);
  }
  static GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
    if (!CustomOps().HasCreator(op->type)) {
      std::snprintf(reason, capacity, "the program has no custom operator of this type");
      return GE_UNSUPPORTED;
    }
    if (CustomOpCast<EagerExecuteOp>(CustomOps().CreateOrGetCustomOp(op->type)) != nullptr) return GE_SUCCESS;
    std::snprintf(reason, capacity,
                  "the custom operator has no Execute (EagerExecuteOp); launches that are declared need a device");
    return GE_UNSUPPORTED;
  }
  static GeStatus Create(void *, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
    std::shared_ptr<std::mutex> compiling;
    std::shared_ptr<BaseCustomOp> shared = CustomOps().Shared(op->type, &compiling);
    if (shared == nullptr) return env->fail(GE_UNSUPPORTED, "the program has no custom operator of this type any more");
    auto kernel = MakeUnique<CustomKernel>(std::move(shared), *op, *env);
    const GeStatus status = kernel->Compile(*compiling);
    if (status == GE_SUCCESS) kernel.release()->Describe(out);
    return status;
  }
};

/// ShapeInferOp's functions of a custom operator.
inline ContextFunctions ShapeInferOf(const std::string &type) {
  ContextFunctions functions;
  std::shared_ptr<BaseCustomOp> op = CustomOps().Shared(type);
  ShapeInferOp *infer = CustomOpCast<ShapeInferOp>(op.get());
  if (infer == nullptr) return functions;
  functions.shape = [op, infer](gert::InferShapeContext *context) { return infer->InferShape(context); };
  functions.type = [op, infer](gert::InferDataTypeContext *context) { return infer->InferDataType(context); };
  return functions;
}

inline graphStatus RegisterCustomOp(const char *type, const BaseOpCreator &creator) {
  if (type == nullptr) return GRAPH_PARAM_INVALID;
  const graphStatus status = CustomOps().RegisterCreator(AscendString(type), creator);
  if (status != GRAPH_SUCCESS) return status;
  CustomEngine::Use();
  ImplOps::SetOther(&ShapeInferOf);
  ImplOps::Use(type);
  return GRAPH_SUCCESS;
}

}  // namespace detail
}  // namespace ge

#endif
