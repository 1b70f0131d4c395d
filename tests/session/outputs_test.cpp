// Where outputs of runs lie, what a program watches, and memory that it brings.
#include <cstdlib>
#include <map>
#include <string>

#include "tests/session/session_fixture.h"

namespace gec {
namespace {

/// Blocks of malloc, counted.
struct Pool {
  int existing = 0, made = 0, ended = 0;
  bool empty = false;

  GeStreamAllocator Functions() {
    GeStreamAllocator functions{};
    functions.struct_size = sizeof functions;
    functions.user = this;
    functions.allocate = [](void *user, uint64_t size, void **block) -> void * {
      auto *self = static_cast<Pool *>(user);
      if (self->empty) return nullptr;
      ++self->existing;
      ++self->made;
      return *block = std::malloc(size);
    };
    functions.release = [](void *user, void *block) {
      --static_cast<Pool *>(user)->existing;
      std::free(block);
    };
    functions.destroy = [](void *user) { ++static_cast<Pool *>(user)->ended; };
    return functions;
  }
};

class OutputsTest : public SessionFixture {
 protected:
  GeStatus OnStream(const std::vector<float> &values, std::vector<GeTensorData> given = {}) {
    const GeTensor *in = Feed(values);
    GeStreamRun run{};
    run.struct_size = sizeof run;
    run.stream = &stream;
    run.inputs = &in;
    run.input_count = 1;
    run.given = given.empty() ? nullptr : given.data();
    run.given_count = given.size();
    run.outputs = &out;
    run.output_count = 1;
    run.loaded_only = loaded_only;
    const GeStatus status = GeSessionRunGraphOnStream(session, 1, &run);
    if (status == GE_SUCCESS) {
      EXPECT_EQ(run.at_once, 1);
      EXPECT_EQ(run.output_count, 1u);
    }
    return status;
  }
  static GeTensorData Room(std::vector<float> &values) {
    GeTensorData given{};
    given.data = values.data();
    given.size = values.size() * sizeof(float);
    return given;
  }
  bool Said(const char *text) const { return std::string(GeLastErrorMessage()).find(text) != std::string::npos; }
  int stream = 0, loaded_only = 0;
  GeTensor *out = nullptr;
};

TEST_F(OutputsTest, AnAllocatorServesItsStream) {
  Add(1, PlusOne({-1}));
  Pool pool;
  const GeStreamAllocator functions = pool.Functions();
  EXPECT_EQ(GeSessionUnregisterAllocator(session, &stream), GE_NOT_FOUND);
  ASSERT_EQ(GeSessionRegisterAllocator(session, &stream, &functions), GE_SUCCESS);
  ASSERT_EQ(OnStream({1, 2}), GE_SUCCESS) << GeLastErrorMessage();
  EXPECT_EQ(pool.existing, 1);
  ASSERT_EQ(GeSessionUnregisterAllocator(session, &stream), GE_SUCCESS);
  EXPECT_EQ(pool.ended, 0);  // an output lies there
  EXPECT_EQ(TakeFloats(out), (std::vector<float>{2, 3}));
  EXPECT_EQ(pool.existing, 0);
  EXPECT_EQ(pool.ended, 1);
  ASSERT_EQ(OnStream({1}), GE_SUCCESS);
  EXPECT_EQ(TakeFloats(out), (std::vector<float>{2}));
  EXPECT_EQ(pool.made, 1);
}

TEST_F(OutputsTest, AnAllocatorWithoutMemoryFailsTheRun) {
  Add(1, PlusOne({-1}));
  Pool pool;
  pool.empty = true;
  const GeStreamAllocator functions = pool.Functions();
  ASSERT_EQ(GeSessionRegisterAllocator(session, &stream, &functions), GE_SUCCESS);
  EXPECT_EQ(OnStream({1, 2}), GE_OUT_OF_MEMORY);
  EXPECT_TRUE(Said("8 bytes")) << GeLastErrorMessage();
  GeSessionDestroy(session);
  session = nullptr;
  EXPECT_EQ(pool.ended, 1);
}

TEST_F(OutputsTest, RunsIntoMemoryOfTheCallers) {
  Add(1, PlusOne({-1}));
  std::vector<float> room(3, -1.0f);
  ASSERT_EQ(OnStream({1, 2}, {Room(room)}), GE_SUCCESS) << GeLastErrorMessage();
  GeTensorData data{};
  ASSERT_EQ(GeTensorGetData(out, &data), GE_SUCCESS);
  EXPECT_EQ(data.data, room.data());
  EXPECT_EQ(data.dims[0], 2);
  EXPECT_EQ(TakeFloats(out), (std::vector<float>{2, 3}));
  EXPECT_EQ(room[2], -1.0f);
  EXPECT_EQ(OnStream({1, 2, 3, 4}, {Room(room)}), GE_DATA_MISMATCH);
  EXPECT_TRUE(Said("16 are needed, 12 given")) << GeLastErrorMessage();
  EXPECT_EQ(OnStream({1}, {Room(room), Room(room)}), GE_DATA_MISMATCH);
  EXPECT_TRUE(Said("outputs: 1 are needed, 2 given")) << GeLastErrorMessage();
}

TEST_F(OutputsTest, OnlyALoadedGraphWhereThatIsAskedFor) {
  Add(1, PlusOne({-1}));
  loaded_only = 1;
  EXPECT_EQ(OnStream({1}), GE_NOT_LOADED);
  ASSERT_EQ(GeSessionCompileGraph(session, 1), GE_SUCCESS);
  EXPECT_EQ(OnStream({1}), GE_NOT_LOADED);
  ASSERT_EQ(GeSessionLoad(session, 1), GE_SUCCESS);
  ASSERT_EQ(OnStream({1}), GE_SUCCESS);
  EXPECT_EQ(TakeFloats(out), (std::vector<float>{2}));
}

struct Watched {
  std::map<std::string, std::vector<float>> values;
  GeStatus answer = GE_SUCCESS;
  int ended = 0;

  static GeStatus Call(void *user, uint32_t id, const char *const *names, GeTensor *const *values, size_t count) {
    auto *self = static_cast<Watched *>(user);
    EXPECT_EQ(id, 1u);
    for (size_t i = 0; i < count; ++i) self->values[names[i]] = TakeFloats(values[i]);
    return self->answer;
  }
  static void End(void *user) { ++static_cast<Watched *>(user)->ended; }
};

TEST_F(OutputsTest, SummariesAreToldAndAreNoOutputs) {
  Add(1, PlusOne({-1}, "Summary"));
  std::vector<float> result;
  ASSERT_EQ(Run(1, {1, 2}, &result), GE_SUCCESS) << GeLastErrorMessage();  // nobody listens
  EXPECT_EQ(result, (std::vector<float>{2, 3}));
  Watched watched, later;
  EXPECT_EQ(GeSessionRegisterWatch(session, "Other", &Watched::Call, &watched, &Watched::End), GE_PARAM_INVALID);
  EXPECT_EQ(watched.ended, 0);
  ASSERT_EQ(GeSessionRegisterWatch(session, "Summary", &Watched::Call, &watched, &Watched::End), GE_SUCCESS);
  ASSERT_EQ(Run(1, {5, 6}, &result), GE_SUCCESS);
  EXPECT_EQ(result, (std::vector<float>{6, 7}));
  EXPECT_EQ(watched.values, (std::map<std::string, std::vector<float>>{{"seen", {5, 6}}}));
  watched.answer = GE_FAILED;
  EXPECT_EQ(Run(1, {5, 6}), GE_FAILED);
  EXPECT_TRUE(Said("the callback for Summary failed")) << GeLastErrorMessage();
  ASSERT_EQ(GeSessionRegisterWatch(session, "Summary", &Watched::Call, &later, &Watched::End), GE_SUCCESS);
  EXPECT_EQ(watched.ended, 1);
  EXPECT_EQ(Run(1, {5, 6}), GE_SUCCESS);
  GeSessionDestroy(session);  // while `later` is there to be told
  session = nullptr;
  EXPECT_EQ(later.ended, 1);
}

TEST_F(OutputsTest, MemoryIsSetInOrder) {
  Add(1, PlusOne({16}));
  alignas(64) static char memory[4096];
  EXPECT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_FEATURE, memory, sizeof memory), GE_BAD_STATE);
  ASSERT_EQ(GeSessionCompileGraph(session, 1), GE_SUCCESS);
  ASSERT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_FIXED, memory, 64), GE_SUCCESS);
  EXPECT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_FIXED, memory, 64), GE_ALREADY_SET);
  ASSERT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_FEATURE, memory, sizeof memory), GE_SUCCESS)
      << GeLastErrorMessage();
  EXPECT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_REFRESHABLE, memory, sizeof memory), GE_BAD_STATE);
  EXPECT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_FEATURE, memory, sizeof memory), GE_SUCCESS);
  EXPECT_EQ(GeSessionSetMemory(session, 1, static_cast<GeSessionMemory>(9), memory, 64), GE_PARAM_INVALID);
  ASSERT_EQ(GeSessionLoad(session, 1), GE_SUCCESS);
  EXPECT_EQ(GeSessionSetMemory(session, 1, GE_SESSION_MEMORY_CONST, memory, sizeof memory), GE_BAD_STATE);
  Add(2, PlusOne({-1}));
  ASSERT_EQ(GeSessionCompileGraph(session, 2), GE_SUCCESS);
  EXPECT_EQ(GeSessionSetMemory(session, 2, GE_SESSION_MEMORY_FEATURE, memory, sizeof memory), GE_UNSUPPORTED);
}

}  // namespace
}  // namespace gec
