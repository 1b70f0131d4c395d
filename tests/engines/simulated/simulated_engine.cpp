// A simulated accelerator, from public headers only: memory of its own that the host cannot touch, streams that work
// later, single nodes and whole regions. What it computes it lets another engine's kernels compute, on its own threads
// and in its own memory.
//
// Options of GeEngineLoad, one "key=value" a line:
//   kernels  library of the engine whose kernels it uses
//   share    of 100: how many of the nodes it takes, drawn by `seed` from what a node looks like (100)
//   others   1: exactly those nodes that the same share and seed do not take
//   seed     (0)
//   regions  1: takes them as regions; 0: as single nodes (0)
//   delay    microseconds before each piece of work (0)
//   fail     every n-th piece of work fails (0: none)
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "ge/engine_kit.hpp"

namespace simulated {
namespace {

using ge::kit::Kernel;
using ge::kit::Refuse;
using ge::kit::Tensor;

thread_local std::string last_text;  // what a kernel reported on this thread

GeStatus TakeText(GeStatus code, const char *message) {
  last_text = message;
  return code;
}
void OneThread(void *, int64_t n, int64_t, GeParallelFn fn, void *arg) {
  if (n > 0) fn(arg, 0, n);
}

std::string Option(const char *options, const std::string &key, const std::string &fallback) {
  const std::string all = "\n" + std::string(options ? options : "");
  const size_t at = all.find("\n" + key + "=");
  if (at == std::string::npos) return fallback;
  const size_t begin = at + key.size() + 2;
  return all.substr(begin, all.find('\n', begin) - begin);
}
int Number(const char *options, const std::string &key, int fallback) {
  return std::atoi(Option(options, key, std::to_string(fallback)).c_str());
}

/// The engine whose kernels compute.
class Library {
 public:
  Library(const GeEngineHost &host, const std::string &path) : host_(host) {
    host_.struct_size = sizeof host_;
    host_.fail = &TakeText;
    library_.reset(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (!library_) Fail(GE_PATH_INVALID, "option kernels: ", dlerror());
    const auto query = reinterpret_cast<GeEngineQueryFn>(dlsym(library_.get(), GE_ENGINE_QUERY_SYMBOL));
    table_ = query ? query(GE_ENGINE_ABI_VERSION) : nullptr;
    if (!table_) Fail(GE_PATH_INVALID, "option kernels: '", path, "' is no engine");
    if (const GeStatus status = table_->open(&host_, path.c_str(), "", &self_); status != GE_SUCCESS)
      Fail(status, last_text);
  }
  ~Library() { table_->close(self_); }
  Library(const Library &) = delete;
  Library &operator=(const Library &) = delete;
  const GeEngineTable &table() const { return *table_; }
  void *self() const { return self_; }

 private:
  struct Unload {
    void operator()(void *library) const { dlclose(library); }
  };
  GeEngineHost host_;
  std::unique_ptr<void, Unload> library_;
  const GeEngineTable *table_ = nullptr;
  void *self_ = nullptr;
};

/// A kernel of that engine, with an environment that neither needs the library's threads nor its errors.
class Computation {
 public:
  Computation(const Library &library, const GeOpDesc &op, const GeKernelEnv &env) : env_(env) {
    env_.threads = 1;
    env_.parallel_for = &OneThread;
    env_.fail = &TakeText;
    kernel_.struct_size = sizeof kernel_;
    const GeStatus status = library.table().create_kernel(library.self(), &op, &env_, &kernel_);
    if (status != GE_SUCCESS) Fail(status, last_text);
    if (kernel_.flags & GE_KERNEL_DATA_DEPENDENT) {
      kernel_.destroy(kernel_.state);
      Refuse("output shapes depend on data");
    }
    for (size_t i = 0; i < op.input_count; ++i) inputs.push_back(BytesOf(op.inputs[i]));
    for (size_t i = 0; i < op.output_count; ++i) outputs.push_back(BytesOf(op.outputs[i]));
  }
  ~Computation() {
    if (kernel_.destroy) kernel_.destroy(kernel_.state);
  }
  Computation(const Computation &) = delete;
  Computation &operator=(const Computation &) = delete;

  static uint64_t BytesOf(const GeTensorData &t) {
    const Tensor tensor(t);
    return tensor.present() && tensor.known() ? static_cast<uint64_t>(tensor.bytes()) : 0;
  }
  uint64_t workspace_bytes() const { return kernel_.workspace_bytes; }
  GeStatus Run(const std::vector<const void *> &in, const std::vector<void *> &out, void *workspace,
               std::string *text) const {
    GeKernelArgs args{};
    args.struct_size = sizeof args;
    args.inputs = in.data();
    args.outputs = out.data();
    args.workspace = workspace;
    const GeStatus status = kernel_.run(kernel_.state, &args);
    if (status != GE_SUCCESS) *text = last_text;
    return status;
  }

  std::vector<uint64_t> inputs, outputs;  // bytes

 private:
  GeKernelEnv env_;  // the kernel may point to it
  GeKernel kernel_{};
};

alignas(64) char nothing[64];

/// What the library asked for, for tests.
struct Calls {
  std::atomic<size_t> synchronize{0}, wait_event{0}, live_events{0};
} calls;

class Device {
 public:
  Memory memory;
  std::chrono::microseconds delay{0};
  int fail = 0;
  std::atomic<int> works{0};

  /// The device's view of a kernel's buffers. What has no bytes lies nowhere.
  std::vector<const void *> In(const GeKernelArgs &args, const std::vector<uint64_t> &bytes) const {
    std::vector<const void *> all;
    for (size_t i = 0; i < bytes.size(); ++i)
      all.push_back(!args.inputs[i] ? nullptr : bytes[i] ? memory.Device(args.inputs[i], bytes[i]) : nothing);
    return all;
  }
  std::vector<void *> Out(const GeKernelArgs &args, const std::vector<uint64_t> &bytes) const {
    std::vector<void *> all;
    for (size_t i = 0; i < bytes.size(); ++i)
      all.push_back(!args.outputs[i] ? nullptr : bytes[i] ? memory.Device(args.outputs[i], bytes[i]) : nothing);
    return all;
  }
  void Give(void *stream, Stream::Job job) {
    if (!stream) Fail(GE_FAILED, "there is no stream");
    const int number = ++works;
    static_cast<Stream *>(stream)->Add([this, number, job = std::move(job)](std::string *text) {
      if (fail != 0 && number % fail == 0) {
        *text = "work " + std::to_string(number) + " failed as option fail asks";
        return static_cast<GeStatus>(GE_FAILED);
      }
      return job(text);
    });
  }
};

class NodeKernel : public Kernel {
 public:
  NodeKernel(Device *device, const Library &library, const GeOpDesc &op, const GeKernelEnv &env)
      : device_(device), computation_(std::make_shared<Computation>(library, op, env)) {
    implementation = "simulated:node";
    workspace_bytes = computation_->workspace_bytes();
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    void *workspace = workspace_bytes ? device_->memory.Device(args.workspace, workspace_bytes) : nullptr;
    device_->Give(args.stream, [computation = computation_, in = device_->In(args, computation_->inputs),
                                out = device_->Out(args, computation_->outputs),
                                workspace](std::string *text) { return computation->Run(in, out, workspace, text); });
    return GE_SUCCESS;
  }

 private:
  Device *device_;
  std::shared_ptr<Computation> computation_;
};

/// The nodes of a region one after the other; what only they read lies in the workspace.
class RegionKernel : public Kernel {
 public:
  RegionKernel(Device *device, const Library &library, const GeRegion &region, const GeKernelEnv &env)
      : device_(device), program_(std::make_shared<Program>()) {
    implementation = "simulated:region";
    const GeGraphView &graph = *region.graph;
    for (size_t i = 0; i < region.input_count; ++i) program_->inputs.push_back(Computation::BytesOf(region.inputs[i]));
    for (size_t i = 0; i < region.output_count; ++i)
      program_->outputs.push_back(Computation::BytesOf(region.outputs[i]));
    size_t edge = 0;
    for (size_t k = 0; k < graph.node_count; ++k) {
      const GeOpDesc &op = *graph.nodes[k];
      Step step{std::make_unique<Computation>(library, op, env), {}, {}, 0};
      for (size_t i = 0; i < op.input_count; ++i) {
        const GeGraphEdge *from = edge < graph.edge_count ? &graph.edges[edge] : nullptr;
        if (from && from->to == static_cast<int32_t>(k) && from->to_port == static_cast<int32_t>(i)) {
          step.inputs.push_back({from->from, from->from_port, {}});
          ++edge;
          continue;
        }
        Place constant{-1, -1, {}};  // absent, or a value that the kernel keeps
        if (op.inputs[i].data_type != C_DT_UNDEFINED) {
          if (!op.inputs[i].data) Refuse(op.type, " input ", i, " is neither connected nor constant");
          const char *data = static_cast<const char *>(op.inputs[i].data);
          constant.content.assign(data, data + step.computation->inputs[i]);
          constant.content.resize(constant.content.size() + 64);  // never without an address
        }
        step.inputs.push_back(std::move(constant));
      }
      for (size_t o = 0; o < op.output_count; ++o) step.outputs.push_back(Reserve(step.computation->outputs[o] + 1));
      step.workspace = Reserve(step.computation->workspace_bytes() + 1);
      program_->steps.push_back(std::move(step));
    }
    for (size_t o = 0; o < graph.output_count; ++o) program_->results.push_back(graph.outputs[o]);
  }
  GeStatus Run(const GeKernelArgs &args) const override {
    char *workspace = device_->memory.Device(args.workspace, workspace_bytes);
    device_->Give(args.stream, [program = program_, in = device_->In(args, program_->inputs),
                                out = device_->Out(args, program_->outputs),
                                workspace](std::string *text) { return program->Run(in, out, workspace, text); });
    return GE_SUCCESS;
  }

 private:
  struct Place {
    int32_t node, port;  // node -1: input `port` of the region, or with port -1 a constant (absent when it is empty)
    std::vector<char> content;
  };
  struct Step {
    std::unique_ptr<Computation> computation;
    std::vector<Place> inputs;
    std::vector<uint64_t> outputs;  // offsets in the workspace
    uint64_t workspace;
  };
  struct Program {
    std::vector<Step> steps;
    std::vector<uint64_t> inputs, outputs;  // bytes
    std::vector<GeNodePort> results;

    GeStatus Run(const std::vector<const void *> &in, const std::vector<void *> &out, char *workspace,
                 std::string *text) const {
      for (const Step &step : steps) {
        std::vector<const void *> from;
        std::vector<void *> to;
        for (const Place &p : step.inputs) {
          if (p.node >= 0)
            from.push_back(workspace + steps[static_cast<size_t>(p.node)].outputs[static_cast<size_t>(p.port)]);
          else if (p.port >= 0) from.push_back(in[static_cast<size_t>(p.port)]);
          else from.push_back(p.content.empty() ? nullptr : p.content.data());
        }
        for (uint64_t offset : step.outputs) to.push_back(workspace + offset);
        const GeStatus status = step.computation->Run(from, to, workspace + step.workspace, text);
        if (status != GE_SUCCESS) return status;
      }
      for (size_t o = 0; o < results.size(); ++o)
        if (outputs[o])
          std::memcpy(
              out[o],
              workspace + steps[static_cast<size_t>(results[o].node)].outputs[static_cast<size_t>(results[o].port)],
              outputs[o]);
      return GE_SUCCESS;
    }
  };
  Device *device_;
  std::shared_ptr<Program> program_;
};

class Engine {
 public:
  Engine(const GeEngineHost &host, const char *options)
      : library_(host, Option(options, "kernels", "")),
        share_(Number(options, "share", 100)),
        seed_(static_cast<uint64_t>(Number(options, "seed", 0))),
        others_(Number(options, "others", 0) != 0),
        regions_(Number(options, "regions", 0) != 0),
        device_(std::make_unique<Device>()) {
    device_->delay = std::chrono::microseconds(Number(options, "delay", 0));
    device_->fail = Number(options, "fail", 0);
  }

  void Check(const GeOpDesc &op) const {
    if (regions_) Refuse("takes regions only");
    CheckNode(op);
  }
  std::unique_ptr<Kernel> Create(const GeOpDesc &op, const GeKernelEnv &env) const {
    return std::make_unique<NodeKernel>(device_.get(), library_, op, env);
  }

  void Claim(const GeGraphView &graph, const ge::kit::Claims &claims) const {
    std::vector<int32_t> nodes;
    for (size_t k = 0; regions_ && k < graph.node_count; ++k) {
      const GeOpDesc &op = *graph.nodes[k];
      if (ge::kit::Guard([](GeStatus code, const char *) { return code; }, [&] { CheckNode(op); }) == GE_SUCCESS)
        nodes.push_back(static_cast<int32_t>(k));
    }
    if (!nodes.empty()) claims.Take(nodes);
  }
  std::unique_ptr<Kernel> CreateRegion(const GeRegion &region, const GeKernelEnv &env) const {
    return std::make_unique<RegionKernel>(device_.get(), library_, region, env);
  }

  void *Allocate(uint64_t bytes) const { return device_->memory.Allocate(bytes); }
  void Release(void *memory) const { device_->memory.Release(memory); }
  void *CreateStream() const { return new Stream(device_->delay); }
  void DestroyStream(void *stream) const { delete static_cast<Stream *>(stream); }
  void Synchronize(void *stream) const {
    ++calls.synchronize;
    static_cast<Stream *>(stream)->Synchronize();
  }

  void *CreateEvent() const {
    ++calls.live_events;
    return new Event;
  }
  void DestroyEvent(void *event) const {
    --calls.live_events;
    delete static_cast<Event *>(event);
  }
  void RecordEvent(void *stream, void *event) const {
    static_cast<Stream *>(stream)->Record(static_cast<Event *>(event));
  }
  void WaitEvent(void *event) const {
    ++calls.wait_event;
    const Event &e = *static_cast<Event *>(event);
    std::string text;
    const GeStatus status = e.Wait(e.Moment(), &text);
    if (status != GE_SUCCESS) throw ge::kit::Failure{status, text};
  }
  void StreamWaitEvent(void *stream, void *event) const {
    const Event *e = static_cast<Event *>(event);
    static_cast<Stream *>(stream)->Add([e, moment = e->Moment()](std::string *text) { return e->Wait(moment, text); });
  }

  void Copy(void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) const {
    if (direction == GE_COPY_TO_SPACE) {
      char *device = device_->memory.Device(to, bytes);
      if (!stream) {
        std::memcpy(device, from, bytes);
        return;
      }
      const char *begin = static_cast<const char *>(from);
      device_->Give(stream, [device, content = std::vector<char>(begin, begin + bytes)](std::string *) {
        std::memcpy(device, content.data(), content.size());
        return static_cast<GeStatus>(GE_SUCCESS);
      });
      return;
    }
    const char *device = device_->memory.Device(from, bytes);
    void *target = direction == GE_COPY_INSIDE ? device_->memory.Device(to, bytes) : to;
    const auto copy = [device, target, bytes](std::string *) {
      std::memcpy(target, device, bytes);
      return static_cast<GeStatus>(GE_SUCCESS);
    };
    if (stream) device_->Give(stream, copy);
    else copy(nullptr);
  }

 private:
  void CheckNode(const GeOpDesc &op) const {
    uint64_t h = 1469598103934665603ull + seed_ * 977;  // FNV-1a over what the node looks like
    const auto mix = [&h](uint64_t v) { h = (h ^ v) * 1099511628211ull; };
    for (const char *c = op.type; *c; ++c) mix(static_cast<uint64_t>(*c));
    for (size_t i = 0; i < op.input_count; ++i)
      for (int32_t d = 0; d < op.inputs[i].rank; ++d) mix(static_cast<uint64_t>(op.inputs[i].dims[d]));
    for (size_t i = 0; i < op.output_count; ++i)
      for (int32_t d = 0; d < op.outputs[i].rank; ++d) mix(static_cast<uint64_t>(op.outputs[i].dims[d]) + 7);
    const bool drawn = static_cast<int>((h >> 20) % 100) < share_;
    if (drawn == others_) Refuse("is left to others");
    char reason[512] = "";
    const GeStatus status = library_.table().check(library_.self(), &op, reason, sizeof reason);
    if (status != GE_SUCCESS) Refuse(reason);
  }

  Library library_;
  int share_;
  uint64_t seed_;
  bool others_, regions_;
  std::unique_ptr<Device> device_;
};

constexpr GeMemorySpace kMemory = ge::kit::MemoryOf<Engine>("simulated", 256);
constexpr GeEngineTable kTable = ge::kit::TableOf<Engine>("SimulatedEngine", "1", 0, GE_ENGINE_ATOMIC, &kMemory);

}  // namespace
}  // namespace simulated

/// Pieces of the accelerator's memory that somebody has.
extern "C" GE_API size_t SimulatedLiveBlocks(void) { return simulated::Memory::live; }

extern "C" GE_API size_t SimulatedSynchronizeCalls(void) { return simulated::calls.synchronize; }
extern "C" GE_API size_t SimulatedWaitEventCalls(void) { return simulated::calls.wait_event; }
extern "C" GE_API size_t SimulatedLiveEvents(void) { return simulated::calls.live_events; }

extern "C" GE_API const GeEngineTable *GeEngineQuery(uint32_t host_engine_abi) {
  return host_engine_abi >= GE_ENGINE_ABI_VERSION ? &simulated::kTable : nullptr;
}
