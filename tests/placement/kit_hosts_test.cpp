// One library of an engine that is open for two hosts: what it asks for goes to the host whose call it is in.
#include <gtest/gtest.h>

#include <memory>

#include "ge/engine_kit.hpp"

namespace {

int filled[2];

template <int kHost>
GeStatus Fill(const void *) {
  ++filled[kHost];
  return GE_SUCCESS;
}
GeStatus Status(GeStatus code, const char *) { return code; }

/// Looks at its constant where it is asked for a kernel, which it does not make.
class Looks {
 public:
  explicit Looks(const GeEngineHost &) {}
  std::string Check(const GeOpDesc &) const { return ""; }
  std::unique_ptr<ge::kit::Kernel> Create(const GeOpDesc &op, const GeKernelEnv &) const {
    (void)ge::kit::Tensor(op.inputs[0]).content();
    ge::kit::Refuse("seen");
  }
};
constexpr GeEngineTable kTable = ge::kit::TableOf<Looks>("Looks", "1.0", 1, GE_ENGINE_ATOMIC);

std::unique_ptr<GeEngineHost> Host(GeStatus (*fill)(const void *)) {
  auto host = std::make_unique<GeEngineHost>();
  host->struct_size = sizeof *host;
  host->engine_abi = GE_ENGINE_ABI_VERSION;
  host->fail = &Status;
  host->fill_constant = fill;
  return host;
}

void MakeKernel(void *engine) {
  float value = 1;
  GeTensorData input{};
  input.data_type = C_DT_FLOAT;
  input.flags = GE_TENSOR_CONSTANT | GE_TENSOR_DEFERRED;
  input.data = &value;
  GeOpDesc op{};
  op.struct_size = sizeof op;
  op.inputs = &input;
  op.input_count = 1;
  GeKernelEnv env{};
  env.struct_size = sizeof env;
  env.fail = &Status;
  GeKernel kernel{};
  kernel.struct_size = sizeof kernel;
  EXPECT_EQ(kTable.create_kernel(engine, &op, &env, &kernel), GE_UNSUPPORTED);
}

TEST(KitHosts, EachCallAsksItsOwnHostAlsoAfterTheOtherIsGone) {
  const auto first = Host(&Fill<0>);
  auto second = Host(&Fill<1>);
  void *of_first = nullptr, *of_second = nullptr;
  ASSERT_EQ(kTable.open(first.get(), "", "", &of_first), GE_SUCCESS);
  ASSERT_EQ(kTable.open(second.get(), "", "", &of_second), GE_SUCCESS);
  MakeKernel(of_first);
  MakeKernel(of_second);
  EXPECT_EQ(filled[0], 1);
  EXPECT_EQ(filled[1], 1);
  kTable.close(of_second);
  second.reset();
  MakeKernel(of_first);
  EXPECT_EQ(filled[0], 2);
  EXPECT_EQ(filled[1], 1);
  kTable.close(of_first);
}

}  // namespace
