// Every field of the tables that an engine fills, at its extremes: the engine, its kernel or the run is refused with
// the engine, the node and the field, or the result is right.
#include <cmath>
#include <limits>

#include "core/placement/registry.h"
#include "ge/engine.h"
#include "net.h"
#include "runtime/profiler.h"

namespace gec {
namespace {

enum class As { kSigned, kUnsigned, kReal, kPointer };
struct Field {
  const char *name;
  size_t at, size;
  As as;
};
#define FIELD(Struct, member, as) \
  { #member, offsetof(Struct, member), sizeof(Struct::member), As::as }

const Field kKernelFields[] = {
    FIELD(GeKernel, struct_size, kUnsigned),   FIELD(GeKernel, run, kPointer),
    FIELD(GeKernel, state, kPointer),          FIELD(GeKernel, destroy, kPointer),
    FIELD(GeKernel, implementation, kPointer), FIELD(GeKernel, workspace_bytes, kUnsigned),
    FIELD(GeKernel, flags, kUnsigned),         FIELD(GeKernel, alias_count, kUnsigned),
    FIELD(GeKernel, aliases, kPointer),        FIELD(GeKernel, flops, kReal),
    FIELD(GeKernel, output_bytes, kPointer),   FIELD(GeKernel, workspace_for, kPointer),
    FIELD(GeKernel, flops_type, kSigned),
};
const Field kAliasFields[] = {
    FIELD(GeAlias, kind, kSigned),     FIELD(GeAlias, input, kSigned),    FIELD(GeAlias, output, kSigned),
    FIELD(GeAlias, reserved, kSigned), FIELD(GeAlias, offset, kUnsigned),
};
const Field kTableFields[] = {
    FIELD(GeEngineTable, abi_version, kUnsigned),  FIELD(GeEngineTable, reserved, kUnsigned),
    FIELD(GeEngineTable, struct_size, kUnsigned),  FIELD(GeEngineTable, name, kPointer),
    FIELD(GeEngineTable, version, kPointer),       FIELD(GeEngineTable, cost, kSigned),
    FIELD(GeEngineTable, flags, kUnsigned),        FIELD(GeEngineTable, open, kPointer),
    FIELD(GeEngineTable, close, kPointer),         FIELD(GeEngineTable, check, kPointer),
    FIELD(GeEngineTable, create_kernel, kPointer), FIELD(GeEngineTable, claim, kPointer),
    FIELD(GeEngineTable, create_region, kPointer), FIELD(GeEngineTable, memory, kPointer),
    FIELD(GeEngineTable, optimize, kPointer),      FIELD(GeEngineTable, create_open_kernel, kPointer),
    FIELD(GeEngineTable, channel_block, kPointer),
};
const Field kSpaceFields[] = {
    FIELD(GeMemorySpace, struct_size, kUnsigned),  FIELD(GeMemorySpace, name, kPointer),
    FIELD(GeMemorySpace, alignment, kUnsigned),    FIELD(GeMemorySpace, allocate, kPointer),
    FIELD(GeMemorySpace, release, kPointer),       FIELD(GeMemorySpace, copy, kPointer),
    FIELD(GeMemorySpace, create_stream, kPointer), FIELD(GeMemorySpace, destroy_stream, kPointer),
    FIELD(GeMemorySpace, synchronize, kPointer),   FIELD(GeMemorySpace, create_event, kPointer),
    FIELD(GeMemorySpace, destroy_event, kPointer), FIELD(GeMemorySpace, record_event, kPointer),
    FIELD(GeMemorySpace, wait_event, kPointer),    FIELD(GeMemorySpace, stream_wait_event, kPointer),
};

/// Bit patterns for {0, 1, max, max - 1, negative, null}, and what only real numbers have.
std::vector<uint64_t> Extremes(const Field &field) {
  const auto bits = [](double v) {
    uint64_t b;
    std::memcpy(&b, &v, sizeof b);
    return b;
  };
  using Real = std::numeric_limits<double>;
  if (field.as == As::kPointer) return {0};
  if (field.as == As::kReal)
    return {bits(0), bits(1), bits(Real::max()), bits(-1), bits(Real::infinity()), bits(-Real::infinity()), bits(NAN)};
  const unsigned width = static_cast<unsigned>(8 * field.size);
  const uint64_t all = ~uint64_t{0} >> (64 - width), half = all >> 1;
  return {0, 1, all, all - 1, half, half - 1, half + 1};  // all is -1 of a signed one, half + 1 the least
}
void Put(void *table, const Field &field, uint64_t value) {
  std::memcpy(static_cast<char *>(table) + field.at, &value, field.size);
}

struct Lie {
  std::function<void(GeEngineTable *)> in_table = [](GeEngineTable *) {};
  std::function<void(GeMemorySpace *)> in_space = [](GeMemorySpace *) {};
  std::function<void(GeKernel *)> in_kernel = [](GeKernel *) {};
  std::function<void(GeAlias *)> in_alias = [](GeAlias *) {};
  bool space = false, open = false;
  uint32_t flags = 0;  // of the kernel
  int32_t alias = -1;  // its kind; -1: none
  uint64_t room = 32, workspace = 64, open_workspace = 128;
  std::vector<int64_t> reported = {1, 4};
  GeStatus answer = GE_SUCCESS;  // of run
};
Lie *lie = nullptr;

/// Takes Neg; its numbers are four at most.
struct Liar {
  static GeStatus Check(void *, const GeOpDesc *op, char *, size_t) {
    return std::strcmp(op->type, "Neg") == 0 ? GE_SUCCESS : GE_UNSUPPORTED;
  }
  static GeStatus Run(void *, const GeKernelArgs *args) {
    auto *y = static_cast<float *>(args->outputs[0]);
    if ((lie->flags & GE_KERNEL_ALLOCATES_OUTPUTS) && args->allocator)
      y = static_cast<float *>(args->allocator->allocate(args->allocator->host, 0, lie->room));
    for (int i = 0; y && i < 4; ++i) y[i] = -static_cast<const float *>(args->inputs[0])[i];
    if (lie->flags & GE_KERNEL_DATA_DEPENDENT)
      std::memcpy(args->workspace, lie->reported.data(), lie->reported.size() * sizeof(int64_t));
    return lie->answer;
  }
  static GeStatus Fill(GeKernel *out) {
    static GeAlias alias;
    out->run = Run;
    out->destroy = [](void *) {};
    out->implementation = "liar";
    out->flags = lie->flags;
    out->workspace_bytes = lie->workspace;
    out->output_bytes = &lie->room;
    if (lie->alias >= 0) {
      alias = {lie->alias, 0, 0, 0, 0};
      lie->in_alias(&alias);
      out->aliases = &alias;
      out->alias_count = 1;
    }
    if (lie->open) {
      out->workspace_for = [](void *, const int64_t *const *, const int64_t *const *, uint64_t *bytes) -> GeStatus {
        *bytes = lie->open_workspace;
        return GE_SUCCESS;
      };
    }
    lie->in_kernel(out);
    return GE_SUCCESS;
  }
  static GeStatus Create(void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *out) {
    // Only create_open_kernel may tell a workspace of its own for each size.
    const bool open = std::exchange(lie->open, false);
    const GeStatus status = Fill(out);
    lie->open = open;
    return status;
  }
  static GeMemorySpace Space() {
    GeMemorySpace space{};
    space.struct_size = sizeof space;
    space.name = "far";
    space.alignment = 64;
    space.allocate = [](void *, uint64_t bytes, void **memory) -> GeStatus {
      return (*memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64)) ? GE_SUCCESS : GE_OUT_OF_MEMORY;
    };
    space.release = [](void *, void *memory) { std::free(memory); };
    space.copy = [](void *, void *, void *to, const void *from, uint64_t bytes, int32_t) -> GeStatus {
      std::memcpy(to, from, bytes);
      return GE_SUCCESS;
    };
    space.create_stream = space.create_event = [](void *, void **made) -> GeStatus {
      static int one;
      *made = &one;
      return GE_SUCCESS;
    };
    space.destroy_stream = space.destroy_event = [](void *, void *) {};
    space.synchronize = space.wait_event = [](void *, void *) -> GeStatus { return GE_SUCCESS; };
    space.record_event = space.stream_wait_event = [](void *, void *, void *) -> GeStatus { return GE_SUCCESS; };
    return space;
  }
  static GeEngineTable Table() {
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "Liar";
    table.version = "1";
    table.open = [](const GeEngineHost *, const char *, const char *, void **) -> GeStatus { return GE_SUCCESS; };
    table.close = [](void *) {};
    table.check = Check;
    table.create_kernel = Create;
    table.claim = [](void *, const GeGraphView *, const GeClaims *) -> GeStatus { return GE_SUCCESS; };
    table.create_region = [](void *, const GeRegion *, const GeKernelEnv *, GeKernel *) -> GeStatus {
      return GE_UNSUPPORTED;
    };
    table.optimize = [](void *, GeGraph *, int32_t) -> GeStatus { return GE_NOT_CHANGED; };
    table.create_open_kernel = [](void *, const GeOpDesc *, const GeOpenExtents *, const GeKernelEnv *,
                                  GeKernel *out) -> GeStatus { return lie->open ? Fill(out) : GE_UNSUPPORTED; };
    return table;
  }
};

/// The text of the refusal; empty where the numbers come out right. Fails the test where they come out wrong.
std::string Told(Lie one, const std::string &what, bool choosing = false) {
  lie = &one;
  GeMemorySpace space = Liar::Space();
  one.in_space(&space);
  GeEngineTable table = Liar::Table();
  if (one.space) table.memory = &space;
  one.in_table(&table);
  std::string told;
  try {
    EngineRegistry::Instance().Register(&table, "");
    Net net;
    const Endpoint x = net.Input({one.open ? -1 : 4});
    std::vector<Endpoint> outputs{net.Out("Neg", {x}, "turned")};
    if (choosing) outputs.push_back(net.Out("NonZero", {x}));
    net.Outputs(outputs);
    RunContext context(Model::Compile(*net.graph, Opts({{"islands", "0"}})));
    Profiler profiler;
    for (Profiler *with : {static_cast<Profiler *>(nullptr), &profiler}) {
      const Array y = RunAll(context, {Array::F({4}, {1, -2, 3, -4})}, with)[0];
      EXPECT_EQ(y.Floats(), (std::vector<float>{-1, 2, -3, 4})) << what;
    }
    profiler.Finish();
    const std::string trace = profiler.Json("g");
    for (const char *bad : {":inf", ":-inf", ":nan", ":-nan"}) EXPECT_EQ(trace.find(bad), std::string::npos) << what;
  } catch (const Error &e) {
    told = e.what();
  }
  if (table.name) {
    try {
      EngineRegistry::Instance().Unload("Liar");
    } catch (const Error &) {  // it was refused
    }
  }
  lie = nullptr;
  return told;
}

/// The word for a field in messages.
std::string WordFor(std::string field) {
  if (field == "abi_version") return "ABI";
  if (field == "workspace_bytes") return "workspace";
  return field;
}

/// What is refused is told with the engine and one of `words`.
void Hears(const std::string &told, const std::string &what, std::initializer_list<std::string> words) {
  if (told.empty()) return;
  for (const std::string &word : words) EXPECT_NE(told.find(word), std::string::npos) << what << ": " << told;
}

struct Way {
  const char *name;
  Lie lie;
};
std::vector<Way> Ways() {
  Lie plain, view, state, dependent, allocating, open;
  view.alias = GE_ALIAS_IN_PLACE;
  state.alias = GE_ALIAS_STATE;
  state.flags = GE_KERNEL_VIEW;
  dependent.flags = GE_KERNEL_DATA_DEPENDENT;
  allocating.flags = GE_KERNEL_DATA_DEPENDENT | GE_KERNEL_ALLOCATES_OUTPUTS;
  open.open = true;
  return {{"plain", plain},         {"in place", view},         {"state", state},
          {"dependent", dependent}, {"allocating", allocating}, {"open", open}};
}

TEST(LyingEngines, FieldsOfKernels) {
  for (const Way &way : Ways()) {
    for (const bool choosing : {false, true}) {
      ASSERT_EQ(Told(way.lie, way.name, choosing), "") << way.name;
      for (const Field &field : kKernelFields) {
        for (const uint64_t value : Extremes(field)) {
          Lie lie = way.lie;
          lie.in_kernel = [&](GeKernel *k) { Put(k, field, value); };
          const std::string what = Str(way.name, ": GeKernel.", field.name, " = ", value);
          Hears(Told(lie, what, choosing), what, {"Liar", "Neg 'turned'", WordFor(field.name)});
        }
      }
      for (const Field &field : kAliasFields) {
        for (const uint64_t value : Extremes(field)) {
          // A view says that there is nothing to do; the numbers are those of the input then.
          if ((way.lie.flags & GE_KERNEL_VIEW) && field.at == offsetof(GeAlias, kind) && value <= 1) continue;
          Lie lie = way.lie;
          lie.in_alias = [&](GeAlias *a) { Put(a, field, value); };
          const std::string what = Str(way.name, ": GeAlias.", field.name, " = ", value);
          Hears(Told(lie, what, choosing), what, {"Liar", "turned", field.name});
        }
      }
    }
  }
}

TEST(LyingEngines, NumbersThatKernelsAnswer) {
  const Field wide{"", 0, 8, As::kUnsigned};
  for (const Way &way : Ways()) {
    for (const uint64_t value : Extremes(wide)) {
      const std::string what = Str(way.name, " answers ", value);
      Lie room = way.lie, workspace = way.lie, extent = way.lie, rank = way.lie, status = way.lie;
      if (!(way.lie.flags & GE_KERNEL_ALLOCATES_OUTPUTS)) {
        if (value >= 16 || !(way.lie.flags & GE_KERNEL_DATA_DEPENDENT)) room.room = value;
        Hears(Told(room, what + " as room"), what, {"Liar", "turned", "output"});
      }
      workspace.open_workspace = value;
      Hears(Told(workspace, what + " as workspace"), what, {"Liar", "turned", "workspace"});
      extent.reported[1] = static_cast<int64_t>(value);
      Hears(Told(extent, what + " as extent"), what, {"Liar", "turned", "output"});
      rank.reported[0] = static_cast<int64_t>(value);
      if (value != 0) Hears(Told(rank, what + " as rank"), what, {"Liar", "turned", "output"});
      status.answer = static_cast<GeStatus>(value);
      const std::string told = Told(status, what + " as status");
      EXPECT_EQ(told.empty(), status.answer == GE_SUCCESS) << what;
      Hears(told, what, {"Liar", "turned"});
    }
  }
}

TEST(LyingEngines, FieldsOfTables) {
  for (const bool space : {false, true}) {
    Lie honest;
    honest.space = space;
    ASSERT_EQ(Told(honest, "honest"), "");
    for (const Field &field : kTableFields) {
      for (const uint64_t value : Extremes(field)) {
        Lie lie = honest;
        lie.in_table = [&](GeEngineTable *t) { Put(t, field, value); };
        const std::string what = Str("GeEngineTable.", field.name, " = ", value);
        Hears(Told(lie, what), what, {"engine", WordFor(field.name)});
      }
    }
  }
}

TEST(LyingEngines, FieldsOfMemorySpaces) {
  for (const Field &field : kSpaceFields) {
    for (const uint64_t value : Extremes(field)) {
      Lie lie;
      lie.space = true;
      lie.in_space = [&](GeMemorySpace *s) { Put(s, field, value); };
      const std::string what = Str("GeMemorySpace.", field.name, " = ", value);
      Hears(Told(lie, what), what, {"Liar", field.name});
    }
  }
}

}  // namespace
}  // namespace gec
