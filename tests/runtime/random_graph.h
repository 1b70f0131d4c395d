// Random graphs of dense layers, elementwise operators and what moves data, and the comparison of what they compute.
#pragma once

#include <cmath>
#include <random>

#include "tests/runtime/net.h"

namespace gec {

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed, bool dynamic) : rng_(seed), dynamic_(dynamic) {}

  Net Build() {
    Net net;
    batch_ = 1 + Pick(3);
    net_ = &net;
    for (int i = 0, n = 1 + Pick(2); i < n; ++i) {
      std::vector<int64_t> dims = {batch_, 4 * (1 + Pick(4))};
      inputs.push_back(dims);
      std::vector<int64_t> declared = dims;
      if (dynamic_) declared[0] = -1;
      values_.push_back({net.Input(declared), dims});
    }
    for (int i = 0, n = 3 + Pick(25); i < n; ++i) Step();
    std::vector<Endpoint> outputs;
    for (int i = 0, n = 1 + Pick(3); i < n; ++i) outputs.push_back(Any().at);
    net.Outputs(outputs);
    return net;
  }
  std::vector<Array> Feed() {
    std::vector<Array> feed;
    for (const auto &dims : inputs) feed.push_back(Floats(dims, 1));
    return feed;
  }
  std::vector<std::vector<int64_t>> inputs;

 private:
  struct Value {
    Endpoint at;
    std::vector<int64_t> dims;  // [batch, columns]
  };
  int Pick(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  const Value &Any() { return values_[static_cast<size_t>(Pick(static_cast<int>(values_.size())))]; }
  Array Floats(const std::vector<int64_t> &dims, float scale) {
    int64_t n = 1;
    for (int64_t d : dims) n *= d;
    std::vector<float> v(static_cast<size_t>(n));
    for (float &f : v) f = scale * (static_cast<float>(rng_() % 2001) / 1000.f - 1.f);
    return Array::F(dims, v);
  }
  void Add(Endpoint at, std::vector<int64_t> dims) { values_.push_back({at, std::move(dims)}); }

  void Step() {
    static const char *const kUnary[] = {"Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Erf"};
    static const char *const kBinary[] = {"Add", "Sub", "Mul", "Maximum", "Minimum"};
    Value a = Any();
    switch (Pick(10)) {
      case 0:
      case 1:
        Add(net_->Out(kUnary[Pick(6)], {a.at}), a.dims);
        break;
      case 2:
      case 3: {
        Value b = Any();
        if (b.dims != a.dims) b = a;
        Add(net_->Out(kBinary[Pick(5)], {a.at, b.at}), a.dims);
        break;
      }
      case 4:
        Add(net_->Out(
                kBinary[Pick(5)],
                {a.at, net_->Const(Floats(Pick(2) ? std::vector<int64_t>{a.dims[1]} : std::vector<int64_t>{}, 1))}),
            a.dims);
        break;
      case 5: {  // a dense layer
        int64_t columns = 4 * (1 + Pick(4));
        Endpoint y = net_->Out("MatMulV2", {a.at, net_->Const(Floats({a.dims[1], columns}, 0.3f))});
        if (Pick(2)) y = net_->Out("Add", {y, net_->Const(Floats({columns}, 1))});
        if (Pick(2)) y = net_->Out("Relu", {y});
        Add(y, {a.dims[0], columns});
        break;
      }
      case 6: {  // along the columns
        Value b = Any();
        Add(net_->Out("ConcatV2", {a.at, b.at, net_->Const(Array::I64({}, {1}))}), {a.dims[0], a.dims[1] + b.dims[1]});
        break;
      }
      case 7: {
        if (a.dims[1] < 2) break;
        int64_t first = 1 + Pick(static_cast<int>(a.dims[1]) - 1);
        Node *split = net_->Op(
            "SplitV",
            {a.at, net_->Const(Array::I64({2}, {first, a.dims[1] - first})), net_->Const(Array::I64({}, {1}))}, 2);
        net_->graph->SetAttr(split, "num_split", 2);
        Add({split, 0}, {a.dims[0], first});
        Add({split, 1}, {a.dims[0], a.dims[1] - first});
        break;
      }
      case 8: {  // there and back
        Endpoint t = net_->Out("Transpose", {a.at, net_->Const(Array::I64({2}, {1, 0}))});
        if (Pick(2)) t = net_->Out("Tanh", {t});
        Add(net_->Out("Transpose", {t, net_->Const(Array::I64({2}, {1, 0}))}), a.dims);
        break;
      }
      default:
        Add(net_->Out("SoftmaxV2", {a.at}), a.dims);
    }
  }

  std::mt19937 rng_;
  bool dynamic_;
  int64_t batch_ = 1;
  Net *net_ = nullptr;
  std::vector<Value> values_;
};

inline void ExpectClose(const std::vector<Array> &got, const std::vector<Array> &want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t j = 0; j < got.size(); ++j) {
    EXPECT_EQ(got[j].dims, want[j].dims);
    std::vector<float> a = got[j].Floats(), b = want[j].Floats();
    ASSERT_EQ(a.size(), b.size());
    float largest = 1e-3f;
    for (float v : b) largest = std::max(largest, std::abs(v));
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_NEAR(a[i], b[i], 2e-5f * largest) << "output " << j << ", element " << i;
  }
}

}  // namespace gec
