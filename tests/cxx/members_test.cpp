// Every member of the classes of GE's graph and session interface, with its signature: this file compiles, or one is
// gone. Members that are templates here stand in calls, since a program cannot tell them from overloads.
#include <gtest/gtest.h>

#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor_data.h"
#include "ge/ge_allocator.h"
#include "ge/ge_api.h"
#include "ge/ge_api_types.h"
#include "ge/ge_api_v2.h"
#include "ge/ge_error_codes.h"
#include "ge/ge_external_weight_desc.h"
#include "ge/ge_feature_memory.h"
#include "ge/ge_graph_compile_summary.h"
#include "ge/ge_utils.h"
#include "ge_common/api_error_codes.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/compiler_def.h"
#include "graph/error_codes.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/graph_buffer.h"
#include "graph/inference_context.h"
#include "graph/named_io_node_builder.h"
#include "graph/operator.h"
#include "graph/operator_factory.h"
#include "graph/operator_reg.h"
#include "graph/resource_context.h"
#include "graph/tensor.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "register/register_error_codes.h"
#include "register/register_fmk_types.h"
#include "register/register_types.h"

using namespace ge;

namespace {

#define CONST(R, C, name, ...) (void)static_cast<R (C::*)(__VA_ARGS__) const>(&C::name)
#define PLAIN(R, C, name, ...) (void)static_cast<R (C::*)(__VA_ARGS__)>(&C::name)
#define STATIC(R, C, name, ...) (void)static_cast<R (*)(__VA_ARGS__)>(&C::name)

using Str = const char_t *;
using AStr = AscendString;
using gS = graphStatus;
using Ranges = std::vector<std::pair<int64_t, int64_t>>;

// 4.1 to 4.4
void Values() {
  CONST(const char *, AscendString, GetString);
  CONST(size_t, AscendString, GetLength);
  CONST(size_t, AscendString, Find, const AStr &);
  CONST(size_t, AscendString, Hash);
  (void)std::hash<AscendString>()(AscendString("a"));

  CONST(size_t, Shape, GetDimNum);
  CONST(int64_t, Shape, GetDim, size_t);
  PLAIN(gS, Shape, SetDim, size_t, int64_t);
  CONST(std::vector<int64_t>, Shape, GetDims);
  CONST(int64_t, Shape, GetShapeSize);

  PLAIN(void, TensorDesc, Update, const Shape &, Format, DataType);
  CONST(Shape, TensorDesc, GetShape);
  PLAIN(void, TensorDesc, SetShape, const Shape &);
  CONST(Shape, TensorDesc, GetOriginShape);
  PLAIN(void, TensorDesc, SetOriginShape, const Shape &);
  CONST(Format, TensorDesc, GetFormat);
  PLAIN(void, TensorDesc, SetFormat, Format);
  CONST(Format, TensorDesc, GetOriginFormat);
  PLAIN(void, TensorDesc, SetOriginFormat, Format);
  CONST(DataType, TensorDesc, GetDataType);
  PLAIN(void, TensorDesc, SetDataType, DataType);
  PLAIN(gS, TensorDesc, SetUnknownDimNumShape);
  PLAIN(gS, TensorDesc, SetShapeRange, const Ranges &);
  CONST(gS, TensorDesc, GetShapeRange, Ranges &);
  PLAIN(void, TensorDesc, SetName, Str);
  PLAIN(gS, TensorDesc, GetName, AStr &);
  CONST(gS, TensorDesc, GetName, AStr &);
  PLAIN(void, TensorDesc, SetSize, int64_t);
  CONST(int64_t, TensorDesc, GetSize);
  PLAIN(void, TensorDesc, SetRealDimCnt, int64_t);
  CONST(int64_t, TensorDesc, GetRealDimCnt);
  PLAIN(void, TensorDesc, SetPlacement, Placement);
  CONST(Placement, TensorDesc, GetPlacement);
  PLAIN(void, TensorDesc, SetConstData, std::unique_ptr<uint8_t[]>, const size_t &);
  CONST(bool, TensorDesc, GetConstData, uint8_t **, size_t &);
  PLAIN(void, TensorDesc, SetExpandDimsRule, const AStr &);
  CONST(gS, TensorDesc, GetExpandDimsRule, AStr &);
  PLAIN(void, TensorDesc, SetReuseInputIndex, uint32_t);

  CONST(TensorDesc, Tensor, GetTensorDesc);
  PLAIN(gS, Tensor, SetTensorDesc, const TensorDesc &);
  CONST(const uint8_t *, Tensor, GetData);
  PLAIN(uint8_t *, Tensor, GetData);
  CONST(size_t, Tensor, GetSize);
  PLAIN(gS, Tensor, SetData, std::vector<uint8_t> &&);
  PLAIN(gS, Tensor, SetData, const std::vector<uint8_t> &);
  PLAIN(gS, Tensor, SetData, const uint8_t *, size_t);
  PLAIN(gS, Tensor, SetData, Str);
  PLAIN(gS, Tensor, SetData, const std::vector<AStr> &);
  PLAIN(gS, Tensor, SetData, const std::string &);
  PLAIN(gS, Tensor, SetData, const std::vector<std::string> &);
  PLAIN(gS, Tensor, SetData, uint8_t *, size_t, const Tensor::DeleteFunc &);
  PLAIN(gS, Tensor, ResetData, uint8_t *, size_t, const Tensor::DeleteFunc &);
  PLAIN(decltype(Tensor().ResetData()), Tensor, ResetData);
  static_assert(std::is_same_v<decltype(Tensor().ResetData()), std::unique_ptr<uint8_t[], Tensor::DeleteFunc>>);
  PLAIN(gS, Tensor, IsValid);
  PLAIN(gS, Tensor, SetOriginShapeDimNum, size_t);
  CONST(size_t, Tensor, GetOriginShapeDimNum);
  PLAIN(gS, Tensor, SetOriginShapeDim, size_t, int64_t);
  CONST(int64_t, Tensor, GetOriginShapeDim, size_t);
  PLAIN(gS, Tensor, SetShapeDimNum, size_t);
  CONST(size_t, Tensor, GetShapeDimNum);
  PLAIN(gS, Tensor, SetShapeDim, size_t, int64_t);
  CONST(int64_t, Tensor, GetShapeDim, size_t);
  PLAIN(gS, Tensor, SetOriginFormat, const Format &);
  CONST(Format, Tensor, GetOriginFormat);
  PLAIN(gS, Tensor, SetFormat, const Format &);
  CONST(Format, Tensor, GetFormat);
  PLAIN(gS, Tensor, SetDataType, const DataType &);
  CONST(DataType, Tensor, GetDataType);
  PLAIN(gS, Tensor, SetPlacement, const Placement &);
  CONST(Placement, Tensor, GetPlacement);
  PLAIN(gS, Tensor, SetExpandDimsRule, const AStr &);
  CONST(gS, Tensor, GetExpandDimsRule, AStr &);
  CONST(Tensor, Tensor, Clone);
}

// 4.5: every type, there and back
template <class T>
void AttrType(const T &value) {
  AttrValue held;
  T back{};
  EXPECT_EQ(held.GetAttrValue(back), GRAPH_FAILED);
  EXPECT_EQ(held.SetAttrValue(value), GRAPH_SUCCESS);
  EXPECT_EQ(held.GetAttrValue(back), GRAPH_SUCCESS);
}

// 5.1
template <class T>
void OperatorAttrType(Operator &op, const T &value) {
  T back{};
  op.SetAttr("any", value);
  EXPECT_EQ(op.GetAttr("any", back), GRAPH_SUCCESS);
  op.SetAttr(std::string("any"), value);
  EXPECT_EQ(op.GetAttr(std::string("any"), back), GRAPH_SUCCESS);
}
template <class T>
void PortAttrType(Operator &op, const T &value) {
  T back{};
  op.SetInputAttr(0, "any", value).SetOutputAttr(0, "any", value);
  EXPECT_EQ(op.GetInputAttr("x1", "any", back), GRAPH_SUCCESS);
  EXPECT_EQ(op.GetOutputAttr("y", "any", back), GRAPH_SUCCESS);
  op.SetInputAttr("x2", "any", value).SetOutputAttr("y", "any", value);
  EXPECT_EQ(op.GetInputAttr(1, "any", back), GRAPH_SUCCESS);
  EXPECT_EQ(op.GetOutputAttr(0, "any", back), GRAPH_SUCCESS);
}

class Wide : public Operator {
 public:
  using Operator::AttrRegister;
  using Operator::DataTypeRegister;
  using Operator::GetSubgraphImpl;
  using Operator::InferFormatFuncRegister;
  using Operator::InferFuncRegister;
  using Operator::InputRegister;
  using Operator::Operator;
  using Operator::OptionalInputRegister;
  using Operator::OutputRegister;
  using Operator::RequiredAttrRegister;
  using Operator::RequiredAttrWithTypeRegister;
  using Operator::SubgraphCountRegister;
  using Operator::SubgraphRegister;
  using Operator::VerifierFuncRegister;
  using Operator::VerifyAll;
};

void Operators() {
  CONST(bool, Operator, IsEmpty);
  CONST(gS, Operator, GetName, AStr &);
  CONST(gS, Operator, GetOpType, AStr &);
  CONST(std::string, Operator, GetName);
  CONST(std::string, Operator, GetOpType);
  PLAIN(Operator &, Operator, SetInput, Str, const Operator &);
  PLAIN(Operator &, Operator, SetInput, Str, const Operator &, Str);
  PLAIN(Operator &, Operator, SetInput, Str, const Operator &, uint32_t);
  PLAIN(Operator &, Operator, SetInput, uint32_t, const Operator &, uint32_t);
  PLAIN(Operator &, Operator, SetInput, Str, uint32_t, const Operator &);
  PLAIN(Operator &, Operator, SetInput, Str, uint32_t, const Operator &, Str);
  PLAIN(Operator &, Operator, AddControlInput, const Operator &);
  CONST(void, Operator, BreakConnect);
  CONST(TensorDesc, Operator, GetInputDescByName, Str);
  CONST(TensorDesc, Operator, GetOutputDescByName, Str);
  CONST(TensorDesc, Operator, GetInputDesc, uint32_t);
  CONST(TensorDesc, Operator, GetOutputDesc, uint32_t);
  CONST(gS, Operator, TryGetInputDesc, Str, TensorDesc &);
  PLAIN(gS, Operator, UpdateInputDesc, Str, const TensorDesc &);
  PLAIN(gS, Operator, UpdateInputDesc, uint32_t, const TensorDesc &);
  PLAIN(gS, Operator, UpdateOutputDesc, Str, const TensorDesc &);
  PLAIN(gS, Operator, UpdateOutputDesc, uint32_t, const TensorDesc &);
  CONST(TensorDesc, Operator, GetDynamicInputDesc, Str, uint32_t);
  PLAIN(gS, Operator, UpdateDynamicInputDesc, Str, uint32_t, const TensorDesc &);
  CONST(TensorDesc, Operator, GetDynamicOutputDesc, Str, uint32_t);
  PLAIN(gS, Operator, UpdateDynamicOutputDesc, Str, uint32_t, const TensorDesc &);
  CONST(int32_t, Operator, GetDynamicInputNum, Str);
  CONST(int32_t, Operator, GetDynamicOutputNum, Str);
  CONST(size_t, Operator, GetInputsSize);
  CONST(size_t, Operator, GetOutputsSize);
  CONST(gS, Operator, GetInputConstData, Str, Tensor &);
  PLAIN(gS, Operator, InferShapeAndType);
  PLAIN(gS, Operator, VerifyAllAttr, bool);
  PLAIN(void, Operator, SetInferenceContext, const InferenceContextPtr &);
  CONST(InferenceContextPtr, Operator, GetInferenceContext);
  CONST(gS, Operator, GetAllAttrNamesAndTypes, std::map<AStr, AStr> &);
  CONST(gS, Operator, GetAllIrAttrNamesAndTypes, std::map<AStr, AStr> &);
  CONST(size_t, Operator, GetSubgraphNamesCount);
  CONST(gS, Operator, GetSubgraphNames, std::vector<AStr> &);
  CONST(SubgraphBuilder, Operator, GetSubgraphBuilder, Str);
  CONST(Graph, Operator, GetSubgraph, Str);
  CONST(SubgraphBuilder, Operator, GetDynamicSubgraphBuilder, Str, uint32_t);
  CONST(Graph, Operator, GetDynamicSubgraph, Str, uint32_t);
  PLAIN(void, Operator, SubgraphCountRegister, Str, uint32_t);
  PLAIN(void, Operator, SetSubgraphBuilder, Str, uint32_t, const SubgraphBuilder &);
  PLAIN(gS, Operator, SetSubgraphInstanceName, uint32_t, Str);
  PLAIN(void, Operator, DynamicInputRegister, Str, uint32_t, bool);
  PLAIN(void, Operator, DynamicInputRegister, Str, uint32_t, Str, bool);
  PLAIN(void, Operator, DynamicInputRegisterByIndex, Str, uint32_t, size_t);
  PLAIN(void, Operator, DynamicOutputRegister, Str, uint32_t, bool);
  PLAIN(void, Operator, DynamicOutputRegister, Str, uint32_t, Str, bool);
  PLAIN(void, Operator, AttrRegister, Str, const AttrValue &);

  STATIC(Operator, OperatorFactory, CreateOperator, Str, Str);
  STATIC(gS, OperatorFactory, GetOpsTypeList, std::vector<AStr> &);
  STATIC(bool, OperatorFactory, IsExistOp, Str);
  static_assert(std::is_constructible_v<OperatorCreatorRegister, Str, const OpCreatorV2 &>);
  static_assert(std::is_constructible_v<OperatorCreatorRegister, const std::string &, const OpCreator &>);
  static_assert(std::is_constructible_v<InferShapeFuncRegister, Str, const InferShapeFunc &>);
  static_assert(std::is_constructible_v<InferFormatFuncRegister, Str, const InferFormatFunc &>);
  static_assert(std::is_constructible_v<VerifyFuncRegister, Str, const VerifyFunc &>);
  static_assert(std::is_constructible_v<InferValueRangeFuncRegister, Str, WHEN_CALL, const InferValueRangeFunc &>);
  static_assert(std::is_constructible_v<InferValueRangeFuncRegister, Str>);
}

// 6
void Inference() {
  static_assert(std::is_constructible_v<ShapeAndType, const Shape &, DataType>);
  PLAIN(void, ShapeAndType, SetShape, const Shape &);
  PLAIN(void, ShapeAndType, SetType, DataType);
  CONST(Shape, ShapeAndType, GetShape);
  CONST(DataType, ShapeAndType, GetDataType);
  static_assert(!std::is_copy_constructible_v<InferenceContext>);
  STATIC(std::unique_ptr<InferenceContext>, InferenceContext, Create, void *);
  using Handles = std::vector<std::vector<ShapeAndType>>;
  PLAIN(void, InferenceContext, SetInputHandleShapesAndTypes, Handles &&);
  CONST(const Handles &, InferenceContext, GetInputHandleShapesAndTypes);
  PLAIN(void, InferenceContext, SetOutputHandleShapesAndTypes, const Handles &);
  PLAIN(void, InferenceContext, SetOutputHandleShapesAndTypes, Handles &&);
  CONST(const Handles &, InferenceContext, GetOutputHandleShapesAndTypes);
  PLAIN(void, InferenceContext, SetMarks, const std::vector<AStr> &);
  CONST(void, InferenceContext, GetMarks, std::vector<AStr> &);
  CONST(ResourceContext *, InferenceContext, GetResourceContext, const AStr &);
  PLAIN(gS, InferenceContext, SetResourceContext, const AStr &, ResourceContext *);
  PLAIN(gS, InferenceContext, RegisterReliedOnResourceKey, const AStr &);
  PLAIN(gS, InferenceContext, AddChangedResourceKey, const AStr &);
  CONST(const std::set<AStr> &, InferenceContext, GetReliedOnResourceKeys);
  CONST(const std::set<AStr> &, InferenceContext, GetChangedResourceKeys);
  PLAIN(void, InferenceContext, ClearChangedResourceKeys);
}

// 7
void Graphs() {
  PLAIN(Graph &, Graph, SetInputs, const std::vector<Operator> &);
  PLAIN(Graph &, Graph, SetOutputs, const std::vector<Operator> &);
  using Indexed = std::vector<std::pair<Operator, std::vector<size_t>>>;
  PLAIN(Graph &, Graph, SetOutputs, const Indexed &);
  using Named = std::vector<std::pair<Operator, AStr>>;
  PLAIN(Graph &, Graph, SetOutputs, const Named &);
  using Nodes = std::vector<std::pair<GNode, int32_t>>;
  PLAIN(gS, Graph, SetOutputs, const Nodes &);
  PLAIN(Graph &, Graph, SetTargets, const std::vector<Operator> &);
  CONST(bool, Graph, IsValid);
  PLAIN(gS, Graph, SetValid);
  PLAIN(gS, Graph, AddOp, const Operator &);
  CONST(gS, Graph, FindOpByName, Str, Operator &);
  CONST(gS, Graph, FindOpByType, Str, std::vector<Operator> &);
  CONST(gS, Graph, GetAllOpName, std::vector<AStr> &);
  CONST(gS, Graph, GetName, AStr &);
  CONST(const std::string &, Graph, GetName);
  PLAIN(void, Graph, SetNeedIteration, bool);
  CONST(std::vector<GNode>, Graph, GetAllNodes);
  CONST(std::vector<GNode>, Graph, GetDirectNode);
  PLAIN(gS, Graph, RemoveNode, GNode &);
  PLAIN(gS, Graph, RemoveNode, GNode &, bool);
  PLAIN(GNode, Graph, AddNodeByOp, const Operator &);
  PLAIN(gS, Graph, AddDataEdge, GNode &, int32_t, GNode &, int32_t);
  PLAIN(gS, Graph, AddControlEdge, GNode &, GNode &);
  PLAIN(gS, Graph, RemoveEdge, GNode &, int32_t, GNode &, int32_t);
  CONST(GNodePtr, Graph, FindNodeByName, const AStr &);
  CONST(std::vector<GraphPtr>, Graph, GetAllSubgraphs);
  CONST(GraphPtr, Graph, GetSubGraph, Str);
  PLAIN(gS, Graph, AddSubGraph, const Graph &);
  PLAIN(gS, Graph, RemoveSubgraph, Str);
  CONST(ConstGraphPtr, Graph, GetParentGraph);
  CONST(GNodePtr, Graph, GetParentNode);
  PLAIN(gS, Graph, CopyFrom, const Graph &);
  PLAIN(gS, Graph, SetAttr, const AStr &, const AttrValue &);
  CONST(gS, Graph, GetAttr, const AStr &, AttrValue &);
  CONST(gS, Graph, SaveToFile, Str);
  PLAIN(gS, Graph, LoadFromFile, Str);
  CONST(gS, Graph, SaveToMem, GraphBuffer &);
  PLAIN(gS, Graph, LoadFromMem, const GraphBuffer &);
  PLAIN(gS, Graph, LoadFromMem, const uint8_t *, size_t);
  PLAIN(gS, Graph, LoadFromSerializedModelArray, const void *, size_t);
  STATIC(GraphPtr, Graph, ConstructFromInputs, const std::vector<Operator> &, const AStr &);
  CONST(gS, Graph, Dump, Graph::DumpFormat, std::ostream &);
  CONST(gS, Graph, DumpToFile, Graph::DumpFormat, const AStr &);
  static_assert(!std::is_copy_constructible_v<GraphBuffer>);
  CONST(const uint8_t *, GraphBuffer, GetData);
  CONST(size_t, GraphBuffer, GetSize);

  using Port = std::pair<GNodePtr, int32_t>;
  CONST(gS, GNode, GetType, AStr &);
  CONST(gS, GNode, GetName, AStr &);
  CONST(Port, GNode, GetInDataNodesAndPortIndexs, int32_t);
  CONST(std::vector<Port>, GNode, GetOutDataNodesAndPortIndexs, int32_t);
  CONST(std::vector<GNodePtr>, GNode, GetInControlNodes);
  CONST(std::vector<GNodePtr>, GNode, GetOutControlNodes);
  CONST(gS, GNode, GetInputConstData, int32_t, Tensor &);
  PLAIN(gS, GNode, GetInputIndexByName, const AStr &, int32_t &);
  PLAIN(gS, GNode, GetOutputIndexByName, const AStr &, int32_t &);
  PLAIN(gS, GNode, GetDynamicInputIndexesByName, const AStr &, std::vector<int32_t> &);
  PLAIN(gS, GNode, GetDynamicOutputIndexesByName, const AStr &, std::vector<int32_t> &);
  CONST(size_t, GNode, GetInputsSize);
  CONST(size_t, GNode, GetOutputsSize);
  CONST(gS, GNode, GetInputDesc, int32_t, TensorDesc &);
  PLAIN(gS, GNode, UpdateInputDesc, int32_t, const TensorDesc &);
  CONST(gS, GNode, GetOutputDesc, int32_t, TensorDesc &);
  PLAIN(gS, GNode, UpdateOutputDesc, int32_t, const TensorDesc &);
  PLAIN(bool, GNode, HasAttr, const AStr &);
  CONST(gS, GNode, GetInputAttr, const AStr &, uint32_t, AttrValue &);
  CONST(gS, GNode, SetInputAttr, const AStr &, uint32_t, AttrValue &);
  CONST(gS, GNode, GetOutputAttr, const AStr &, uint32_t, AttrValue &);
  CONST(gS, GNode, SetOutputAttr, const AStr &, uint32_t, AttrValue &);
  CONST(gS, GNode, GetSubgraph, uint32_t, GraphPtr &);
  CONST(gS, GNode, GetALLSubgraphs, std::vector<GraphPtr> &);
  PLAIN(gS, GNode, SetSubgraph, const AStr &, const Graph &);
  PLAIN(gS, GNode, SetSubgraphs, const AStr &, const std::vector<Graph> &);

  static_assert(!std::is_copy_constructible_v<NamedIoNodeBuilder>);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, Type, Str);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, Name, Str);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, AddInput, Str);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, AddInput, Str, const TensorDesc &);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, AddOutput, Str);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, AddOutput, Str, const TensorDesc &);
  PLAIN(NamedIoNodeBuilder &, NamedIoNodeBuilder, Attr, Str, const AttrValue &);
  PLAIN(std::unique_ptr<GNode>, NamedIoNodeBuilder, Build, AStr &);
}
template <class T>
void NodeAttrType(GNode &node, T value) {
  T back{};
  EXPECT_EQ(node.SetAttr(AscendString("any"), value), GRAPH_SUCCESS);
  EXPECT_EQ(node.GetAttr(AscendString("any"), back), GRAPH_SUCCESS);
}

// 11
void Sessions() {
  using Map = std::map<AStr, AStr>;
  (void)static_cast<Status (*)(const Map &)>(&GEInitialize);
  (void)static_cast<Status (*)(const std::map<std::string, std::string> &)>(&GEInitialize);
  (void)static_cast<Status (*)(const Map &)>(&GEInitializeV2);
  (void)static_cast<Status (*)()>(&GEFinalize);
  (void)static_cast<Status (*)()>(&GEFinalizeV2);
  (void)static_cast<std::string (*)()>(&GEGetErrorMsg);
  (void)static_cast<AStr (*)()>(&GEGetErrorMsgV2);
  (void)static_cast<AStr (*)()>(&GEGetErrorMsgV3);
  (void)static_cast<std::string (*)()>(&GEGetWarningMsg);
  (void)static_cast<AStr (*)()>(&GEGetWarningMsgV2);
  (void)static_cast<AStr (*)()>(&GEGetWarningMsgV3);

  using RunTensors = std::vector<gert::Tensor>;
  (void)static_cast<Status (*)(Session &, uint32_t, const Map &, void *)>(&GeSessionLoadGraph);
  (void)static_cast<Status (*)(Session &, uint32_t, void *, const RunTensors &, RunTensors &)>(
      &GeSessionExecuteGraphWithStreamAsync);
  (void)static_cast<Status (*)(Session &, uint32_t, uint32_t, AStr &)>(&GeSessionGraphDebugJSONPrint);
  using NamePairs = std::vector<std::pair<AStr, AStr>>;
  (void)static_cast<Status (*)(const char *, NamePairs &, NamePairs &, NamePairs &)>(&GetRegisteredIrDef);
  CONST(uint64_t, GeSession, GetSessionId);
  PLAIN(Status, GeSession, AddGraph, uint32_t, const Graph &);
  PLAIN(Status, GeSession, AddGraph, uint32_t, const Graph &, const Map &);
  PLAIN(Status, GeSession, AddGraphClone, uint32_t, const Graph &);
  PLAIN(Status, GeSession, AddGraphClone, uint32_t, const Graph &, const Map &);
  PLAIN(Status, GeSession, RemoveGraph, uint32_t);
  PLAIN(bool, GeSession, IsGraphNeedRebuild, uint32_t);
  PLAIN(Status, GeSession, CompileGraph, uint32_t);
  PLAIN(Status, GeSession, CompileGraph, uint32_t, const std::vector<Tensor> &);
  CONST(Status, GeSession, RegisterExternalAllocator, const void *, AllocatorPtr);
  CONST(Status, GeSession, UnregisterExternalAllocator, const void *);
  CONST(Status, GeSession, GraphDebugJSONPrint, uint32_t, uint32_t, AStr &);
  CONST(Status, GeSession, LoadGraph, uint32_t, const Map &, void *);
  PLAIN(Status, GeSession, RunGraph, uint32_t, const RunTensors &, RunTensors &);
  PLAIN(Status, GeSession, RunGraphAsync, uint32_t, const RunTensors &, RunAsyncCallbackV2);
  PLAIN(Status, GeSession, RunGraphWithStreamAsync, uint32_t, void *, const RunTensors &, RunTensors &);
  PLAIN(CompiledGraphSummaryPtr, GeSession, GetCompiledGraphSummary, uint32_t);

  using Tensors = std::vector<Tensor>;
  CONST(uint64_t, Session, GetSessionId);
  PLAIN(Status, Session, AddGraph, uint32_t, const Graph &);
  PLAIN(Status, Session, AddGraph, uint32_t, const Graph &, const Map &);
  PLAIN(Status, Session, AddGraphWithCopy, uint32_t, const Graph &);
  PLAIN(Status, Session, AddGraphWithCopy, uint32_t, const Graph &, const Map &);
  PLAIN(Status, Session, RemoveGraph, uint32_t);
  PLAIN(bool, Session, IsGraphNeedRebuild, uint32_t);
  PLAIN(Status, Session, RunGraph, uint32_t, const Tensors &, Tensors &);
  PLAIN(Status, Session, RunGraphAsync, uint32_t, const Tensors &, RunAsyncCallback);
  PLAIN(Status, Session, BuildGraph, uint32_t, const std::vector<InputTensorInfo> &);
  PLAIN(Status, Session, CompileGraph, uint32_t);
  CONST(Status, Session, LoadGraph, uint32_t, const Map &, void *);
  PLAIN(Status, Session, RunGraphWithStreamAsync, uint32_t, void *, const Tensors &, Tensors &);
  PLAIN(Status, Session, ExecuteGraphWithStreamAsync, uint32_t, void *, const RunTensors &, RunTensors &);
  PLAIN(CompiledGraphSummaryPtr, Session, GetCompiledGraphSummary, uint32_t);

  CONST(Status, Session, RegisterExternalAllocator, const void *, AllocatorPtr);
  CONST(Status, Session, UnregisterExternalAllocator, const void *);
  CONST(Status, Session, GraphDebugJSONPrint, uint32_t, uint32_t, AStr &);
  CONST(bool, CompiledGraphSummary, IsStatic);
  CONST(Status, CompiledGraphSummary, GetConstMemorySize, size_t &);
  CONST(Status, CompiledGraphSummary, GetFeatureMemorySize, size_t &);
  CONST(Status, CompiledGraphSummary, GetFixedFeatureMemorySize, size_t &);
  CONST(Status, CompiledGraphSummary, GetRefreshableFeatureMemorySize, size_t &);
  CONST(std::vector<FeatureMemoryPtr>, CompiledGraphSummary, GetAllFeatureMemoryTypeSize);
  CONST(Status, CompiledGraphSummary, GetFeatureMemoryBaseRefreshable, bool &);
  CONST(Status, CompiledGraphSummary, GetStreamNum, size_t &);
  CONST(Status, CompiledGraphSummary, GetEventNum, size_t &);
  CONST(Status, CompiledGraphSummary, GetOutputShapes, std::vector<Shape> &);
  CONST(Status, CompiledGraphSummary, GetOutputDtypes, std::vector<DataType> &);
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
  CONST(Status, CompiledGraphSummary, GetIOIndexesWithSameAddr, Pairs &);
  CONST(Status, CompiledGraphSummary, GetExternalWeightPaths, std::vector<ExternalWeightDescPtr> &);
  CONST(MemoryType, FeatureMemory, GetType);
  CONST(size_t, FeatureMemory, GetSize);
  CONST(bool, FeatureMemory, IsFixed);
  CONST(AStr, ExternalWeightDesc, GetLocation);
  CONST(size_t, ExternalWeightDesc, GetSize);
  CONST(size_t, ExternalWeightDesc, GetOffset);
  CONST(AStr, ExternalWeightDesc, GetId);

  PLAIN(MemBlock *, Allocator, Malloc, size_t);
  PLAIN(void, Allocator, Free, MemBlock *);
  PLAIN(MemBlock *, Allocator, MallocAdvise, size_t, void *);
  static_assert(std::is_abstract_v<Allocator> && !std::is_copy_constructible_v<Allocator>);
  static_assert(std::is_constructible_v<MemBlock, Allocator &, void *, size_t>);
  CONST(const void *, MemBlock, GetAddr);
  PLAIN(void *, MemBlock, GetAddr);
  CONST(size_t, MemBlock, GetSize);
  PLAIN(void, MemBlock, SetSize, size_t);
  PLAIN(size_t, MemBlock, AddCount);
  PLAIN(size_t, MemBlock, SubCount);
  CONST(size_t, MemBlock, GetCount);
  PLAIN(void, MemBlock, Free);

  STATIC(Status, GeUtils, InferShape, const Graph &, const std::vector<Shape> &);
  STATIC(Status, GeUtils, CheckNodeSupportOnAicore, const GNode &, bool &, AStr &);

  CONST(const gert::StorageShape &, gert::Tensor, GetShape);
  CONST(const gert::Shape &, gert::Tensor, GetStorageShape);
  CONST(const gert::Shape &, gert::Tensor, GetOriginShape);
  PLAIN(gert::Shape &, gert::Tensor, MutableStorageShape);
  PLAIN(gert::Shape &, gert::Tensor, MutableOriginShape);
  CONST(const gert::StorageFormat &, gert::Tensor, GetFormat);
  CONST(Format, gert::Tensor, GetStorageFormat);
  PLAIN(void, gert::Tensor, SetStorageFormat, Format);
  CONST(Format, gert::Tensor, GetOriginFormat);
  PLAIN(void, gert::Tensor, SetOriginFormat, Format);
  CONST(DataType, gert::Tensor, GetDataType);
  PLAIN(void, gert::Tensor, SetDataType, DataType);
  CONST(const void *, gert::Tensor, GetAddr);
  PLAIN(void *, gert::Tensor, GetAddr);
  PLAIN(void, gert::Tensor, SetData, gert::TensorData &&);
  CONST(size_t, gert::Tensor, GetSize);
  PLAIN(void, gert::Tensor, SetSize, size_t);
  CONST(int64_t, gert::Tensor, GetShapeSize);
  CONST(gert::TensorPlacement, gert::Tensor, GetPlacement);
  PLAIN(void, gert::Tensor, SetPlacement, gert::TensorPlacement);
  CONST(const gert::TensorData &, gert::Tensor, GetTensorData);
  PLAIN(gert::TensorData &, gert::Tensor, MutableTensorData);
  static_assert(std::is_standard_layout_v<gert::Tensor>);
}

TEST(Members, AreThereWithTheirSignatures) {
  Values();
  Operators();
  Inference();
  Graphs();
  Sessions();
}

TEST(Members, AttributesOfEveryType) {
  AttrType(int64_t{1});
  AttrType(1.5f);
  AttrType(AscendString("a"));
  AttrType(true);
  AttrType(Tensor());
  AttrType(DT_INT8);
  AttrType(std::vector<int64_t>{1});
  AttrType(std::vector<float>{1});
  AttrType(std::vector<AscendString>{"a"});
  AttrType(std::vector<bool>{true});
  AttrType(std::vector<Tensor>(1));
  AttrType(std::vector<std::vector<int64_t>>{{1}});
  AttrType(std::vector<DataType>{DT_INT8});

  Operator add = OperatorFactory::CreateOperator("a", "Add");
  auto every = [](auto &&f) {
    f(int64_t{1});
    f(int32_t{1});
    f(uint32_t{1});
    f(1.5f);
    f(true);
    f(AscendString("a"));
    f(Tensor());
    f(DT_INT8);
    f(OpBytes{1, 2});
    f(std::vector<int64_t>{1});
    f(std::vector<int32_t>{1});
    f(std::vector<uint32_t>{1});
    f(std::vector<float>{1});
    f(std::vector<bool>{true});
    f(std::vector<AscendString>{"a"});
    f(std::vector<Tensor>(1));
    f(std::vector<std::vector<int64_t>>{{1}});
    f(std::vector<DataType>{DT_INT8});
    AttrValue value;
    value.SetAttrValue(int64_t{1});
    f(value);
  };
  every([&](const auto &value) { OperatorAttrType(add, value); });
  OperatorAttrType(add, NamedAttrs());
  OperatorAttrType(add, std::vector<NamedAttrs>(2));
  add.SetAttr("text", "literal").SetAttr("list", {1, 2, 3});
  AscendString text;
  std::vector<int64_t> list;
  EXPECT_EQ(add.GetAttr("text", text), GRAPH_SUCCESS);
  EXPECT_EQ(text, "literal");
  EXPECT_EQ(add.GetAttr("list", list), GRAPH_SUCCESS);
  EXPECT_EQ(list, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(add.GetAttr("not there", list), GRAPH_FAILED);
  PortAttrType(add, int64_t{1});
  PortAttrType(add, int32_t{1});
  PortAttrType(add, uint32_t{1});
  PortAttrType(add, true);
  PortAttrType(add, 1.5f);
  PortAttrType(add, AscendString("a"));
  PortAttrType(add, std::vector<int64_t>{1});
  PortAttrType(add, std::vector<AscendString>{"a"});
  PortAttrType(add, std::vector<bool>{true});
  add.SetInputAttr(0, "text", "literal");
  EXPECT_EQ(add.GetInputAttr("x1", "text", text), GRAPH_SUCCESS);

  Graph graph("g");
  GNode node = graph.AddNodeByOp(OperatorFactory::CreateOperator("a", "Add"));
  every([&](const auto &value) { NodeAttrType(node, value); });
}

// Declared by hand, as REG_OP does it, with access widened.
TEST(Members, RegistrationOfAnOperator) {
  Wide op("w", "MembersWide");
  op.InputRegister("x", "T");
  op.OptionalInputRegister("o", "T");
  op.OutputRegister("y", "T");
  op.DynamicInputRegister("d", 2, "T");
  op.AttrRegister("scale", 2.0f);
  op.AttrRegister("text", "t");
  op.RequiredAttrWithTypeRegister("axis", "Int");
  op.RequiredAttrRegister("more");
  op.DataTypeRegister("T", TensorType({DT_FLOAT, DT_INT8}));
  op.DataTypeRegister("L", ListTensorType(TensorType({DT_FLOAT})));
  op.DataTypeRegister("P", Promote({"T", "L"}));
  op.SubgraphRegister("body", false);
  int verified = 0;
  op.VerifierFuncRegister([&](Operator &) {
    ++verified;
    return GRAPH_SUCCESS;
  });
  op.InferFuncRegister([](Operator &self) { return self.UpdateOutputDesc("y", self.GetInputDescByName("x")); });
  op.InferFormatFuncRegister([](Operator &) { return GRAPH_SUCCESS; });
  EXPECT_EQ(op.GetInputsSize(), 4u);
  std::map<AscendString, AscendString> types;
  ASSERT_EQ(op.GetAllIrAttrNamesAndTypes(types), GRAPH_SUCCESS);
  EXPECT_EQ(types["axis"], "VT_INT");
  EXPECT_EQ(types["scale"], "VT_FLOAT");
  EXPECT_EQ(types["text"], "VT_STRING");
  EXPECT_EQ(op.VerifyAll(), GRAPH_FAILED) << "axis and more are not set";
  EXPECT_EQ(verified, 0);
  op.SetAttr("axis", 1).SetAttr("more", true);
  EXPECT_EQ(op.VerifyAll(), GRAPH_SUCCESS);
  EXPECT_EQ(verified, 1);
  ASSERT_EQ(op.UpdateInputDesc("x", TensorDesc(Shape({2, 3}), FORMAT_ND, DT_INT8)), GRAPH_SUCCESS);
  EXPECT_EQ(op.InferShapeAndType(), GRAPH_SUCCESS);
  EXPECT_EQ(op.GetOutputDescByName("y").GetShape().GetDims(), (std::vector<int64_t>{2, 3}));
  ASSERT_EQ(op.UpdateInputDesc("x", TensorDesc(Shape({2, -3}), FORMAT_ND, DT_INT8)), GRAPH_SUCCESS);
  EXPECT_EQ(op.VerifyAllAttr(), GRAPH_FAILED) << "no dimension is -3";
  EXPECT_EQ(op.VerifyAllAttr(true), GRAPH_SUCCESS);
}

}  // namespace
