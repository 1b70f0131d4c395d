// Engines whose kernels throw, or say what cannot be: an error that names engine, node and value, and the next run is
// right.
#include <stdexcept>

#include "core/placement/registry.h"
#include "ge/engine.h"
#include "net.h"
#include "runtime/profiler.h"

namespace gec {
namespace {

struct BadScript {
  std::function<void(GeKernel *)> spoil = [](GeKernel *) {};
  std::function<GeStatus(const GeKernelArgs *)> run;  // empty: y = -x
};
BadScript *bad_script = nullptr;

class BadKernels : public testing::Test {
 protected:
  BadKernels() {
    bad_script = &script_;
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "BadKernels";
    table.check = [](void *, const GeOpDesc *op, char *, size_t) -> GeStatus {
      return std::string(op->type) == "Neg" ? GE_SUCCESS : GE_UNSUPPORTED;
    };
    table.create_kernel = [](void *, const GeOpDesc *op, const GeKernelEnv *, GeKernel *out) -> GeStatus {
      int64_t count = 1;
      for (int32_t d = 0; d < op->outputs[0].rank; ++d) count *= op->outputs[0].dims[d];
      out->state = reinterpret_cast<void *>(count);
      out->run = [](void *state, const GeKernelArgs *args) -> GeStatus {
        if (bad_script->run) return bad_script->run(args);
        for (int64_t i = 0; i < reinterpret_cast<int64_t>(state); ++i)
          static_cast<float *>(args->outputs[0])[i] = -static_cast<const float *>(args->inputs[0])[i];
        return GE_SUCCESS;
      };
      bad_script->spoil(out);
      return GE_SUCCESS;
    };
    EngineRegistry::Instance().Register(&table, "");
  }
  ~BadKernels() override {
    EngineRegistry::Instance().Unload("BadKernels");
    bad_script = nullptr;
  }

  /// -x; with `choosing` a graph that runs node by node.
  static Net Example(std::vector<int64_t> dims, bool choosing) {
    Net net;
    const Endpoint x = net.Input(std::move(dims));
    std::vector<Endpoint> outputs{net.Out("Neg", {x}, "turned")};
    if (choosing) outputs.push_back(net.Out("NonZero", {x}));
    net.Outputs(outputs);
    return net;
  }
  static ModelPtr Compiled(std::vector<int64_t> dims, bool choosing) {
    return Model::Compile(*Example(std::move(dims), choosing).graph, Opts({{"islands", "0"}}));
  }
  static Array Feed() { return Array::F({4}, {1, -2, 3, -4}); }
  static void ExpectRight(RunContext &context) {
    EXPECT_EQ(RunAll(context, {Feed()})[0].Floats(), (std::vector<float>{-1, 2, -3, 4}));
  }
  BadScript script_;
};

TEST_F(BadKernels, WhatAKernelThrowsNamesEngineAndNode) {
  for (const bool choosing : {false, true}) {
    for (const int64_t extent : {4, -1}) {
      RunContext context(Compiled({extent}, choosing));
      const auto throwing = [&](const char *text, std::function<GeStatus(const GeKernelArgs *)> run) {
        script_.run = std::move(run);
        EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, text);
        EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, "'turned' failed on BadKernels");
        Profiler profiler;
        EXPECT_GE_ERROR(RunAll(context, {Feed()}, &profiler), GE_FAILED, text);
        script_.run = nullptr;
        ExpectRight(context);
      };
      throwing("engine BadKernels threw an exception in run: the fan stopped",
               [](const GeKernelArgs *) -> GeStatus { throw std::runtime_error("the fan stopped"); });
      throwing("engine BadKernels threw an unknown exception in run",
               [](const GeKernelArgs *) -> GeStatus { throw 5; });
    }
  }
}

TEST_F(BadKernels, WhatCannotBeIsRefusedWithItsValue) {
  const std::pair<std::function<void(GeKernel *)>, const char *> cases[] = {
      {[](GeKernel *k) { k->alias_count = 1; }, "alias_count 1 whose aliases are null"},
      {[](GeKernel *k) { k->flags = GE_KERNEL_DATA_DEPENDENT, k->workspace_bytes = 64; }, "output_bytes is null"},
      {[](GeKernel *k) { k->workspace_bytes = UINT64_MAX - 63; }, "18446744073709551552 bytes"},
  };
  for (const auto &[spoil, text] : cases) {
    script_.spoil = spoil;
    EXPECT_GE_ERROR(Compiled({4}, false), GE_FAILED, text);
    EXPECT_GE_ERROR(Compiled({4}, false), GE_FAILED, "engine BadKernels");
    script_.spoil = [](GeKernel *) {};
    RunContext context(Compiled({4}, false));
    ExpectRight(context);
  }
}

TEST_F(BadKernels, AViewOutsideItsInputIsRefusedInEveryRun) {
  static const GeAlias outside{GE_ALIAS_OUTPUT_IN_INPUT, 0, 0, 0, 4096};
  script_.spoil = [](GeKernel *k) {
    k->flags = GE_KERNEL_VIEW;
    k->aliases = &outside;
    k->alias_count = 1;
  };
  RunContext context(Compiled({-1}, true));
  EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED,
                  "engine BadKernels says that output 0, 16 bytes, lies at 4096 in input 0, which has 16");
}

TEST_F(BadKernels, ReportedShapesAreChecked) {
  static const uint64_t room = 64;
  script_.spoil = [](GeKernel *k) {
    k->flags = GE_KERNEL_DATA_DEPENDENT;
    k->workspace_bytes = 64;
    k->output_bytes = &room;
  };
  int64_t reported = 0;
  script_.run = [&](const GeKernelArgs *args) -> GeStatus {
    const int64_t shape[8] = {1, reported};
    std::memcpy(args->workspace, shape, sizeof shape);
    return GE_SUCCESS;
  };
  RunContext context(Compiled({-1}, false));
  for (const auto &[dim, text] :
       {std::pair<int64_t, const char *>{-5, "engine BadKernels reported dimension -5 for output 0"},
        {INT64_MAX, "engine BadKernels reported shape [9223372036854775807] for output 0"},
        {17, "engine BadKernels reported shape [17] for output 0, more than the 64 bytes"}}) {
    reported = dim;
    EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_FAILED, text);
  }
  reported = 0;
  EXPECT_EQ(RunAll(context, {Feed()})[0].dims, (std::vector<int64_t>{0}));
}

TEST_F(BadKernels, AWorkspaceThatIsNotToBeHadLeavesTheContextUsable) {
  bool huge = true;
  script_.spoil = [&](GeKernel *k) { k->workspace_bytes = huge ? uint64_t{1} << 40 : 256; };
  RunContext context(Compiled({-1}, true));
  for (int k = 0; k < 2; ++k) EXPECT_GE_ERROR(RunAll(context, {Feed()}), GE_OUT_OF_MEMORY, "1099511627776");
  huge = false;  // a kernel for another shape
  EXPECT_EQ(RunAll(context, {Array::F({2}, {5, 0})})[0].Floats(), (std::vector<float>{-5, 0}));
}

}  // namespace
}  // namespace gec
