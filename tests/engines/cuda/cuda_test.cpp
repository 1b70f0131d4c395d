// Models that run on engines/cuda, emulated on the host: what is said here of CUDA is said of the emulation. The
// library's other engines are the oracle.
#include <dlfcn.h>

#include <random>
#include <thread>

#include "ge/engine.h"
#include "runtime/profiler.h"
#include "tests/runtime/random_graph.h"

namespace gec {
namespace {

constexpr int kOutOfMemory = 2, kLaunchFailure = 719, kNoKernelImage = 209;  // cudaError_t

/// The emulation's switches.
class Emulation {
 public:
  Emulation() : library_(dlopen(GE_TEST_CUDA, RTLD_NOW | RTLD_LOCAL)) {
    if (!library_) throw std::runtime_error(dlerror());
  }
  ~Emulation() { dlclose(library_); }
  void Devices(int count) const { Function<void(int)>("EmulatedCudaDevices")(count); }
  void Fails(const char *call, int error) const { Function<void(const char *, int)>("EmulatedCudaFails")(call, error); }
  void Delay(int microseconds) const { Function<void(int)>("EmulatedCudaDelay")(microseconds); }
  const GeEngineTable &Table() const {
    return *Function<const GeEngineTable *(uint32_t)>(GE_ENGINE_QUERY_SYMBOL)(GE_ENGINE_ABI_VERSION);
  }
  size_t Live() const { return Function<size_t()>("EmulatedCudaLive")(); }

 private:
  template <class F>
  F *Function(const char *name) const {
    return reinterpret_cast<F *>(dlsym(library_, name));
  }
  void *library_;
};

/// The engine while this lives.
class Cuda {
 public:
  Cuda() {
    if (GeEngineLoad(GE_TEST_CUDA, "device=0") != GE_SUCCESS) throw std::runtime_error(GeLastErrorMessage());
  }
  ~Cuda() { GeEngineUnload("CudaEngine"); }
};

std::string Refusal(const char *options) {
  EXPECT_NE(GeEngineLoad(GE_TEST_CUDA, options), GE_SUCCESS);
  return GeLastErrorMessage();
}

size_t CountOf(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

PlacementInfo PlacementOf(const Model &model, std::string_view name) {
  for (PlacementInfo &p : model.Placement())
    if (p.node == name) return p;
  return {};
}

class CudaSplit : public ::testing::TestWithParam<int> {
 protected:
  static void TearDownTestSuite() {
    EXPECT_GT(there, 100u);
    EXPECT_GT(here, 100u);
  }
  static inline size_t there = 0, here = 0;
};

// A part of the nodes is given to the processor.
TEST_P(CudaSplit, GivesTheSameResults) {
  const int seed = GetParam();
  RandomGraph random(static_cast<unsigned>(seed), seed % 3 == 0);
  Net net = random.Build();
  const std::vector<Array> feed = random.Feed();
  const std::vector<Array> want = CompileAndRun(*net.graph, feed, Opts({{"opt_level", "0"}}));
  std::mt19937 draw(static_cast<unsigned>(seed));
  for (Node *node : net.graph->Nodes())
    if (NeedsKernel(*node) && draw() % 5 < static_cast<unsigned>(seed) % 4)
      net.graph->SetAttr(node, EngineAttr(), AttrValue(std::string("DNN_VM_HOST_CPU")));
  const Cuda cuda;
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", seed % 4 ? "2" : "0"}}));
  RunContext context(model);
  ExpectClose(RunAll(context, feed), want);
  ExpectClose(RunAll(context, feed), want);
  for (const PlacementInfo &p : model->Placement()) ++(p.engine == "CudaEngine" ? there : here);
}
INSTANTIATE_TEST_SUITE_P(Seeds, CudaSplit, ::testing::Range(0, 40));

/// y = Tanh(Reshape(x · W)), and z = Reshape(x).
Net Reshaped() {
  Net net;
  Endpoint x = net.Input({4, 8});
  std::vector<float> w(8 * 8);
  for (size_t i = 0; i < w.size(); ++i) w[i] = 0.01f * static_cast<float>(i) - 0.3f;
  Endpoint product = net.Out("MatMulV2", {x, net.Const(Array::F({8, 8}, w))}, "product");
  Endpoint flat = net.Out("Reshape", {product, net.Const(Array::I64({1}, {32}))}, "flat");
  net.Outputs({net.Out("Tanh", {flat}), net.Out("Reshape", {x, net.Const(Array::I64({1}, {32}))}, "early")});
  return net;
}
const Array kRows = Array::F({4, 8}, std::vector<float>(32, 0.5f));

TEST(Cuda, ViewsOfItsValuesStayThere) {
  Net net = Reshaped();
  const std::vector<Array> want = CompileAndRun(*net.graph, {kRows});
  const Cuda cuda;
  ModelPtr model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  RunContext context(model);
  ExpectClose(RunAll(context, {kRows}), want);
  const std::string report = model->ReportJson();
  EXPECT_EQ(CountOf(report, "\"copy\":\"copy:host->cuda\""), 1u) << report;
  EXPECT_EQ(CountOf(report, "\"copy\":\"copy:cuda->host\""), 1u) << report;
  const PlacementInfo flat = PlacementOf(*model, "flat");
  EXPECT_EQ(flat.engine, "CudaEngine");
  EXPECT_NE(flat.refusals.find("DNN_VM_GE_LOCAL: the value lies in the memory cuda"), std::string::npos)
      << flat.refusals;
  EXPECT_EQ(PlacementOf(*model, "early").engine, "DNN_VM_GE_LOCAL");  // of what lies here
  // What says so is placed the same way again.
  RunContext again(Model::Compile(*model->PlacedGraph(), Opts({{"opt_level", "0"}})));
  ExpectClose(RunAll(again, {kRows}), want);
  // The program's word counts more.
  net.graph->SetAttr(net.graph->Find("flat"), EngineAttr(), AttrValue(std::string("DNN_VM_GE_LOCAL")));
  model = Model::Compile(*net.graph, Opts({{"opt_level", "0"}}));
  EXPECT_EQ(PlacementOf(*model, "flat").engine, "DNN_VM_GE_LOCAL");
  RunContext pinned(model);
  ExpectClose(RunAll(pinned, {kRows}), want);
}

TEST(Cuda, ServesSeveralThreads) {
  Net net = Reshaped();
  const std::vector<Array> want = CompileAndRun(*net.graph, {kRows});
  const Cuda cuda;
  ModelPtr model = Model::Compile(*net.graph, Opts());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      RunContext context(model);
      for (int k = 0; k < 5; ++k) ExpectClose(RunAll(context, {kRows}), want);
    });
  for (std::thread &t : threads) t.join();
}

TEST(Cuda, GivesEverythingBack) {
  const Emulation emulation;
  EXPECT_EQ(emulation.Live(), 0u);
  Net net = Reshaped();
  {
    const Cuda cuda;
    RunContext context(Model::Compile(*net.graph, Opts()));
    RunAll(context, {kRows});
    EXPECT_GT(emulation.Live(), 0u);
  }
  EXPECT_EQ(emulation.Live(), 0u);
}

struct FailingCall {
  const char *call;
  int error;
  GeStatus status;
  const char *text;
};
class CudaFailures : public ::testing::TestWithParam<FailingCall> {};

// The error names the call and CUDA's error; what was there before goes on afterwards.
TEST_P(CudaFailures, AreNamed) {
  const FailingCall &want = GetParam();
  const Emulation emulation;
  Net net = Reshaped();
  const std::vector<Array> expected = CompileAndRun(*net.graph, {kRows});
  const Cuda cuda;
  ModelPtr model = Model::Compile(*net.graph, Opts());
  RunContext context(model);
  ExpectClose(RunAll(context, {kRows}), expected);
  emulation.Fails(want.call, want.error);
  try {
    RunContext fresh(model);
    RunAll(fresh, {kRows});
    ADD_FAILURE() << "nothing failed";
  } catch (const Error &e) {
    EXPECT_EQ(e.code(), want.status);
    EXPECT_NE(std::string(e.what()).find("CudaEngine"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(want.text), std::string::npos) << e.what();
  }
  emulation.Fails("", 0);
  ExpectClose(RunAll(context, {kRows}), expected);
}
INSTANTIATE_TEST_SUITE_P(
    Calls, CudaFailures,
    ::testing::Values(
        FailingCall{"cudaMalloc", kOutOfMemory, GE_OUT_OF_MEMORY, "cudaMalloc: emulated error (cudaErrorMemory"},
        FailingCall{"cudaMemcpyAsync", kLaunchFailure, GE_FAILED, "cudaMemcpyAsync: emulated error (cudaErrorLaunch"},
        FailingCall{"cudaStreamCreateWithFlags", kOutOfMemory, GE_OUT_OF_MEMORY, "cudaStreamCreateWithFlags: "},
        FailingCall{"cudaLaunchKernel", kLaunchFailure, GE_FAILED, "cudaLaunchKernel: emulated error (cudaErrorLaunch"},
        // Found later, by who waits.
        FailingCall{"kernel", kLaunchFailure, GE_FAILED, "ynchronize: emulated error (cudaErrorLaunchFailure)"}));

TEST(Cuda, WithoutADeviceItIsRefusedAndTheRestGoesOn) {
  const Emulation emulation;
  emulation.Devices(0);
  const std::string text = Refusal("");
  EXPECT_NE(text.find("there is no CUDA device: cudaGetDeviceCount: emulated error (cudaErrorNoDevice)"),
            std::string::npos)
      << text;
  Net net = Reshaped();
  EXPECT_EQ(CompileAndRun(*net.graph, {kRows}).size(), 2u);
  emulation.Devices(1);
  emulation.Fails("cudaFuncGetAttributes", kNoKernelImage);  // of a GPU that the library was not compiled for
  EXPECT_NE(Refusal("").find("cudaFuncGetAttributes: emulated error (cudaErrorNoKernelImageForDevice)"),
            std::string::npos);
  emulation.Fails("", 0);
}

/// The engine as the library sees it, without the library.
class CudaTable : public ::testing::Test {
 protected:
  static GeStatus Report(GeStatus code, const char *) { return code; }
  CudaTable() : table_(emulation_.Table()), memory_(*table_.memory) {
    host_.struct_size = sizeof host_;
    host_.fail = &Report;
    EXPECT_EQ(table_.open(&host_, "", "", &engine_), GE_SUCCESS);
    emulation_.Delay(20000);
    for (void *&place : places_) EXPECT_EQ(memory_.allocate(engine_, sizeof values_, &place), GE_SUCCESS);
    EXPECT_EQ(memory_.create_stream(engine_, &stream_), GE_SUCCESS);
  }
  ~CudaTable() override {
    emulation_.Delay(0);
    memory_.destroy_stream(engine_, stream_);
    for (void *place : places_) memory_.release(engine_, place);
    table_.close(engine_);
  }
  GeStatus Copy(void *stream, void *to, const void *from, int32_t direction) {
    return memory_.copy(engine_, stream, to, from, sizeof values_, direction);
  }

  const Emulation emulation_;
  const GeEngineTable &table_;
  const GeMemorySpace &memory_;
  GeEngineHost host_{};
  void *engine_ = nullptr, *stream_ = nullptr, *places_[2] = {};
  float values_[4] = {1, 2, 3, 4};
};

TEST_F(CudaTable, WithoutAStreamCopiesAreDoneWhenTheyAnswer) {
  ASSERT_EQ(Copy(nullptr, places_[0], values_, GE_COPY_TO_SPACE), GE_SUCCESS);
  std::fill_n(values_, 4, 0.f);
  ASSERT_EQ(Copy(nullptr, places_[1], places_[0], GE_COPY_INSIDE), GE_SUCCESS);
  ASSERT_EQ(Copy(nullptr, values_, places_[1], GE_COPY_FROM_SPACE), GE_SUCCESS);
  EXPECT_EQ(std::vector<float>(values_, values_ + 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CudaTable, ThereMayBeOtherValuesWhereOneWasCopiedFrom) {
  ASSERT_EQ(Copy(stream_, places_[0], values_, GE_COPY_TO_SPACE), GE_SUCCESS);
  std::fill_n(values_, 4, 0.f);
  ASSERT_EQ(Copy(stream_, values_, places_[0], GE_COPY_FROM_SPACE), GE_SUCCESS);
  EXPECT_EQ(memory_.synchronize(engine_, stream_), GE_SUCCESS);
  EXPECT_EQ(std::vector<float>(values_, values_ + 4), (std::vector<float>{1, 2, 3, 4}));
}

// Views are copied where the planner could not put input and output at one place.
TEST_F(CudaTable, AViewCopiesWhereItHasTo) {
  const int64_t dims[] = {4}, seen[] = {2, 2};
  GeTensorData in{}, out{};
  in.format = out.format = C_FORMAT_ND;
  in.dims = dims;
  in.rank = 1;
  out.dims = seen;
  out.rank = 2;
  GeOpTraits traits{};
  traits.struct_size = sizeof traits;
  traits.flags = GE_TRAIT_PURE | GE_TRAIT_VIEW;
  GeOpDesc op{};
  op.struct_size = sizeof op;
  op.type = "OfTheProgram";
  op.name = "";
  op.inputs = &in;
  op.outputs = &out;
  op.input_count = op.output_count = 1;
  op.traits = &traits;
  GeKernelEnv env{};
  env.struct_size = sizeof env;
  env.fail = &Report;
  GeKernel kernel{};
  ASSERT_EQ(table_.check(engine_, &op, nullptr, 0), GE_SUCCESS);
  ASSERT_EQ(table_.create_kernel(engine_, &op, &env, &kernel), GE_SUCCESS);
  EXPECT_EQ(kernel.flags, GE_KERNEL_VIEW);
  ASSERT_EQ(Copy(stream_, places_[0], values_, GE_COPY_TO_SPACE), GE_SUCCESS);
  std::fill_n(values_, 4, 0.f);
  GeKernelArgs args{};
  args.struct_size = sizeof args;
  args.inputs = &places_[0];
  args.outputs = &places_[1];
  args.stream = stream_;
  EXPECT_EQ(kernel.run(kernel.state, &args), GE_SUCCESS);
  EXPECT_EQ(Copy(stream_, values_, places_[1], GE_COPY_FROM_SPACE), GE_SUCCESS);
  EXPECT_EQ(memory_.synchronize(engine_, stream_), GE_SUCCESS);
  EXPECT_EQ(std::vector<float>(values_, values_ + 4), (std::vector<float>{1, 2, 3, 4}));
  kernel.destroy(kernel.state);
}

TEST(Cuda, OptionsAreChecked) {
  EXPECT_NE(Refusal("device=1").find("option device is 1, there are 1 CUDA devices"), std::string::npos);
  EXPECT_NE(Refusal("device=first").find("option device is 'first', expected the number of a GPU"), std::string::npos);
  EXPECT_NE(Refusal("device=0\nfast=1").find("option 'fast=1' is not known"), std::string::npos);
}

}  // namespace
}  // namespace gec
