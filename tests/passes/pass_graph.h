// Small graphs for tests of passes, and an executor that runs them node by node on whatever engines are loaded.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "core/compile/pass_context.h"
#include "core/ops/make_node.h"
#include "core/ops/op_desc.h"
#include "core/ops/registry.h"
#include "core/passes/builtin.h"
#include "core/passes/editor.h"
#include "core/placement/kernels.h"
#include "core/placement/registry.h"
#include "runtime/kernel_env.h"

namespace gec::test {

class Builder {
 public:
  Builder() : graph(Graph::Create("test")) {}
  using Attrs = std::vector<std::pair<const char *, AttrValue>>;

  Endpoint Input(Shape shape, int32_t dtype = C_DT_FLOAT) {
    Node *node = MakeNode(*graph, "Data", "x" + std::to_string(inputs_));
    graph->SetAttr(node, "index", int64_t{inputs_++});
    graph->SetOutputDesc(node, 0, TensorDesc(dtype, std::move(shape)));
    return {node, 0};
  }
  Endpoint Floats(Shape shape, std::vector<float> values) {
    return {MakeConst(*graph, Tensor::Of(C_DT_FLOAT, std::move(shape), values), "c"), 0};
  }
  Endpoint Scalar(float value) { return Floats(Shape(), {value}); }
  Endpoint Ints(std::vector<int64_t> values) {
    Shape shape{static_cast<int64_t>(values.size())};
    return {MakeConst(*graph, Tensor::Of(C_DT_INT64, shape, values), "i"), 0};
  }
  Endpoint Int(int64_t value) {
    return {MakeConst(*graph, Tensor::Of(C_DT_INT64, Shape(), std::vector<int64_t>{value}), "i"), 0};
  }
  /// Reproducible values between low and high.
  Endpoint Random(Shape shape, float low = -1, float high = 1) {
    std::uniform_real_distribution<float> pick(low, high);
    std::vector<float> values(static_cast<size_t>(shape.elements()));
    for (float &v : values) v = pick(random_);
    return Floats(std::move(shape), std::move(values));
  }
  /// Descriptions follow from inference. Empty endpoints leave a port free.
  Node *Op(const char *type, const std::vector<Endpoint> &inputs, const Attrs &attrs = {},
           std::vector<int32_t> dyn_out = {}) {
    const IrDef *ir = OpRegistry::Instance().Get(type);
    int32_t dyn_in = static_cast<int32_t>(inputs.size() - (ir->inputs.size() - 1));
    NodeParts parts;
    if (ir->dynamic_inputs) parts.dyn_in = &dyn_in, parts.dyn_in_size = 1;
    if (ir->dynamic_outputs) parts.dyn_out = dyn_out.data(), parts.dyn_out_size = dyn_out.size();
    std::vector<Endpoint> ports = inputs;
    if (!ir->dynamic_inputs) ports.resize(ir->inputs.size());
    parts.inputs = ports.data();
    for (const auto &[name, value] : attrs) parts.attrs.Set(name, value);
    Node *node = graph->AddNode(ir, graph->UniqueName(type), std::move(parts));
    InferNode(*node);
    return node;
  }
  Endpoint operator()(const char *type, const std::vector<Endpoint> &inputs, const Attrs &attrs = {}) {
    return {Op(type, inputs, attrs), 0};
  }
  Endpoint Conv(Endpoint x, int64_t cin, int64_t cout, int64_t k, int64_t stride = 1, int64_t groups = 1,
                Endpoint bias = {}) {
    Endpoint filter = Random(Shape{cout, cin / groups, k, k}, -0.3f, 0.3f);
    int64_t p = k / 2;
    return (*this)("Conv2D", {x, filter, bias},
                   {{"strides", std::vector<int64_t>{1, 1, stride, stride}},
                    {"pads", std::vector<int64_t>{p, p, p, p}},
                    {"dilations", std::vector<int64_t>{1, 1, 1, 1}},
                    {"groups", groups},
                    {"data_format", "NCHW"}});
  }
  Endpoint BatchNorm(Endpoint x, int64_t c) {
    return (*this)("BNInfer",
                   {x, Random(Shape{c}, 0.5f, 1.5f), Random(Shape{c}), Random(Shape{c}), Random(Shape{c}, 0.5f, 2)},
                   {{"epsilon", 1e-5f}});
  }
  void Outputs(std::vector<Endpoint> outputs) { graph->SetOutputs(std::move(outputs)); }

  GraphPtr graph;

 private:
  int64_t inputs_ = 0;
  std::mt19937 random_{7};
};

inline size_t Count(const Graph &graph, const char *type) {
  size_t count = 0;
  for (Node *node : graph.Nodes()) count += node->type().view() == type;
  return count;
}
inline Node *Only(const Graph &graph, const char *type) {
  Node *found = nullptr;
  for (Node *node : graph.Nodes()) {
    if (node->type().view() != type) continue;
    EXPECT_EQ(found, nullptr) << "more than one " << type;
    found = node;
  }
  EXPECT_NE(found, nullptr) << "no " << type;
  return found;
}

/// The engines of this process.
struct Engines {
  explicit Engines(bool reference_only = false)
      : env(1, HostFeatures()), kernels(Choose(reference_only), {}, env.get()) {}
  static EngineList Choose(bool reference_only) {
    EngineList list;
    for (const EnginePtr &e : EngineRegistry::Instance().Engines()) {
      if (!reference_only || e->name() == kReferenceEngine) list.push_back(e);
    }
    return list;
  }
  KernelEnv env;
  KernelFactory kernels;
};
inline Engines &Reference() {
  static Engines *engines = new Engines(true);
  return *engines;
}

/// Runs the graph node by node; throws when no engine takes a node.
inline std::vector<TensorPtr> Execute(Graph &graph, const std::vector<TensorPtr> &feeds, Engines &engines) {
  std::map<std::pair<uint32_t, int32_t>, TensorPtr> values;
  auto at = [&](Endpoint e) { return values.at({e.node->id(), e.port}); };
  std::vector<Node *> inputs = graph.Inputs();
  for (size_t i = 0; i < inputs.size(); ++i) values[{inputs[i]->id(), 0}] = feeds.at(i);
  for (Node *node : graph.TopologicalOrder()) {
    if (IsDataType(node->type()) || node->type().view() == "NetOutput") continue;
    if (IsConstType(node->type())) {
      values[{node->id(), 0}] = ConstantOf({node, 0});
      continue;
    }
    OpDescView view(*node);
    KernelFactory::Made made = engines.kernels.Make(*node, *view.get());
    if (!made.kernel) Fail(GE_UNSUPPORTED, node->Label(), ": ", made.refusals);
    std::vector<const void *> in;
    for (size_t i = 0; i < node->input_count(); ++i)
      in.push_back(node->input(i) ? at(node->input(i))->data() : nullptr);
    std::vector<std::shared_ptr<Tensor>> results;
    std::vector<void *> out;
    for (size_t o = 0; o < node->output_count(); ++o) {
      const TensorDesc &desc = node->output_desc(o);
      results.push_back(std::make_shared<Tensor>(desc, Buffer::Allocate(desc.bytes())));
      out.push_back(results.back()->buffer->data());
      values[{node->id(), static_cast<int32_t>(o)}] = results.back();
    }
    auto workspace = Buffer::Allocate(made.kernel->get().workspace_bytes + 64);
    GeKernelArgs args{};
    args.struct_size = sizeof args;
    args.inputs = in.data();
    args.outputs = out.data();
    args.workspace = workspace->data();
    if (made.kernel->get().run(made.kernel->get().state, &args) != GE_SUCCESS)
      Fail(GE_FAILED, node->Label(), " failed");
  }
  std::vector<TensorPtr> results;
  for (Endpoint e : graph.Outputs()) results.push_back(at(e));
  return results;
}

inline std::vector<TensorPtr> RandomFeeds(const Graph &graph, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> pick(-2, 2);
  std::vector<TensorPtr> feeds;
  for (Node *node : graph.Inputs()) {
    std::vector<float> values(static_cast<size_t>(node->output_desc(0).shape.elements()));
    for (float &v : values) v = pick(random);
    feeds.push_back(Tensor::Of(C_DT_FLOAT, node->output_desc(0).shape, values));
  }
  return feeds;
}

/// Channels per block that the library's engines ask for on this processor.
inline int32_t UsualBlock() {
  static const int32_t channels = Engines().kernels.ChannelBlock();
  return channels;
}

inline PassContext Context(Engines &engines = Reference(), bool ask_engines = false) {
  PassContext ctx;
  ctx.scope = std::make_shared<PassScope>();
  ctx.evaluate = engines.kernels.Evaluator();
  if (ask_engines) ctx.supported = PassContextFor(engines.kernels).supported;
  ctx.c0 = std::max(UsualBlock(), 8);
  ctx.verify = true;
  return ctx;
}

inline bool RunOne(Graph &graph, const char *pass, PassContext &ctx) {
  return RunPass(*PassRegistry::Instance().Get(pass), graph, ctx);
}
inline bool RunOne(Graph &graph, const char *pass) {
  PassContext ctx = Context();
  return RunOne(graph, pass, ctx);
}

inline void ExpectSame(const std::vector<TensorPtr> &want, const std::vector<TensorPtr> &got, float tolerance) {
  ASSERT_EQ(want.size(), got.size());
  for (size_t k = 0; k < want.size(); ++k) {
    ASSERT_EQ(want[k]->desc.shape, got[k]->desc.shape) << "output " << k;
    ASSERT_EQ(want[k]->desc.dtype, got[k]->desc.dtype) << "output " << k;
    if (want[k]->desc.dtype != C_DT_FLOAT) {
      EXPECT_EQ(std::memcmp(want[k]->data(), got[k]->data(), want[k]->bytes()), 0);
      continue;
    }
    const float *a = want[k]->as<float>(), *b = got[k]->as<float>();
    for (int64_t i = 0; i < want[k]->desc.shape.elements(); ++i) {
      float limit = tolerance * std::max(1.0f, std::abs(a[i]));
      ASSERT_TRUE(std::abs(a[i] - b[i]) <= limit || a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
          << "output " << k << " element " << i << ": " << a[i] << " became " << b[i];
    }
  }
}

/// Runs passes on the builder's graph and compares what it computes before and after, both on the reference engine.
inline bool Differential(Builder &b, std::initializer_list<const char *> passes, float tolerance = 1e-5f) {
  std::vector<TensorPtr> feeds = RandomFeeds(*b.graph);
  std::vector<TensorPtr> before = Execute(*b.graph, feeds, Reference());
  bool changed = false;
  for (const char *pass : passes) changed |= RunOne(*b.graph, pass);
  b.graph->Verify();
  // What the passes wrote into descriptions is what inference says.
  for (Node *node : b.graph->TopologicalOrder())
    EXPECT_FALSE(InferNode(*node)) << node->Label() << " has stale descriptions";
  ExpectSame(before, Execute(*b.graph, feeds, Reference()), tolerance);
  return changed;
}

}  // namespace gec::test
