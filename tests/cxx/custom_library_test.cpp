// Custom operators in a library on ASCEND_CUSTOM_OPP_PATH, beside those of the program.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/registry/op_impl_space_registry_v2.h"
#include "ge/ge_api.h"
#include "graph/custom_op.h"
#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

namespace ge {
REG_OP(CxxSquare)
    .INPUT(x, "T")
    .OUTPUT(y, "T")
    .DATATYPE(T, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(CxxSquare) class CxxSquare : public EagerExecuteOp {
 public:
  graphStatus Execute(gert::EagerOpExecutionContext *ctx) override {
    const gert::Tensor *x = ctx->GetInputTensor(0);
    gert::Tensor *y = ctx->MallocOutputTensor(0, x->GetShape(), x->GetFormat(), DT_FLOAT);
    for (int64_t i = 0; i < x->GetShapeSize(); ++i)
      y->GetData<float>()[i] = x->GetData<float>()[i] * x->GetData<float>()[i];
    return GRAPH_SUCCESS;
  }
};
REG_AUTO_MAPPING_OP(CxxSquare);
static graphStatus SquareShape(gert::InferShapeContext *ctx) {
  *ctx->GetOutputShape(0) = *ctx->GetInputShape(0);
  return GRAPH_SUCCESS;
}
IMPL_OP(CxxSquare).InferShape(SquareShape);

namespace {

using Map = std::map<AscendString, AscendString>;

TEST(CustomLibrary, ItsOperatorsRunBesideTheProgramsOwn) {
  ASSERT_FALSE(OperatorFactory::IsExistOp("VendorHalf"));
  ASSERT_EQ(setenv("ASCEND_CUSTOM_OPP_PATH", "/no/such/folder:" VENDOR, 1), 0);
  ASSERT_EQ(GEInitialize(Map{}), SUCCESS) << GeLastErrorMessage();
  ASSERT_TRUE(OperatorFactory::IsExistOp("VendorHalf"));
  EXPECT_EQ(detail::CustomLibraries::Folders(), "/folder/of/the/vendor:/no/such/folder:" VENDOR);
  // What the library registered is found here, though its symbols are hidden.
  const auto registry = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry();
  ASSERT_NE(registry->GetOpImpl("VendorHalf"), nullptr);
  EXPECT_NE(registry->GetOpImpl("VendorHalf")->infer_shape, nullptr);
  Operator x = OperatorFactory::CreateOperator("x", "Data");
  (void)x.UpdateOutputDesc("y", TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT));
  Operator half = OperatorFactory::CreateOperator("half", "VendorHalf");
  half.SetInput("x", x, "y");
  op::CxxSquare square("square");
  square.set_input_x(half);
  Graph graph("vendor");
  graph.SetInputs({x}).SetOutputs(std::vector<Operator>{square});
  {
    Session session(Map{});
    ASSERT_EQ(session.AddGraph(1, graph), SUCCESS);
    const float in[] = {6, -10};
    std::vector<Tensor> outputs;
    const Tensor fed(TensorDesc(Shape({2}), FORMAT_ND, DT_FLOAT), reinterpret_cast<const uint8_t *>(in), sizeof in);
    ASSERT_EQ(session.RunGraph(1, {fed}, outputs), SUCCESS) << GeLastErrorMessage();
    EXPECT_EQ(reinterpret_cast<const float *>(outputs[0].GetData())[0], 9);
    EXPECT_EQ(reinterpret_cast<const float *>(outputs[0].GetData())[1], 25);
    AscendString json;
    ASSERT_EQ(session.GraphDebugJSONPrint(1, 0, json), SUCCESS);
    EXPECT_NE(std::string(json.GetString()).find("\"DNN_VM_CUSTOM:libcust_opapi.so\""), std::string::npos)
        << json.GetString();
    EXPECT_NE(std::string(json.GetString()).find("\"DNN_VM_CUSTOM\""), std::string::npos) << json.GetString();
  }
  EXPECT_EQ(GEFinalize(), SUCCESS);
  ASSERT_EQ(GEInitialize(Map{}), SUCCESS);  // everything is open already
  EXPECT_EQ(detail::CustomLibraries::Folders(), "/folder/of/the/vendor:/no/such/folder:" VENDOR);
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

TEST(CustomLibrary, OneThatCannotBeOpenedEndsTheStart) {
  char folder[] = "/tmp/ge_custom_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string place = std::string(folder) + "/op_graph/lib/linux/x86_64";
  ASSERT_TRUE(std::filesystem::create_directories(place));
  std::ofstream(place + "/libbroken.so") << "no library";
  ASSERT_EQ(setenv("ASCEND_CUSTOM_OPP_PATH", folder, 1), 0);
  EXPECT_EQ(GEInitialize(Map{}), FAILED);
  EXPECT_NE(std::string(GeLastErrorMessage()).find("libbroken.so"), std::string::npos) << GeLastErrorMessage();
  std::filesystem::remove_all(folder);
  ASSERT_EQ(unsetenv("ASCEND_CUSTOM_OPP_PATH"), 0);
  EXPECT_EQ(GEInitialize(Map{}), SUCCESS);
  EXPECT_EQ(GEFinalize(), SUCCESS);
}

}  // namespace
}  // namespace ge
