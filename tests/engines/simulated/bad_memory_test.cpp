// Engines whose memory is described or behaves badly: an error that names engine and value, and nothing is left behind.
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

void ExpectRefused(const GeMemorySpace &space, GeStatus code, const std::string &text) {
  const GeEngineTable table = Table(&space);
  EXPECT_EQ(GeEngineRegister(&table, nullptr), code);
  EXPECT_NE(std::string(GeLastErrorMessage()).find(text), std::string::npos) << GeLastErrorMessage();
  EXPECT_NE(std::string(GeLastErrorMessage()).find("BadMemory"), std::string::npos) << GeLastErrorMessage();
}

TEST(BadMemory, DescriptionsAreRefused) {
  GeMemorySpace space = Space();
  space.name = "";
  ExpectRefused(space, GE_PARAM_INVALID, "has no name");
  for (uint64_t alignment : {uint64_t{0}, uint64_t{32}, uint64_t{96}, uint64_t{1} << 20}) {
    space = Space();
    space.alignment = alignment;
    ExpectRefused(space, GE_PARAM_INVALID, Str("alignment ", alignment));
  }
  space = Space();
  space.copy = nullptr;
  ExpectRefused(space, GE_PARAM_INVALID, "lacks copy");
  space = Space();
  space.create_stream = &CreateStream;
  ExpectRefused(space, GE_PARAM_INVALID, "1 of create_stream");
  space = Space();
  space.struct_size = 16;
  ExpectRefused(space, GE_ABI_MISMATCH, "16");
}

class Misbehaves : public ::testing::Test {
 protected:
  Misbehaves() : space_(Space()), table_(Table(&space_)) {
    g_answer = g_memory;
    g_allocate = g_copy = GE_SUCCESS;
    g_flags = 0;
    EXPECT_EQ(GeEngineRegister(&table_, nullptr), GE_SUCCESS) << GeLastErrorMessage();
    net_.Outputs({net_.Out("Neg", {net_.Input({4})})});
  }
  ~Misbehaves() override { GeEngineUnload("BadMemory"); }
  void ExpectError(GeStatus code, const std::string &text) {
    EXPECT_GE_ERROR(CompileAndRun(*net_.graph, {Array::F({4}, {1, 2, 3, 4})}), code, text);
  }
  GeMemorySpace space_;
  GeEngineTable table_;
  Net net_;
};

TEST_F(Misbehaves, RunsWhereItDoesNot) {
  EXPECT_EQ(CompileAndRun(*net_.graph, {Array::F({4}, {1, 2, 3, 4})})[0].Floats(),
            (std::vector<float>{-1, -2, -3, -4}));
}
TEST_F(Misbehaves, AnAddressThatBreaksTheAlignment) {
  g_answer = g_memory + 8;
  ExpectError(GE_FAILED, "engine BadMemory: allocate answered an address that is no multiple of the alignment 64");
}
TEST_F(Misbehaves, NullForMemory) {
  g_answer = nullptr;
  ExpectError(GE_FAILED, "engine BadMemory: allocate answered null");
}
TEST_F(Misbehaves, NoMemory) {
  g_allocate = GE_OUT_OF_MEMORY;
  ExpectError(GE_OUT_OF_MEMORY, "of bad cannot be allocated");
}
TEST_F(Misbehaves, ACopyThatFails) {
  g_copy = GE_FAILED;
  ExpectError(GE_FAILED, "a copy of Data 'x0' failed on BadMemory");
}
TEST_F(Misbehaves, KernelsWhoseShapesDependOnData) {
  g_flags = GE_KERNEL_DATA_DEPENDENT;
  ExpectError(GE_FAILED, "may not have GE_KERNEL_DATA_DEPENDENT");
}

}  // namespace
}  // namespace gec
