// Builds graphs and runs them in tests.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/make_node.h"
#include "core/ops/registry.h"
#include "runtime/context.h"
#include "runtime/model.h"

namespace gec {

// The thread sanitizer does not know the barriers of libgomp, so under it models run on one thread.
#ifdef __SANITIZE_THREAD__
inline constexpr const char *kTwoThreads = "1";
#else
inline constexpr const char *kTwoThreads = "2";
#endif

/// A dense tensor of a test: floats or int64s by dtype.
struct Array {
  int32_t dtype = C_DT_FLOAT;
  std::vector<int64_t> dims;
  std::vector<char> bytes;

  template <class T>
  static Array Of(int32_t dtype, std::vector<int64_t> dims, const std::vector<T> &values) {
    Array a{dtype, std::move(dims), {}};
    a.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(a.bytes.data(), values.data(), a.bytes.size());
    return a;
  }
  static Array F(std::vector<int64_t> dims, const std::vector<float> &values) {
    return Of(C_DT_FLOAT, std::move(dims), values);
  }
  static Array I64(std::vector<int64_t> dims, const std::vector<int64_t> &values) {
    return Of(C_DT_INT64, std::move(dims), values);
  }
  static Array I32(std::vector<int64_t> dims, const std::vector<int32_t> &values) {
    return Of(C_DT_INT32, std::move(dims), values);
  }
  static Array Bool(bool value) { return Of<uint8_t>(C_DT_BOOL, {}, {static_cast<uint8_t>(value)}); }
  GeTensorData View() const {
    GeTensorData d{};
    d.data_type = dtype;
    d.format = d.origin_format = C_FORMAT_ND;
    d.rank = d.origin_rank = static_cast<int32_t>(dims.size());
    d.dims = d.origin_dims = dims.data();
    d.data = const_cast<char *>(bytes.data());
    d.size = bytes.size();
    return d;
  }
  template <class T>
  std::vector<T> As() const {
    std::vector<T> v(bytes.size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
    return v;
  }
  std::vector<float> Floats() const { return As<float>(); }
};

class Net {
 public:
  explicit Net(const char *name = "net") : graph(Graph::Create(name)) {}
  Endpoint Input(std::vector<int64_t> dims, int32_t dtype = C_DT_FLOAT, const char *name = nullptr) {
    Node *node = MakeNode(*graph, "Data", name ? name : "x" + std::to_string(inputs_));
    graph->SetAttr(node, "index", static_cast<int64_t>(inputs_++));
    graph->SetOutputDesc(node, 0, TensorDesc(dtype, Shape(dims.data(), dims.size())));
    return {node, 0};
  }
  Endpoint Const(const Array &a) {
    auto tensor = std::make_shared<Tensor>(TensorDesc(a.dtype, Shape(a.dims.data(), a.dims.size())),
                                           Buffer::Copy(a.bytes.data(), a.bytes.size()));
    return {MakeConst(*graph, tensor, "c"), 0};
  }
  /// Operator with as many dynamic inputs as are left over after the required ones.
  Node *Op(const char *type, std::vector<Endpoint> in, int outputs = 0, const char *name = nullptr) {
    const IrDef *ir = OpRegistry::Instance().Get(type);
    std::vector<int32_t> dyn_in, dyn_out;
    int32_t fixed = 0;
    for (const IrPort &p : ir->inputs) fixed += p.kind != GE_IR_DYNAMIC;
    for (const IrPort &p : ir->inputs) {
      if (p.kind == GE_IR_DYNAMIC) dyn_in.push_back(static_cast<int32_t>(in.size()) - fixed);
    }
    for (const IrPort &p : ir->outputs) {
      if (p.kind == GE_IR_DYNAMIC) dyn_out.push_back(outputs);
    }
    Node *node = graph->AddNode(ir, graph->UniqueName(name ? name : type), dyn_in.data(), dyn_in.size(), dyn_out.data(),
                                dyn_out.size());
    for (size_t i = 0; i < in.size(); ++i) {
      if (in[i]) graph->Connect(in[i], node, static_cast<int32_t>(i));
    }
    return node;
  }
  Endpoint Out(const char *type, std::vector<Endpoint> in, const char *name = nullptr) {
    return {Op(type, std::move(in), 1, name), 0};
  }
  void Outputs(std::vector<Endpoint> outputs) { graph->SetOutputs(std::move(outputs)); }

  GraphPtr graph;

 private:
  int inputs_ = 0;
};

/// A graph whose inputs are `types` and whose outputs `make` returns.
inline GraphPtr Sub(const char *name, std::vector<std::pair<std::vector<int64_t>, int32_t>> types,
                    const std::function<std::vector<Endpoint>(Net &, std::vector<Endpoint> &)> &make) {
  Net net(name);
  std::vector<Endpoint> in;
  for (auto &[dims, dtype] : types) in.push_back(net.Input(dims, dtype));
  net.Outputs(make(net, in));
  return net.graph;
}

inline std::vector<Array> RunAll(RunContext &context, const std::vector<Array> &inputs, Profiler *profiler = nullptr) {
  std::vector<GeTensorData> in, out(context.model().outputs().size(), GeTensorData{});
  for (const Array &a : inputs) in.push_back(a.View());
  context.Run(in.data(), in.size(), out.data(), out.size(), profiler);
  std::vector<Array> results;
  for (const GeTensorData &o : out) {
    Array a;
    a.dtype = o.data_type;
    a.dims.assign(o.dims, o.dims + o.rank);
    a.bytes.assign(static_cast<const char *>(o.data), static_cast<const char *>(o.data) + o.size);
    results.push_back(std::move(a));
  }
  return results;
}

inline Options Opts(std::initializer_list<std::pair<const char *, const char *>> values = {}) {
  Options options;
  options.Set("threads", "1");
  for (auto [key, value] : values) options.Set(key, value);
  return options;
}

inline std::vector<Array> CompileAndRun(const Graph &graph, const std::vector<Array> &inputs,
                                        const Options &options = Opts()) {
  RunContext context(Model::Compile(graph, options));
  return RunAll(context, inputs);
}

#define EXPECT_GE_ERROR(statement, expected_code, text)                         \
  try {                                                                         \
    statement;                                                                  \
    ADD_FAILURE() << "expected an error";                                       \
  } catch (const ::gec::Error &e) {                                             \
    EXPECT_EQ(e.code(), expected_code) << e.what();                             \
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what(); \
  }

}  // namespace gec
