#include "tests/runtime/hanging_engine.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "core/placement/registry.h"
#include "runtime/watched_thread.h"

namespace gec {

std::atomic<int> HangingEngine::engines{0}, HangingEngine::kernels{0}, HangingEngine::blocks{0},
    HangingEngine::streams{0}, HangingEngine::events{0}, HangingEngine::runs{0};

namespace {

using H = HangingEngine;

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  std::string function;
  int inside = 0;
  bool open = true;
};
/// Never destroyed: a thread may hang in it while the process ends.
Gate &TheGate() {
  static Gate *gate = new Gate;
  return *gate;
}

void MayHang(const char *function) {
  Gate &gate = TheGate();
  std::unique_lock lock(gate.mutex);
  if (gate.function != function) return;
  ++gate.inside;
  gate.changed.notify_all();
  gate.changed.wait(lock, [&] { return gate.open; });
  --gate.inside;
}

uint32_t extras_now = 0;

struct State {
  int64_t factors;  // of a Mul: elements of its constant, which repeats; 0: of a Neg
  int64_t count;    // -1: the run tells
  const float *packed = nullptr;
};

GeStatus Run(void *at, const GeKernelArgs *args) {
  ++H::runs;
  const State &state = *static_cast<const State *>(at);
  int64_t count = state.count;
  if (count < 0) {
    count = 1;
    for (int d = 0; d < 2; ++d) count *= args->output_dims[0][d];
  }
  MayHang("run");
  const float *a = static_cast<const float *>(args->inputs[0]);
  const float *b = state.packed ? state.packed : state.factors ? static_cast<const float *>(args->inputs[1]) : nullptr;
  float *y = static_cast<float *>(args->outputs[0]);
  for (int64_t i = 0; i < count; ++i) y[i] = b ? a[i] * b[i % state.factors] : -a[i];
  return GE_SUCCESS;
}

void Fill(GeKernel *out, State *state) {
  ++H::kernels;
  out->state = state;
  out->run = Run;
  out->destroy = [](void *at) {
    MayHang("destroy");
    --H::kernels;
    delete static_cast<State *>(at);
  };
  out->implementation = "test:hanging";
}

int64_t Elements(const GeTensorData &tensor) {
  int64_t count = 1;
  for (int32_t d = 0; d < tensor.rank; ++d) count *= tensor.dims[d];
  return count;
}

int64_t FactorsOf(const GeOpDesc &op) { return std::strcmp(op.type, "Mul") == 0 ? Elements(op.inputs[1]) : 0; }

GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
  MayHang("check");
  if (std::strcmp(op->type, "Neg") == 0 || std::strcmp(op->type, "Mul") == 0) return GE_SUCCESS;
  std::snprintf(reason, capacity, "only Neg and Mul");
  return GE_UNSUPPORTED;
}

GeStatus Create(void *, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
  MayHang("create_kernel");
  auto *state = new State{FactorsOf(*op), Elements(op->outputs[0])};
  if ((extras_now & H::kPacks) && state->factors != 0 && (op->inputs[1].flags & GE_TENSOR_CONSTANT)) {
    struct Pack {
      const void *from;
      size_t bytes;
    } pack{op->inputs[1].data, op->inputs[1].size};
    const void *packed = nullptr;
    const GeStatus status = env->packed_constant(
        env->host, pack.from, "copy", pack.bytes,
        [](void *arg, void *to) -> GeStatus {
          MayHang("pack");
          const Pack &what = *static_cast<const Pack *>(arg);
          std::memcpy(to, what.from, what.bytes);
          return GE_SUCCESS;
        },
        &pack, &packed);
    if (status != GE_SUCCESS) {
      delete state;
      return status;
    }
    state->packed = static_cast<const float *>(packed);
  }
  Fill(out, state);
  return GE_SUCCESS;
}

GeStatus CreateOpen(void *, const GeOpDesc *op, const GeOpenExtents *, const GeKernelEnv *, GeKernel *out) {
  MayHang("create_open_kernel");
  Fill(out, new State{FactorsOf(*op), -1});
  out->workspace_for = [](void *, const int64_t *const *, const int64_t *const *, uint64_t *bytes) -> GeStatus {
    MayHang("workspace_for");
    *bytes = 64;
    return GE_SUCCESS;
  };
  return GE_SUCCESS;
}

GeStatus Claim(void *, const GeGraphView *graph, const GeClaims *claims) {
  MayHang("claim");
  for (size_t k = 0; k < graph->node_count; ++k) {
    const int32_t node = static_cast<int32_t>(k);
    if (std::strcmp(graph->nodes[k]->type, "Neg") == 0) claims->take(claims->host, &node, 1);
  }
  return GE_SUCCESS;
}

GeStatus CreateRegion(void *, const GeRegion *region, const GeKernelEnv *, GeKernel *out) {
  MayHang("create_region");
  Fill(out, new State{0, Elements(region->outputs[0])});
  return GE_SUCCESS;
}

GeStatus Optimize(void *, GeGraph *, int32_t hook) {
  MayHang(hook == GE_HOOK_BEFORE_OPTIMIZATION ? "optimize before" : "optimize after");
  return GE_NOT_CHANGED;
}

GeStatus MakeMark(void **mark, std::atomic<int> &count) {
  *mark = new int(0);
  ++count;
  return GE_SUCCESS;
}

GeMemorySpace Space(bool with_streams) {
  GeMemorySpace space{};
  space.struct_size = sizeof space;
  space.name = "hanging:0";
  space.alignment = 64;
  space.allocate = [](void *, uint64_t bytes, void **memory) -> GeStatus {
    MayHang("allocate");
    *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    ++H::blocks;
    return GE_SUCCESS;
  };
  space.release = [](void *, void *memory) {
    MayHang("release");
    --H::blocks;
    std::free(memory);
  };
  space.copy = [](void *, void *, void *to, const void *from, uint64_t bytes, int32_t) -> GeStatus {
    MayHang("copy");
    std::memcpy(to, from, bytes);
    return GE_SUCCESS;
  };
  if (!with_streams) return space;
  space.create_stream = [](void *, void **stream) -> GeStatus {
    MayHang("create_stream");
    return MakeMark(stream, H::streams);
  };
  space.destroy_stream = [](void *, void *stream) {
    MayHang("destroy_stream");
    --H::streams;
    delete static_cast<int *>(stream);
  };
  space.synchronize = [](void *, void *) -> GeStatus {
    MayHang("synchronize");
    return GE_SUCCESS;
  };
  space.create_event = [](void *, void **event) -> GeStatus {
    MayHang("create_event");
    return MakeMark(event, H::events);
  };
  space.destroy_event = [](void *, void *event) {
    MayHang("destroy_event");
    --H::events;
    delete static_cast<int *>(event);
  };
  space.record_event = [](void *, void *, void *) -> GeStatus {
    MayHang("record_event");
    return GE_SUCCESS;
  };
  space.wait_event = [](void *, void *) -> GeStatus {
    MayHang("wait_event");
    return GE_SUCCESS;
  };
  space.stream_wait_event = [](void *, void *, void *) -> GeStatus {
    MayHang("stream_wait_event");
    return GE_SUCCESS;
  };
  return space;
}

}  // namespace

HangingEngine::HangingEngine(uint32_t extras) {
  extras_now = extras;
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = kName;
  table.open = [](const GeEngineHost *, const char *, const char *, void **) -> GeStatus {
    ++engines;
    return GE_SUCCESS;
  };
  table.close = [](void *) {
    MayHang("close");
    --engines;
  };
  if (!(extras & kClaims)) {
    table.check = Check;
    table.create_kernel = Create;
  } else {
    table.claim = Claim;
    table.create_region = CreateRegion;
  }
  if (extras & kHooks) table.optimize = Optimize;
  if (extras & kBlocks)
    table.channel_block = [](void *, uint64_t) -> int32_t {
      MayHang("channel_block");
      return 16;
    };
  if (extras & kOpen) table.create_open_kernel = CreateOpen;
  const GeMemorySpace space = Space((extras & kStreams) != 0);
  if (extras & (kMemory | kStreams)) table.memory = &space;
  EngineRegistry::Instance().Register(&table, "");
}

HangingEngine::~HangingEngine() {
  LetGo();
  WaitForThreads();
  for (const EnginePtr &engine : EngineRegistry::Instance().Engines()) {
    if (engine->name() != kName) continue;
    EngineRegistry::Instance().Unload(kName);
    break;
  }
}

void HangingEngine::HangIn(const std::string &function) {
  Gate &gate = TheGate();
  std::lock_guard lock(gate.mutex);
  gate.function = function;
  gate.open = false;
}

void HangingEngine::LetGo() {
  Gate &gate = TheGate();
  std::lock_guard lock(gate.mutex);
  gate.function.clear();
  gate.open = true;
  gate.changed.notify_all();
}

void HangingEngine::WaitUntilItHangs() {
  Gate &gate = TheGate();
  std::unique_lock lock(gate.mutex);
  gate.changed.wait(lock, [&] { return gate.inside != 0; });
}

void HangingEngine::WaitForThreads() {
  while (ThreadsLeftBehind() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool HangingEngine::NothingIsLeft() {
  return engines == 0 && kernels == 0 && blocks == 0 && streams == 0 && events == 0;
}

}  // namespace gec
