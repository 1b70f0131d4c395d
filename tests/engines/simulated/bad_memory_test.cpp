// Engines whose memory is described or behaves badly: an error that names engine and value, and nothing is left behind.
#include <functional>

#include "ge/engine.h"
#include "tests/runtime/net.h"

namespace gec {
namespace {

alignas(4096) char g_memory[1 << 16];
void *g_answer = g_memory;
GeStatus g_allocate = GE_SUCCESS, g_copy = GE_SUCCESS;

GeStatus Allocate(void *, uint64_t, void **memory) {
  *memory = g_answer;
  return g_allocate;
}
void Release(void *, void *) {}
GeStatus Copy(void *, void *, void *to, const void *from, uint64_t bytes, int32_t) {
  if (g_copy == GE_SUCCESS) std::memcpy(to, from, bytes);
  return g_copy;
}
GeStatus CreateStream(void *, void **stream) {
  *stream = nullptr;
  return GE_SUCCESS;
}
GeStatus Check(void *, const GeOpDesc *op, char *, size_t) {
  return std::string(op->type) == "Neg" ? GE_SUCCESS : GE_UNSUPPORTED;
}
uint32_t g_flags = 0;
GeStatus CreateKernel(void *, const GeOpDesc *, const GeKernelEnv *, GeKernel *out) {
  out->run = [](void *, const GeKernelArgs *args) -> GeStatus {
    for (int i = 0; i < 4; ++i)
      static_cast<float *>(args->outputs[0])[i] = -static_cast<const float *>(args->inputs[0])[i];
    return GE_SUCCESS;
  };
  out->flags = g_flags;
  out->workspace_bytes = 64;
  return GE_SUCCESS;
}

GeMemorySpace Space() {
  GeMemorySpace space{};
  space.struct_size = sizeof space;
  space.name = "bad";
  space.alignment = 64;
  space.allocate = &Allocate;
  space.release = &Release;
  space.copy = &Copy;
  return space;
}
GeEngineTable Table(const GeMemorySpace *space) {
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof table;
  table.name = "BadMemory";
  table.check = &Check;
  table.create_kernel = &CreateKernel;
  table.memory = space;
  return table;
}

struct BadDescription {
  std::function<void(GeMemorySpace &)> spoil;
  GeStatus code;
  std::string text;  // of the error, beside the name of the engine
};

TEST(BadMemory, DescriptionsAreRefused) {
  const auto aligned_to = [](uint64_t alignment) {
    return BadDescription{[=](GeMemorySpace &s) { s.alignment = alignment; }, GE_PARAM_INVALID,
                          Str("alignment ", alignment)};
  };
  const BadDescription cases[] = {
      {[](GeMemorySpace &s) { s.name = ""; }, GE_PARAM_INVALID, "has no name"},
      aligned_to(0),
      aligned_to(32),
      aligned_to(96),
      aligned_to(1 << 20),
      {[](GeMemorySpace &s) { s.allocate = nullptr; }, GE_PARAM_INVALID, "lacks allocate"},
      {[](GeMemorySpace &s) { s.release = nullptr; }, GE_PARAM_INVALID, "lacks release"},
      {[](GeMemorySpace &s) { s.copy = nullptr; }, GE_PARAM_INVALID, "lacks copy"},
      {[](GeMemorySpace &s) { s.create_stream = &CreateStream; }, GE_PARAM_INVALID, "1 of create_stream"},
      {[](GeMemorySpace &s) { s.create_event = &CreateStream; }, GE_PARAM_INVALID, "1 of create_event"},
      {[](GeMemorySpace &s) { s.struct_size = 16; }, GE_ABI_MISMATCH, "16"},
  };
  for (const BadDescription &bad : cases) {
    GeMemorySpace space = Space();
    bad.spoil(space);
    const GeEngineTable table = Table(&space);
    EXPECT_EQ(GeEngineRegister(&table, nullptr), bad.code) << bad.text;
    const std::string error = GeLastErrorMessage();
    EXPECT_NE(error.find(bad.text), std::string::npos) << error;
    EXPECT_NE(error.find("BadMemory"), std::string::npos) << error;
  }
}

struct Misbehaviour {
  std::function<void()> begin;
  GeStatus code;
  std::string text;
};

TEST(BadMemory, MisbehaviourInARunIsNamed) {
  const Misbehaviour cases[] = {
      {[] { g_answer = g_memory + 8; }, GE_FAILED,
       "engine BadMemory: allocate answered an address that is no multiple of the alignment 64"},
      {[] { g_answer = nullptr; }, GE_FAILED, "engine BadMemory: allocate answered null"},
      {[] { g_allocate = GE_OUT_OF_MEMORY; }, GE_OUT_OF_MEMORY, "of bad cannot be allocated"},
      {[] { g_copy = GE_FAILED; }, GE_FAILED, "a copy of Data 'x0' failed on BadMemory"},
      {[] { g_flags = GE_KERNEL_DATA_DEPENDENT; }, GE_FAILED, "may not have GE_KERNEL_DATA_DEPENDENT"},
  };
  const GeMemorySpace space = Space();
  const GeEngineTable table = Table(&space);
  const Array input = Array::F({4}, {1, 2, 3, 4});
  for (const Misbehaviour &bad : cases) {
    SCOPED_TRACE(bad.text);
    ASSERT_EQ(GeEngineRegister(&table, nullptr), GE_SUCCESS) << GeLastErrorMessage();
    Net net;
    net.Outputs({net.Out("Neg", {net.Input({4})})});
    bad.begin();
    EXPECT_GE_ERROR(CompileAndRun(*net.graph, {input}), bad.code, bad.text);
    g_answer = g_memory;
    g_allocate = g_copy = GE_SUCCESS;
    g_flags = 0;
    EXPECT_EQ(CompileAndRun(*net.graph, {input})[0].Floats(), (std::vector<float>{-1, -2, -3, -4}));
    EXPECT_EQ(GeEngineUnload("BadMemory"), GE_SUCCESS) << GeLastErrorMessage();
  }
}

/// Streams of which one fails when the host waits for it: calls that were made, and what they answer.
struct Streams {
  void *answer = nullptr;
  GeStatus status = GE_SUCCESS;
  size_t good_waits = SIZE_MAX;  // those after them fail
  bool told = true;              // with a text
  size_t made = 0, destroyed = 0, waits = 0;
};
Streams g_streams;
const GeEngineHost *g_host = nullptr;

GeMemorySpace WithStreams() {
  GeMemorySpace space = Space();
  space.create_stream = [](void *, void **stream) -> GeStatus {
    ++g_streams.made;
    *stream = g_streams.answer;
    return GE_SUCCESS;
  };
  space.destroy_stream = [](void *, void *stream) {
    EXPECT_NE(stream, nullptr);
    ++g_streams.destroyed;
  };
  space.synchronize = [](void *, void *stream) -> GeStatus {
    EXPECT_EQ(stream, g_streams.answer);
    const GeStatus status = g_streams.waits++ < g_streams.good_waits ? g_streams.status : GE_FAILED;
    return status != GE_SUCCESS && g_streams.told ? g_host->fail(status, "the clock has stopped") : status;
  };
  return space;
}

class BadStreams : public testing::TestWithParam<bool> {
 protected:
  BadStreams() {
    g_streams = {};
    g_streams.answer = GetParam() ? nullptr : g_memory;  // a null stream is one like any other
    space_ = WithStreams();
    GeEngineTable table = Table(&space_);
    table.open = [](const GeEngineHost *host, const char *, const char *, void **) -> GeStatus {
      g_host = host;
      return GE_SUCCESS;
    };
    EXPECT_EQ(GeEngineRegister(&table, nullptr), GE_SUCCESS) << GeLastErrorMessage();
  }
  ~BadStreams() override {
    g_copy = GE_SUCCESS;
    EXPECT_EQ(GeEngineUnload("BadMemory"), GE_SUCCESS) << GeLastErrorMessage();
  }
  static Net Example(bool choosing) {
    Net net;
    const Endpoint x = net.Input({4});
    std::vector<Endpoint> outputs{net.Out("Neg", {net.Out("Neg", {x}, "first")}, "last")};
    if (choosing) outputs.push_back(net.Out("NonZero", {x}));
    net.Outputs(outputs);
    return net;
  }
  static ModelPtr Compiled(bool choosing) {
    return Model::Compile(*Example(choosing).graph, Opts({{"opt_level", "0"}, {"islands", "0"}}));
  }
  GeMemorySpace space_;
  const Array input_ = Array::F({4}, {1, -2, 3, -4});
};

TEST_P(BadStreams, FailuresOfSynchronizeAreTold) {
  for (const bool choosing : {false, true}) {
    RunContext context(Compiled(choosing));
    EXPECT_EQ(RunAll(context, {input_})[0].Floats(), input_.Floats());
    EXPECT_GT(g_streams.waits, 0u);
    g_streams.status = GE_FAILED;
    EXPECT_GE_ERROR(RunAll(context, {input_}), GE_FAILED, "the clock has stopped");
    EXPECT_GE_ERROR(RunAll(context, {input_}), GE_FAILED, "BadMemory");
    g_streams.told = false;
    EXPECT_GE_ERROR(RunAll(context, {input_}), GE_FAILED, Str("status ", GE_FAILED, " without a message"));
    g_streams.told = true;
    g_streams.status = GE_SUCCESS;
    EXPECT_EQ(RunAll(context, {input_})[0].Floats(), input_.Floats());
  }
  EXPECT_EQ(g_streams.made, 2u);
  EXPECT_EQ(g_streams.destroyed, GetParam() ? 0u : 2u);  // one for each context
}

TEST_P(BadStreams, ACopyThatFailsBorrowsNoText) {
  RunContext context(Compiled(false));
  RunAll(context, {input_});
  g_copy = GE_FAILED;
  g_host->fail(GE_FAILED, "the text of another call");
  EXPECT_GE_ERROR(RunAll(context, {input_}), GE_FAILED,
                  Str("a copy of Data 'x0' failed on BadMemory: status ", GE_FAILED, " without a message"));
}

/// Work may fail that no copy waits for. Nobody can tell which it was, so the last is named that the engine was given.
TEST_P(BadStreams, AFailureAtTheEndOfARunNamesMemoryAndNode) {
  RunContext context(Compiled(false));
  RunAll(context, {input_});
  ASSERT_EQ(g_streams.waits, 2u);  // for the copy of the result, and at the end
  for (int k = 0; k < 2; ++k) {
    g_streams.waits = 0;
    g_streams.good_waits = 1;
    EXPECT_GE_ERROR(RunAll(context, {input_}), GE_FAILED,
                    "engine BadMemory failed in a run: the last that it was given in bad is a copy of Neg 'last': "
                    "the clock has stopped");
  }
  g_streams.good_waits = SIZE_MAX;
  EXPECT_EQ(RunAll(context, {input_})[0].Floats(), input_.Floats());
}

INSTANTIATE_TEST_SUITE_P(NullAndOther, BadStreams, ::testing::Bool());

}  // namespace
}  // namespace gec
