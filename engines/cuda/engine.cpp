// CudaEngine: elementary operators on a GPU with memory and streams of its own, from public headers only. It proves the
// contract of such engines; nothing in it is tuned.
//
// Option of GeEngineLoad: device=N, the number of the GPU (0).
#include <cstdlib>
#include <cstring>
#include <string>

#include "device.h"

namespace cuda_engine {

void Need(cudaError_t status, const char *call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // the next call is judged by itself
  Fail(status == cudaErrorMemoryAllocation ? GE_OUT_OF_MEMORY : GE_FAILED, call, ": ", cudaGetErrorString(status), " (",
       cudaGetErrorName(status), ")");
}

GeStatus DeviceKernel::Run(const GeKernelArgs &args) const {
  Need(cudaSetDevice(device), "cudaSetDevice");
  Give(args, static_cast<cudaStream_t>(args.stream));
  return GE_SUCCESS;
}

namespace {

const Family *FindFamily(const GeOpDesc &op) {
  if (IsElementwise(op.type)) return &ElementwiseFamily();
  static const struct {
    const char *type;
    const Family &(*family)();
  } kRows[] = {
      {"MatMul", &MatMulFamily},      {"MatMulV2", &MatMulFamily},      {"MatMulV3", &MatMulFamily},
      {"BatchMatMul", &MatMulFamily}, {"BatchMatMulV2", &MatMulFamily}, {"BatchMatMulV3", &MatMulFamily},
      {"SoftmaxV2", &SoftmaxFamily},  {"LogSoftmaxV2", &SoftmaxFamily}, {"LayerNorm", &NormFamily},
      {"LayerNormV3", &NormFamily},   {"LayerNormV4", &NormFamily},     {"RmsNorm", &NormFamily},
  };
  for (const auto &row : kRows)
    if (std::strcmp(row.type, op.type) == 0) return &row.family();
  return GeOpHasTrait(&op, GE_TRAIT_VIEW) ? &ViewFamily() : nullptr;
}

/// The number of the device that the options name.
int DeviceOf(const char *options) {
  std::string rest = options ? options : "", device = "0";
  while (!rest.empty()) {
    const std::string line = rest.substr(0, rest.find('\n'));
    rest.erase(0, line.size() + 1);
    if (line.compare(0, 7, "device=") == 0) device = line.substr(7);
    else if (!line.empty()) Fail(GE_PARAM_INVALID, "option '", line, "' is not known; there is device=N");
  }
  if (device.empty() || device.size() > 6 || device.find_first_not_of("0123456789") != std::string::npos)
    Fail(GE_PARAM_INVALID, "option device is '", device, "', expected the number of a GPU");
  return std::atoi(device.c_str());
}

class Engine {
 public:
  Engine(const GeEngineHost &, const char *options) : device_(DeviceOf(options)) {
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
      Fail(GE_FAILED, "there is no CUDA device: cudaGetDeviceCount: ", cudaGetErrorString(status), " (",
           cudaGetErrorName(status), ")");
    if (device_ >= count) Fail(GE_PARAM_INVALID, "option device is ", device_, ", there are ", count, " CUDA devices");
    Enter();
    NeedKernels();
  }

  std::string Check(const GeOpDesc &op) const {
    const Family *family = FindFamily(op);
    if (!family) return "no kernel for this operator";
    const Node node(&op);
    for (size_t i = 0; i < node.inputs(); ++i)
      if (node.in(i).present()) RequirePlain(node.in(i), "an input");
    for (size_t o = 0; o < node.outputs(); ++o)
      if (node.out(o).present()) RequirePlain(node.out(o), "an output");
    family->check(node);
    if (node.known()) family->create(node);  // refuses shapes
    return "";
  }
  std::unique_ptr<Kernel> Create(const GeOpDesc &op, const GeKernelEnv &) const {
    std::unique_ptr<DeviceKernel> kernel = FindFamily(op)->create(Node(&op));
    kernel->device = device_;
    return kernel;
  }

  void *Allocate(uint64_t bytes) const {
    Enter();
    void *memory = nullptr;
    Need(cudaMalloc(&memory, bytes), "cudaMalloc");
    return memory;
  }
  void Release(void *memory) const {
    Enter();
    Need(cudaFree(memory), "cudaFree");
  }
  void Copy(void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) const {
    Enter();
    const cudaMemcpyKind kind = direction == GE_COPY_TO_SPACE     ? cudaMemcpyHostToDevice
                                : direction == GE_COPY_FROM_SPACE ? cudaMemcpyDeviceToHost
                                                                  : cudaMemcpyDeviceToDevice;
    Need(cudaMemcpyAsync(to, from, bytes, kind, static_cast<cudaStream_t>(stream)), "cudaMemcpyAsync");
    // The caller may change `from` when this answers, and CUDA reads memory that does not page (cudaHostRegister)
    // later.
    if (!stream || direction == GE_COPY_TO_SPACE) Synchronize(stream);
  }

  void *CreateStream() const {
    Enter();
    cudaStream_t stream = nullptr;
    Need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return stream;
  }
  void DestroyStream(void *stream) const {
    Enter();
    Need(cudaStreamDestroy(static_cast<cudaStream_t>(stream)), "cudaStreamDestroy");
  }
  void Synchronize(void *stream) const {
    Enter();
    Need(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize");
  }

  void *CreateEvent() const {
    Enter();
    cudaEvent_t event = nullptr;
    Need(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    return event;
  }
  void DestroyEvent(void *event) const {
    Enter();
    Need(cudaEventDestroy(static_cast<cudaEvent_t>(event)), "cudaEventDestroy");
  }
  void RecordEvent(void *stream, void *event) const {
    Enter();
    Need(cudaEventRecord(static_cast<cudaEvent_t>(event), static_cast<cudaStream_t>(stream)), "cudaEventRecord");
  }
  void WaitEvent(void *event) const {
    Enter();
    Need(cudaEventSynchronize(static_cast<cudaEvent_t>(event)), "cudaEventSynchronize");
  }
  void StreamWaitEvent(void *stream, void *event) const {
    Enter();
    Need(cudaStreamWaitEvent(static_cast<cudaStream_t>(stream), static_cast<cudaEvent_t>(event), 0),
         "cudaStreamWaitEvent");
  }

 private:
  void Enter() const { Need(cudaSetDevice(device_), "cudaSetDevice"); }
  int device_;
};

constexpr GeMemorySpace kMemory = ge::kit::MemoryOf<Engine>("cuda", 256);
constexpr GeEngineTable kTable =
    ge::kit::TableOf<Engine>("CudaEngine", GE_VERSION_STRING, 0, GE_ENGINE_ATOMIC, &kMemory);

}  // namespace
}  // namespace cuda_engine

extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &cuda_engine::kTable : nullptr;
}
