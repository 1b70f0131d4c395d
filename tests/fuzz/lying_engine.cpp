#include "lying_engine.h"

#include <cstdlib>
#include <cstring>

namespace fuzz {
namespace {

Lies *g_lies = nullptr;  // of the engine that is registered: one at a time

uint64_t Size(Bytes *bytes) {
  static constexpr uint64_t kSizes[] = {0,
                                        1,
                                        8,
                                        32,
                                        64,
                                        100,
                                        128,
                                        512,
                                        4096,
                                        1 << 20,
                                        UINT64_MAX,
                                        UINT64_MAX - 1,
                                        UINT64_MAX - 63,
                                        UINT64_MAX - 64,
                                        UINT64_MAX / 2,
                                        UINT64_MAX / 2 + 1,
                                        UINT64_C(1) << 50};
  return kSizes[bytes->Below(std::size(kSizes))];
}

GeStatus Open(const GeEngineHost *host, const char *, const char *, void **engine) {
  g_lies->host = host;
  *engine = g_lies;
  return g_lies->open == GE_SUCCESS ? GE_SUCCESS : host->fail(g_lies->open, "it does not open");
}
void Close(void *) {}

bool Takes(const GeOpDesc *op) { return g_lies->takes.empty() || g_lies->takes == op->type; }

GeStatus Check(void *, const GeOpDesc *op, char *reason, size_t capacity) {
  if (capacity != 0) std::strncpy(reason, "no", capacity);
  return Takes(op) ? g_lies->check : GE_UNSUPPORTED;
}

/// Says the shape that the bytes gave, where there is room for one, and asks for memory where that is offered.
GeStatus Run(void *, const GeKernelArgs *args) {
  const Lies &lies = *g_lies;
  if (args->workspace != nullptr && (lies.kernel.flags & GE_KERNEL_DATA_DEPENDENT) != 0 &&
      lies.kernel.workspace_bytes >= sizeof lies.shape)
    std::memcpy(args->workspace, lies.shape, sizeof lies.shape);
  if (args->allocator != nullptr) {
    void *memory = args->allocator->allocate(args->allocator->host, lies.allocated_output, lies.allocated_bytes);
    if (memory != nullptr && lies.allocated_bytes <= 4096) std::memset(memory, 0, lies.allocated_bytes);
  }
  return lies.run;
}
void DestroyState(void *) {}
GeStatus WorkspaceFor(void *, const int64_t *const *, const int64_t *const *, uint64_t *bytes) {
  *bytes = g_lies->workspace;
  return g_lies->workspace_for;
}

/// The host sees the kernel's struct and no more, whatever struct_size the engine says.
GeStatus Fill(GeKernel *out, GeStatus status) {
  const size_t known = out->struct_size;
  std::memcpy(out, &g_lies->kernel, std::min(known, sizeof(GeKernel)));
  if (g_lies->kernel.struct_size == 0) out->struct_size = known;
  return status;
}
GeStatus CreateKernel(void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *out) {
  return Fill(out, g_lies->create_kernel);
}
GeStatus CreateOpenKernel(void *, const GeOpDesc *, const GeOpenExtents *, const GeKernelEnv *, GeKernel *out) {
  return Fill(out, g_lies->create_open_kernel);
}
GeStatus CreateRegion(void *, const GeRegion *, const GeKernelEnv *, GeKernel *out) {
  return Fill(out, g_lies->create_region);
}
GeStatus Claim(void *, const GeGraphView *, const GeClaims *claims) {
  claims->take(claims->host, g_lies->nodes.data(), g_lies->nodes.size());
  return g_lies->claim;
}
GeStatus Optimize(void *, GeGraph *, int32_t) { return g_lies->optimize; }
int32_t ChannelBlock(void *, uint64_t) { return g_lies->channels; }

GeStatus Allocate(void *, uint64_t bytes, void **memory) {
  *memory = nullptr;
  if (bytes > 1 << 24) return GE_OUT_OF_MEMORY;
  if (g_lies->allocate == GE_SUCCESS && !g_lies->no_memory)
    *memory = std::aligned_alloc(65536, (bytes + 65535) & ~65535ULL);
  return g_lies->allocate;
}
void Release(void *, void *memory) { std::free(memory); }
GeStatus Copy(void *, void *, void *to, const void *from, uint64_t bytes, int32_t) {
  if (g_lies->copy == GE_SUCCESS) std::memcpy(to, from, bytes);
  return g_lies->copy;
}
GeStatus CreateStream(void *, void **stream) {
  static int one;
  *stream = g_lies->null_stream ? nullptr : &one;
  return g_lies->stream;
}
void DestroyStream(void *, void *) {}
GeStatus Synchronize(void *, void *) { return g_lies->stream; }
GeStatus OfEvent(void *, void *) { return g_lies->event; }
GeStatus RecordEvent(void *, void *, void *) { return g_lies->event; }

template <class Function>
Function *Seldom(Bytes *bytes, Function *function, size_t of) {
  return bytes->Below(of) == of - 1 ? nullptr : function;
}

GeMemorySpace Memory(Bytes *bytes) {
  static constexpr uint64_t kAlignments[] = {
      64, 64, 64, 256, 65536, 0, 1, 63, 65, 32, 131072, UINT64_MAX, UINT64_C(1) << 63};
  GeMemorySpace space = {};
  space.struct_size = StructSize(bytes, sizeof space);
  if (space.struct_size > sizeof space) space.struct_size = sizeof space;  // it lies inside another object
  space.name = Seldom<const char>(bytes, "space:0", 16);
  space.alignment = kAlignments[bytes->Below(std::size(kAlignments))];
  space.allocate = Seldom(bytes, &Allocate, 16);
  space.release = Seldom(bytes, &Release, 16);
  space.copy = Seldom(bytes, &Copy, 16);
  const size_t streams = bytes->Flag() ? 2 : 16, events = bytes->Flag() ? 2 : 16;
  if (streams == 16) {
    space.create_stream = Seldom(bytes, &CreateStream, streams);
    space.destroy_stream = Seldom(bytes, &DestroyStream, streams);
    space.synchronize = Seldom(bytes, &Synchronize, streams);
  }
  if (events == 16) {
    space.create_event = Seldom(bytes, &CreateStream, events);
    space.destroy_event = Seldom(bytes, &DestroyStream, events);
    space.record_event = Seldom(bytes, &RecordEvent, events);
    space.wait_event = Seldom(bytes, &OfEvent, events);
    space.stream_wait_event = Seldom(bytes, &RecordEvent, events);
  }
  return space;
}

}  // namespace

size_t StructSize(Bytes *bytes, size_t right) {
  switch (bytes->Below(16)) {
    case 12:
      return right - 8;
    case 13:
      return right + 8 * bytes->Below(8);
    case 14:
      return bytes->Below(2 * right);
    case 15:
      return bytes->Flag() ? SIZE_MAX : static_cast<size_t>(bytes->Number());
    default:
      return right;
  }
}

GeStatus SomeStatus(Bytes *bytes) {
  static constexpr GeStatus kSome[] = {GE_UNSUPPORTED,   GE_NOT_CHANGED, GE_FAILED,
                                       GE_OUT_OF_MEMORY, 12345,          GE_CANCELLED};
  const size_t which = bytes->Below(24);
  return which < std::size(kSome) ? kSome[which] : GE_SUCCESS;
}

Lies::Lies(Bytes *bytes) {
  for (GeStatus *status : {&open, &check, &create_kernel, &claim, &create_region, &optimize, &create_open_kernel,
                           &workspace_for, &run, &allocate, &copy, &stream, &event})
    *status = SomeStatus(bytes);
  static constexpr const char *kTakes[] = {"", "Neg", "Add", "Data"};
  takes = kTakes[bytes->Below(std::size(kTakes))];
  kernel.struct_size = bytes->Below(4) == 3 ? StructSize(bytes, sizeof kernel) : 0;
  kernel.run = Seldom(bytes, &Run, 16);
  kernel.destroy = Seldom(bytes, &DestroyState, 4);
  kernel.implementation = Seldom<const char>(bytes, "lying:kernel", 8);
  kernel.workspace_bytes = Size(bytes);
  kernel.flags = bytes->Below(4) == 3 ? bytes->Raw<uint32_t>() : static_cast<uint32_t>(bytes->Below(16));
  aliases.resize(bytes->Below(4));
  for (GeAlias &alias : aliases) {
    alias.kind = static_cast<int32_t>(bytes->Below(6) == 5 ? bytes->Number() : static_cast<int64_t>(bytes->Below(4)));
    alias.input = static_cast<int32_t>(bytes->Below(6) == 5 ? bytes->Number() : static_cast<int64_t>(bytes->Below(2)));
    alias.output = static_cast<int32_t>(bytes->Below(6) == 5 ? bytes->Number() : 0);
    alias.offset = bytes->Below(3) == 2 ? Size(bytes) : 0;
  }
  const bool no_list = bytes->Below(8) == 7;
  kernel.alias_count = no_list ? bytes->Raw<uint32_t>() : static_cast<uint32_t>(aliases.size());
  kernel.aliases = no_list ? nullptr : aliases.data();
  kernel.flops = bytes->Real();
  if (bytes->Below(8) == 7) kernel.flops_type = static_cast<int32_t>(bytes->Number());
  output_bytes.assign(4, Size(bytes));
  kernel.output_bytes = Seldom<const uint64_t>(bytes, output_bytes.data(), 4);
  kernel.workspace_for = bytes->Flag() ? &WorkspaceFor : nullptr;
  nodes.resize(bytes->Below(4));
  for (int32_t &node : nodes)
    node = static_cast<int32_t>(bytes->Below(8) == 7 ? bytes->Number() : static_cast<int64_t>(bytes->Below(3)));
  for (int64_t &word : shape) word = bytes->Number();
  if (bytes->Flag()) shape[0] = static_cast<int64_t>(bytes->Below(4));
  allocated_output = static_cast<int32_t>(bytes->Below(4) == 3 ? bytes->Number() : 0);
  allocated_bytes = Size(bytes);
  workspace = Size(bytes);
  no_memory = bytes->Below(16) == 15;
  null_stream = bytes->Below(8) == 7;
  channels = static_cast<int32_t>(bytes->Number());
}

LyingEngine::LyingEngine(Bytes *bytes, Lies *lies) {
  g_lies = lies;
  GeEngineTable table = {};
  table.abi_version = bytes->Below(16) == 15 ? bytes->Raw<uint32_t>() : GE_ENGINE_ABI_VERSION;
  table.reserved = bytes->Below(32) == 31 ? 1 : 0;
  table.struct_size = StructSize(bytes, sizeof table);
  text_ = bytes->Below(8) == 7 ? bytes->Text(20) : "lying";
  name_ = table.name = Seldom(bytes, text_.c_str(), 32);
  table.version = Seldom<const char>(bytes, "1", 8);
  table.cost = static_cast<int32_t>(bytes->Number());
  table.flags = bytes->Below(8) == 7 ? bytes->Raw<uint32_t>() : static_cast<uint32_t>(bytes->Below(32));
  table.open = Seldom(bytes, &Open, 16);
  table.close = Seldom(bytes, &Close, 16);
  table.check = Seldom(bytes, &Check, 16);
  table.create_kernel = Seldom(bytes, &CreateKernel, 16);
  table.claim = Seldom(bytes, &Claim, 2);
  table.create_region = Seldom(bytes, &CreateRegion, table.claim != nullptr ? 16 : 2);
  if (bytes->Below(3) == 2) {
    memory_ = Memory(bytes);
    table.memory = &memory_;
  }
  table.optimize = Seldom(bytes, &Optimize, 2);
  table.create_open_kernel = Seldom(bytes, &CreateOpenKernel, 2);
  table.channel_block = Seldom(bytes, &ChannelBlock, 2);
  block_ = Exactly(table, GE_SIZE_THROUGH(GeEngineTable, struct_size), bytes);
}

}  // namespace fuzz
