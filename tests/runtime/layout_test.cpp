// Layouts of tensors: inputs of a run with strides, and what quantised numbers stand for, as engines see it.
#include "core/ir/quantization.h"
#include "core/placement/registry.h"
#include "core/serialize/air.h"
#include "ge/engine.h"
#include "net.h"

namespace gec {
namespace {

GeTensorLayout Strides(const std::vector<int64_t> &strides) {
  GeTensorLayout layout{};
  layout.struct_size = sizeof layout;
  layout.strides = strides.data();
  return layout;
}

/// x of the given shape plus itself.
Net Twice(std::vector<int64_t> dims, int32_t dtype = C_DT_FLOAT) {
  Net net;
  Endpoint x = net.Input(std::move(dims), dtype);
  net.Outputs({net.Out("Add", {x, x})});
  return net;
}

std::vector<float> RunStrided(RunContext &context, const Array &shape, const std::vector<float> &memory,
                              const std::vector<int64_t> &strides) {
  const GeTensorLayout layout = Strides(strides);
  GeTensorData in = shape.View(), out{};
  in.data = const_cast<float *>(memory.data());
  in.size = memory.size() * sizeof(float);
  in.layout = &layout;
  context.Run(&in, 1, &out, 1, nullptr);
  const float *y = static_cast<const float *>(out.data);
  return {y, y + out.size / sizeof(float)};
}

TEST(Layout, StridedInputsAreReadWhereTheyLie) {
  Net net = Twice({2, 3});
  RunContext context(Model::Compile(*net.graph, Opts()));
  const Array shape = Array::F({2, 3}, {});
  const std::vector<float> memory{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  using Floats = std::vector<float>;
  EXPECT_EQ(RunStrided(context, shape, memory, {1, 2}), (Floats{0, 4, 8, 2, 6, 10}));    // a transposed matrix
  EXPECT_EQ(RunStrided(context, shape, memory, {6, 1}), (Floats{0, 2, 4, 12, 14, 16}));  // a part of wider rows
  EXPECT_EQ(RunStrided(context, shape, memory, {6, 2}), (Floats{0, 4, 8, 12, 16, 20}));
  EXPECT_EQ(RunStrided(context, shape, memory, {0, 1}), (Floats{0, 2, 4, 0, 2, 4}));   // one row for all
  EXPECT_EQ(RunStrided(context, shape, memory, {3, 1}), (Floats{0, 2, 4, 6, 8, 10}));  // dense
  EXPECT_EQ(RunAll(context, {Array::F({2, 3}, {1, 2, 3, 4, 5, 6})})[0].Floats(), (Floats{2, 4, 6, 8, 10, 12}));
}

TEST(Layout, EveryOrderOfFiveDimensions) {
  const std::vector<int64_t> dims{2, 3, 1, 4, 2};
  Net net = Twice(dims);
  RunContext context(Model::Compile(*net.graph, Opts()));
  std::vector<float> memory(200);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  std::vector<int> order{0, 1, 2, 3, 4};
  do {
    std::vector<int64_t> strides(5);
    int64_t step = 2;
    for (int d : order) strides[static_cast<size_t>(d)] = step, step *= dims[static_cast<size_t>(d)];
    std::vector<float> want;
    for (int64_t a = 0; a < 2; ++a)
      for (int64_t b = 0; b < 3; ++b)
        for (int64_t c = 0; c < 4; ++c)
          for (int64_t e = 0; e < 2; ++e)
            want.push_back(2 * static_cast<float>(a * strides[0] + b * strides[1] + c * strides[3] + e * strides[4]));
    EXPECT_EQ(RunStrided(context, Array::F(dims, {}), memory, strides), want);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Layout, BadStridesAreRefused) {
  Net net = Twice({2, 3});
  RunContext context(Model::Compile(*net.graph, Opts()));
  const std::vector<float> memory(12);
  const auto refused = [&](std::vector<int64_t> strides, const char *text) {
    EXPECT_GE_ERROR(RunStrided(context, Array::F({2, 3}, {}), memory, strides), GE_DATA_MISMATCH, text);
  };
  refused({-1, 1}, "input 'x0' has stride -1 in dimension 0");
  refused({10, 1}, "input 'x0' has 48 bytes, its strides reach over 52");
  refused({INT64_MAX, INT64_MAX}, "too large");
  refused({INT64_MAX, 1}, "input 'x0'");
  const float scale = 0.5f;
  GeTensorLayout layout{};
  layout.struct_size = sizeof layout;
  layout.quant_scheme = GE_QUANT_PER_TENSOR;
  layout.scales = &scale;
  layout.scale_count = 1;
  const Array x = Array::F({2, 3}, {1, 2, 3, 4, 5, 6});
  GeTensorData in = x.View(), out{};
  in.layout = &layout;
  EXPECT_GE_ERROR(context.Run(&in, 1, &out, 1, nullptr), GE_DATA_MISMATCH, "input 'x0' comes with quant_scheme 1");
  layout.struct_size = 4;
  EXPECT_GE_ERROR(context.Run(&in, 1, &out, 1, nullptr), GE_ABI_MISMATCH, "layout of a GeTensorData");
}

TEST(Layout, AnInputThatTheGraphChangesIsDense) {
  Net net;
  Node *cache = MakeNode(*net.graph, "RefData", "cache");
  net.graph->SetAttr(cache, "index", int64_t{0});
  net.graph->SetOutputDesc(cache, 0, TensorDesc(C_DT_FLOAT, Shape{2, 3}));
  net.Outputs({net.Out("AssignAdd", {{cache, 0}, net.Const(Array::F({2, 3}, std::vector<float>(6, 1)))})});
  RunContext context(Model::Compile(*net.graph, Opts()));
  EXPECT_GE_ERROR(RunStrided(context, Array::F({2, 3}, {}), std::vector<float>(12), {6, 1}), GE_DATA_MISMATCH,
                  "input 'cache' has strides");
}

// ---- quantisation ----

struct Seen {
  bool claims = false;            // the engine takes everything, and refuses it when it has seen it
  std::vector<std::string> text;  // "Cast in 1 0.5,0.25 3,4"
};
Seen *seen = nullptr;

std::string TextOf(const GeTensorLayout &layout) {
  std::string text = Str(layout.quant_scheme, ' ', layout.quant_axis, ' ', layout.quant_block);
  for (size_t i = 0; i < layout.scale_count; ++i) text += Str(' ', layout.scales[i]);
  for (size_t i = 0; layout.zero_points && i < layout.scale_count; ++i) text += Str(" z", layout.zero_points[i]);
  return text;
}

class Quantised : public testing::Test {
 protected:
  Quantised() {
    seen = &seen_;
    GeEngineTable table{};
    table.abi_version = GE_ENGINE_ABI_VERSION;
    table.struct_size = sizeof table;
    table.name = "Looker";
    table.flags = GE_ENGINE_FUSIBLE;
    table.check = [](void *, const GeOpDesc *op, char *reason, size_t capacity) -> GeStatus {
      for (size_t i = 0; i < op->input_count; ++i)
        if (op->inputs[i].layout) seen->text.push_back(Str(op->type, " in: ", TextOf(*op->inputs[i].layout)));
      for (size_t i = 0; i < op->output_count; ++i)
        if (op->outputs[i].layout) seen->text.push_back(Str(op->type, " out: ", TextOf(*op->outputs[i].layout)));
      std::snprintf(reason, capacity, "looks only");
      return GE_UNSUPPORTED;
    };
    table.create_kernel = [](void *, const GeOpDesc *, const GeKernelEnv *env, GeKernel *) {
      return env->fail(GE_UNSUPPORTED, "looks only");
    };
    table.claim = [](void *, const GeGraphView *graph, const GeClaims *claims) -> GeStatus {
      if (!seen->claims) return GE_SUCCESS;
      std::vector<int32_t> all(graph->node_count);
      for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int32_t>(k);
      return claims->take(claims->host, all.data(), all.size());
    };
    table.create_region = [](void *, const GeRegion *region, const GeKernelEnv *env, GeKernel *) {
      for (size_t i = 0; i < region->input_count; ++i)
        if (region->inputs[i].layout) seen->text.push_back("region in: " + TextOf(*region->inputs[i].layout));
      return env->fail(GE_UNSUPPORTED, "looks only");
    };
    EngineRegistry::Instance().Register(&table, "");
  }
  ~Quantised() override {
    EngineRegistry::Instance().Unload("Looker");
    seen = nullptr;
  }
  Seen seen_;
  const std::vector<float> scales_{0.5f, 0.25f};
  const std::vector<int32_t> points_{3, -4};

  GeTensorLayout PerAxis() const {
    GeTensorLayout layout{};
    layout.struct_size = sizeof layout;
    layout.quant_scheme = GE_QUANT_PER_AXIS;
    layout.quant_axis = 1;
    layout.scales = scales_.data();
    layout.zero_points = points_.data();
    layout.scale_count = 2;
    return layout;
  }
  /// Cast(x) to float, of an int8 input of shape [3, 2] that is told to be quantised so.
  Net Example(const GeTensorLayout &layout, int32_t dtype = C_DT_INT8) {
    Net net;
    Endpoint x = net.Input({3, 2}, dtype);
    GeTensorData desc = x.node->output_desc(0).View();
    desc.layout = &layout;
    net.graph->SetOutputDesc(x.node, 0, TensorDesc::From(desc));
    Endpoint y = net.Out("Cast", {x});
    net.graph->SetAttr(y.node, "dst_type", static_cast<int64_t>(C_DT_FLOAT));
    net.Outputs({y});
    return net;
  }
};

TEST_F(Quantised, EnginesSeeSchemeAxisScalesAndZeroPoints) {
  Net net = Example(PerAxis());
  RunContext context(Model::Compile(*net.graph, Opts()));
  ASSERT_FALSE(seen_.text.empty());
  for (const std::string &text : seen_.text) EXPECT_EQ(text, "Cast in: 2 1 0 0.5 0.25 z3 z-4");
  // The library's own kernels read the numbers as they are.
  EXPECT_EQ(RunAll(context, {Array::Of<int8_t>(C_DT_INT8, {3, 2}, {1, 2, 3, 4, 5, 6})})[0].Floats(),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Quantised, RegionsKeepItAtTheirBorders) {
  seen_.claims = true;
  Net net = Example(PerAxis());
  Model::Compile(*net.graph, Opts());
  EXPECT_NE(std::find(seen_.text.begin(), seen_.text.end(), "region in: 2 1 0 0.5 0.25 z3 z-4"), seen_.text.end());
}

TEST_F(Quantised, FilesKeepIt) {
  Net net = Example(PerAxis());
  const std::string path = testing::TempDir() + "quantised.air";
  SaveAir(*net.graph, path);
  const GraphPtr read = Graph::Create("read");
  LoadAir(*read, path);
  std::remove(path.c_str());
  Model::Compile(*read, Opts());
  ASSERT_FALSE(seen_.text.empty());
  for (const std::string &text : seen_.text) EXPECT_EQ(text, "Cast in: 2 1 0 0.5 0.25 z3 z-4");
}

TEST_F(Quantised, WhatDoesNotFitTheTensorIsRefused) {
  const auto refused = [&](const char *text, const std::function<void(GeTensorLayout &)> &change,
                           int32_t dtype = C_DT_INT8) {
    GeTensorLayout layout = PerAxis();
    change(layout);
    EXPECT_GE_ERROR(Example(layout, dtype), GE_PARAM_INVALID, text);
  };
  const float infinite[] = {1, std::numeric_limits<float>::infinity()};
  const int64_t strides[] = {2, 1};
  refused("quant_scheme is 9, allowed: 0 to 3", [](auto &l) { l.quant_scheme = 9; });
  refused("quant_axis is 2, the tensor has shape [3, 2]", [](auto &l) { l.quant_axis = 2; });
  refused("2 scales are given, scheme 2 of shape [3, 2] has 3", [](auto &l) { l.quant_axis = 0; });
  refused("2 scales are given, scheme 1", [](auto &l) { l.quant_scheme = GE_QUANT_PER_TENSOR; });
  refused("quant_block is 0", [](auto &l) { l.quant_scheme = GE_QUANT_PER_BLOCK; });
  refused("scheme 3 of shape [3, 2] has 3", [](auto &l) { l.quant_scheme = GE_QUANT_PER_BLOCK, l.quant_block = 2; });
  refused("there are no scales", [](auto &l) { l.scales = nullptr; });
  refused("scale 1 is not finite", [&](auto &l) { l.scales = infinite; });
  refused("has strides, which only inputs of a run may have", [&](auto &l) { l.strides = strides; });
  refused(
      "a tensor of DT_FLOAT cannot be quantised", [](auto &) {}, C_DT_FLOAT);
}

}  // namespace
}  // namespace gec
