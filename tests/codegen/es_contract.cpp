// What GE's interface promises, asserted at compile time: every function, member and type of the builder's headers as
// programs name them. Run, it checks what failed assertions of es_log.h print.
#include <iostream>
#include <sstream>
#include <type_traits>

#include "compliant_node_builder.h"
#include "es_c_graph_builder.h"
#include "es_c_tensor_holder.h"
#include "es_graph_builder.h"
#include "es_log.h"
#include "es_tensor_holder.h"
#include "es_tensor_like.h"
#include "esb_funcs.h"
#include "utils/extern_math_util.h"

#define SAME(expr, ...) static_assert(std::is_same<decltype(expr), __VA_ARGS__>::value, #expr)
#define FN(name, ...) SAME(&name, __VA_ARGS__)
using namespace ge;
using namespace ge::es;
// ---- the C functions ----
FN(EsCreateGraphBuilder, EsCGraphBuilder *(*)(const char *));
FN(EsDestroyGraphBuilder, void (*)(EsCGraphBuilder *));
FN(EsCreateGraphInputWithDetails, EsCTensorHolder *(*)(EsCGraphBuilder *, int64_t, const char *, const char *,
                                                       C_DataType, C_Format, const int64_t *, int64_t));
FN(EsCreateGraphInput, EsCTensorHolder *(*)(EsCGraphBuilder *, int64_t));
FN(EsCreateVariable, EsCTensorHolder *(*)(EsCGraphBuilder *, int32_t, const char *));
FN(EsSetDataType, uint32_t (*)(EsCTensorHolder *, C_DataType));
FN(EsSetFormat, uint32_t (*)(EsCTensorHolder *, C_Format));
FN(EsSetShape, uint32_t (*)(EsCTensorHolder *, const int64_t *, int64_t));
FN(EsSetOriginSymbolShape, uint32_t (*)(EsCTensorHolder *, const char *const *, int64_t));
#define CONSTS(N, T)                                                                                  \
  FN(EsCreateConst##N, EsCTensorHolder *(*)(EsCGraphBuilder *, const T *, const int64_t *, int64_t)); \
  FN(EsCreateVector##N, EsCTensorHolder *(*)(EsCGraphBuilder *, const T *, int64_t));                 \
  FN(EsCreateScalar##N, EsCTensorHolder *(*)(EsCGraphBuilder *, T))
CONSTS(Int64, int64_t);
CONSTS(Int32, int32_t);
CONSTS(UInt64, uint64_t);
CONSTS(UInt32, uint32_t);
CONSTS(Float, float);
FN(EsSetGraphOutput, uint32_t (*)(EsCTensorHolder *, int64_t));
FN(EsBuildGraphAndReset, EsCGraph *(*)(EsCGraphBuilder *));
FN(EsGetOwnerBuilder, EsCGraphBuilder *(*)(EsCTensorHolder *));
FN(EsGetProducer, EsCNode *(*)(EsCTensorHolder *));
FN(EsAddControlEdge, uint32_t (*)(EsCTensorHolder *, EsCTensorHolder **, int64_t));
FN(EsCreateEsCTensor, EsCTensor *(*)(const void *, const int64_t *, int64_t, C_DataType, C_Format));
FN(EsCreateEsCTensorFromFile, EsCTensor *(*)(const char *, const int64_t *, int64_t, C_DataType, C_Format));
#define ATTRS(What, H)                                                         \
  FN(EsSetInt64AttrFor##What, uint32_t (*)(H *, const char *, int64_t));       \
  FN(EsSetStringAttrFor##What, uint32_t (*)(H *, const char *, const char *)); \
  FN(EsSetBoolAttrFor##What, uint32_t (*)(H *, const char *, bool))
ATTRS(Graph, EsCGraphBuilder);
ATTRS(Tensor, EsCTensorHolder);
ATTRS(Node, EsCTensorHolder);
// ---- include guards ----
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ESB_FUNCS_H_
#error the include guard has another name
#endif
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_HOLDER_H_
#error the include guard has another name
#endif
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_TENSOR_LIKE_H_
#error the include guard has another name
#endif
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ES_GRAPH_H_
#error the include guard has another name
#endif
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_COMPLIANT_NODE_BUILDER_H_
#error the include guard has another name
#endif
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_GRAPH_BUILDER_ESC_GRAPH_BUILDER_H_
#error the include guard has another name
#endif
#ifndef AIR_CXX_COMPILER_GRAPH_EAGER_STYLE_EAGER_STYLE_GRAPH_BUILDER_ESC_TENSOR_HOLDER_H_
#error the include guard has another name
#endif
// ---- EsGraphBuilder ----
using B = EsGraphBuilder;
using H = EsTensorHolder;
static_assert(std::is_move_constructible<B>::value && !std::is_copy_constructible<B>::value);
static_assert(!std::is_convertible<const char *, B>::value && std::is_constructible<B, const char *>::value);
void Builder(B &g, H t, const B &cg) {
  SAME(g.CreateInput(int64_t{0}), H);
  SAME(g.CreateInput(0, "x"), H);
  SAME(g.CreateInput(0, "x", "Data"), H);
  SAME(g.CreateInput(0, "x", DT_FLOAT, FORMAT_ND, {1}), H);
  SAME((g.CreateInputs<2>()), std::array<H, 2>);
  SAME((g.CreateInputs<2>(1)), std::array<H, 2>);
  SAME(g.CreateInputs(size_t{2}), std::vector<H>);
  SAME(g.CreateInputs(2, 1), std::vector<H>);
  SAME(g.CreateConst(std::vector<int64_t>{1}, std::vector<int64_t>{1}), H);
  SAME(g.CreateConst(std::vector<int32_t>{1}, {1}), H);
  SAME(g.CreateConst(std::vector<uint64_t>{1}, {1}), H);
  SAME(g.CreateConst(std::vector<uint32_t>{1}, {1}), H);
  SAME(g.CreateConst(std::vector<float>{1}, {1}), H);
  SAME(g.CreateConst(std::vector<int8_t>{1}, {1}, DT_INT8), H);
  SAME(g.CreateConst(std::vector<int8_t>{1}, {1}, DT_INT8, FORMAT_NCHW), H);
  SAME(g.CreateConstV2(std::vector<int8_t>{1}, {1}, DT_INT8), H);
  SAME(g.CreateVector(std::vector<float>{1}), H);
  SAME(g.CreateVector(std::vector<uint32_t>{1}), H);
  SAME(g.CreateScalar(0), H);
  SAME(g.CreateScalar(1.0f), H);
  SAME(g.CreateScalar(uint64_t{1}), H);
  SAME(g.CreateVariable(0, "v"), H);
  SAME(g.CreateTensor(std::vector<float>{1}, {1}, DT_FLOAT), std::unique_ptr<Tensor>);
  SAME(g.CreateTensor(std::vector<float>{1}, {1}, DT_FLOAT, FORMAT_ND), std::unique_ptr<Tensor>);
  SAME(g.CreateBoolTensor({true}, {1}), std::unique_ptr<Tensor>);
  SAME(g.SetAttr("a", int64_t{1}), Status);
  SAME(g.SetAttr("a", "s"), Status);
  SAME(g.SetAttr("a", true), Status);
  SAME(B::SetOutput(t, int64_t{0}), int64_t);
  SAME(cg.BuildAndReset(), std::unique_ptr<Graph>);
  SAME(g.BuildAndReset({t}), std::unique_ptr<Graph>);
  SAME(cg.GetCGraphBuilder(), EsCGraphBuilder *);
}
// ---- EsTensorHolder ----
static_assert(std::is_convertible<EsCTensorHolder *, H>::value && std::is_convertible<std::nullptr_t, H>::value &&
              sizeof(H) == sizeof(void *));
static_assert(std::is_default_constructible<H>::value && std::is_copy_constructible<H>::value);
void Holder(H t, const H c) {
  SAME(c + c, H);
  SAME(c - c, H);
  SAME(c * c, H);
  SAME(c / c, H);
  SAME(t.SetDataType(DT_FLOAT), H &);
  SAME(t.SetFormat(FORMAT_ND), H &);
  SAME(t.SetShape({1}), H &);
  SAME(t.SetOriginSymbolShape({"s0"}), H &);
  SAME(t.SetAttr("a", int64_t{1}), Status);
  SAME(t.SetAttr("a", "b"), Status);
  SAME(t.SetAttr("a", true), Status);
  SAME(t.SetAttrForNode("a", int64_t{1}), Status);
  SAME(t.SetAttrForNode("a", "b"), Status);
  SAME(t.SetAttrForNode("a", true), Status);
  SAME(c.GetCTensorHolder(), EsCTensorHolder *);
  SAME(c.GetProducerOutIndex(), int32_t);
  SAME(c.GetProducer(), GNode *);
  SAME(c.AddControlEdge({t}), Status);
}
// ---- EsTensorLike, ResolveBuilder ----
using L = EsTensorLike;
static_assert(!std::is_copy_constructible<L>::value && !std::is_move_constructible<L>::value);
template <class T>
constexpr bool to = std::is_convertible<T, L>::value;
static_assert(to<H> && to<std::nullptr_t> && to<int64_t> && to<float> && to<std::vector<int64_t>> &&
              to<std::vector<float>>);
static_assert(!to<int> && !to<double> && !to<std::vector<int>>);
void Like(const L &l, EsCGraphBuilder *g, const B *b, H h) {
  SAME(l.GetOwnerBuilder(), EsCGraphBuilder *);
  SAME(l.ToTensorHolder(g), H);
  SAME(ResolveBuilderImpl(l), EsCGraphBuilder *);
  SAME(ResolveBuilderImpl(std::vector<H>{}), EsCGraphBuilder *);
  SAME(ResolveBuilderImpl((EsCTensorHolder *)nullptr), EsCGraphBuilder *);
  SAME(ResolveBuilderImpl(std::vector<EsCTensorHolder *>{}), EsCGraphBuilder *);
  SAME(ResolveBuilderImpl(b), EsCGraphBuilder *);
  SAME(ResolveBuilderImpl(g), EsCGraphBuilder *);
  SAME(ResolveBuilderImpl(nullptr), EsCGraphBuilder *);
  SAME(ResolveBuilder(), EsCGraphBuilder *);
  SAME(ResolveBuilder(l, h, b, std::vector<H>{}), EsCGraphBuilder *);
}
// ---- CompliantNodeBuilder ----
void Node(Graph &graph, GNode &n) {
  SAME(CreateFrom(int64_t{1}), AttrValue);
  SAME(CreateFrom(1.0f), AttrValue);
  SAME(CreateFrom(AscendString("a")), AttrValue);
  SAME(CreateFrom(true), AttrValue);
  SAME(CreateFrom(Tensor()), AttrValue);
  SAME(CreateFrom(DT_FLOAT), AttrValue);
  SAME(CreateFrom(std::vector<int64_t>{}), AttrValue);
  SAME(CreateFrom(std::vector<float>{}), AttrValue);
  SAME(CreateFrom(std::vector<AscendString>{}), AttrValue);
  SAME(CreateFrom(std::vector<bool>{}), AttrValue);
  SAME(CreateFrom(std::vector<Tensor>{}), AttrValue);
  SAME(CreateFrom(std::vector<DataType>{}), AttrValue);
  SAME(CreateFrom(std::vector<std::vector<int64_t>>{}), AttrValue);
  SAME(ValuesEqual(1.0f, 1.0f), bool);
  SAME(ValuesEqual(std::vector<float>{}, std::vector<float>{}), bool);
  SAME(CreateFromIfNotEqual(int64_t{1}, int64_t{1}), AttrValue);
  SAME(AddEdgeAndUpdatePeerDesc(graph, n, 0, n, 0), graphStatus);
  using C = CompliantNodeBuilder;
  static_assert(std::is_move_constructible<C>::value && !std::is_copy_constructible<C>::value &&
                !std::is_convertible<Graph *, C>::value);
  C c(&graph);
  SAME(c.OpType("a"), C &);
  SAME(c.Name("a"), C &);
  C::IrInputDefV2 i("x", C::kEsIrInputRequired, "");
  C::IrOutputDefV2 o("y", C::kEsIrOutputRequired, "");
  C::IrAttrDefV2 a("k", C::kEsAttrRequired, "Int", CreateFrom(int64_t{1}));
  c.IrDefInputsV2(&i, 1).IrDefInputsV2({i}).IrDefInputsV2(std::vector<C::IrInputDefV2>{i});
  c.IrDefOutputsV2(&o, 1).IrDefOutputsV2({o}).IrDefOutputsV2(std::vector<C::IrOutputDefV2>{o});
  c.IrDefAttrsV2(&a, 1).IrDefAttrsV2({a}).IrDefAttrsV2(std::vector<C::IrAttrDefV2>{a}).IrDefAttrsV2({});
  c.IrDefInputs({{"x", C::kEsIrInputRequired, ""}})
      .IrDefOutputs({{"y", C::kEsIrOutputRequired, ""}})
      .IrDefAttrs({{"k", C::kEsAttrOptional, "VT_INT", CreateFrom(int64_t{1})}});
  c.InstanceDynamicInputNum("x", 1)
      .InstanceDynamicOutputNum("y", 1)
      .InstanceOutputDataType("y", DT_FLOAT)
      .InstanceOutputShape("y", {1})
      .InstanceOutputOriginShape("y", {1})
      .InstanceOutputStorageShape("y", {1})
      .InstanceOutputFormat("y", FORMAT_ND)
      .InstanceOutputOriginFormat("y", FORMAT_ND)
      .InstanceOutputStorageFormat("y", FORMAT_ND);
  SAME(c.Build(), GNode);
  static_assert(C::kEsAttrRequired == 0 && C::kEsAttrOptional == 1 && C::kEsIrInputRequired == 0 &&
                C::kEsIrInputOptional == 1 && C::kEsIrInputDynamic == 2 && C::kEsIrInputTypeEnd == 3 &&
                C::kEsIrOutputRequired == 0 && C::kEsIrOutputDynamic == 1 && C::kEsIrOutputTypeEnd == 2);
  static_assert(sizeof(i) == sizeof(void *) && sizeof(o) == sizeof(void *) && sizeof(a) == sizeof(void *));
  C::IrInputDefV2 i0;
  i0.Name("x").InputType(C::kEsIrInputDynamic).SymbolId("T");
  (void)i0.GetName();
  SAME(i0.GetInputType(), C::IrInputType);
  (void)i0.GetSymbolId();
  C::IrOutputDefV2 o0;
  o0.Name("x").OutputType(C::kEsIrOutputDynamic).SymbolId("T");
  SAME(o0.GetOutputType(), C::IrOutputType);
  C::IrAttrDefV2 a0;
  a0.AttrName("x").AttrType(C::kEsAttrOptional).AttrDataType("Int").DefaultValue(AttrValue());
  (void)a0.GetAttrName();
  SAME(a0.GetAttrType(), C::IrAttrType);
  (void)a0.GetAttrDataType();
  (void)a0.GetDefaultValue();
  C::IrInputDefV2 i1(i0);
  C::IrInputDefV2 i2(std::move(i0));
  i1 = i2;
  i1 = std::move(i2);
}
struct OfAnyType : CompliantNodeBuilder::AnyTypeOperator {
  OfAnyType() : AnyTypeOperator("name", "type") {
    InputRegister("x");
    OptionalInputRegister("o");
    DynamicInputRegister("d", 0);
    OutputRegister("y");
    DynamicOutputRegister("z", 0);
  }
};
// ---- the structs behind the handles ----
static_assert(std::is_default_constructible<EsCGraphBuilder>::value &&
              std::is_move_constructible<EsCGraphBuilder>::value);
static_assert(std::is_constructible<EsCGraphBuilder, const char *>::value);
static_assert(std::is_constructible<EsCTensorHolder, EsCGraphBuilder &, const GNode &, int32_t>::value);
static_assert(!std::is_copy_constructible<EsCTensorHolder>::value);
static_assert(!std::is_copy_constructible<EsCGraphBuilder>::value);
void Structs(EsCGraphBuilder &g, EsCTensorHolder &h, const GNode &n) {
  SAME(g.GetTensorHolderFromNode(n, 0), EsCTensorHolder *);
  SAME(g.CreateDynamicTensorHolderFromNode(n, 0, 1), std::vector<EsCTensorHolder *> *);
  SAME(g.GetGraph(), Graph *);
  SAME(g.GenerateNodeName("t"), AscendString);
  SAME(g.AppendGraphInput(), EsCTensorHolder *);
  SAME(g.AppendGraphInput("n", "Data"), EsCTensorHolder *);
  SAME(g.AddGraphInput(0), EsCTensorHolder *);
  SAME(g.AddGraphInput(0, "n", "Data", C_DT_FLOAT, C_FORMAT_ND, nullptr, 0), EsCTensorHolder *);
  SAME(g.SetGraphOutput(&h, int64_t{0}), Status);
  SAME(g.BuildGraphAndReset(), std::unique_ptr<Graph>);
  SAME(g.AddResource(std::make_unique<int>(1)), int *);
  SAME(h.SetDataType(DT_FLOAT), Status);
  SAME(h.SetFormat(FORMAT_ND), Status);
  SAME(h.SetOriginFormat(FORMAT_ND), Status);
  SAME(h.SetStorageFormat(FORMAT_ND), Status);
  SAME(h.SetShape(Shape()), Status);
  SAME(h.SetOriginShape(Shape()), Status);
  SAME(h.SetStorageShape(Shape()), Status);
  SAME(h.SetOriginSymbolShape((const char *const *)nullptr, 0), Status);
  SAME(h.GetProducer(), GNode &);
  const EsCTensorHolder &ch = h;
  SAME(ch.GetOutIndex(), int32_t);
  SAME(h.GetOwnerBuilder(), EsCGraphBuilder &);
}
// ---- converters ----
void Converters(EsCGraphBuilder *g) {
  const float v[1] = {1};
  const int64_t d[1] = {1};
  SAME(CreateTensor(v, d, 1, DT_FLOAT), std::unique_ptr<Tensor>);
  SAME(CreateTensorFromFile<float>("p", {1}, DT_FLOAT), std::unique_ptr<Tensor>);
  SAME(EsCreateConst(g, v, d, 1, DT_FLOAT), EsCTensorHolder *);
  SAME(EsCreateConstV2(g, v, d, 1, DT_FLOAT, FORMAT_ND), EsCTensorHolder *);
  SAME(TensorsToEsCTensorHolders(std::vector<H>{}), std::vector<EsCTensorHolder *>);
  SAME(DataTypesToEsCDataTypes(std::vector<DataType>{}), std::vector<C_DataType>);
  SAME(ListListTypeToPtrAndCounts<int64_t>(std::vector<std::vector<int64_t>>{}),
       std::pair<std::vector<const int64_t *>, std::vector<int64_t>>);
  SAME(GeGraphsToEsCGraphs(std::vector<std::unique_ptr<Graph>>{}), std::vector<EsCGraph *>);
}
// ---- assertions ----
struct Anything {};
EsCTensorHolder *p44(void *v) {
  ES_ASSERT_NOTNULL(v);
  ES_ASSERT_NOTNULL(v, "message %d", 1);
  ES_ASSERT_TRUE(v != nullptr);
  ES_ASSERT_GRAPH_SUCCESS(GRAPH_SUCCESS);
  ES_ASSERT_SUCCESS(SUCCESS);
  ES_ASSERT_RT_OK(0);
  ES_ASSERT_EOK(0);
  ES_ASSERT(true, 1, "x");
  return nullptr;
}
bool Flag(void *v) {
  ES_ASSERT_NOTNULL(v);
  return true;
}
graphStatus GraphStatus(void *v) {
  ES_ASSERT_NOTNULL(v);
  return GRAPH_SUCCESS;
}
std::unique_ptr<int> Unique(void *v) {
  ES_ASSERT_NOTNULL(v);
  return nullptr;
}
std::shared_ptr<int> Shared(void *v) {
  ES_ASSERT_NOTNULL(v);
  return nullptr;
}
std::vector<int> Vector(void *v) {
  ES_ASSERT_NOTNULL(v);
  return {};
}
std::string Text(void *v) {
  ES_ASSERT_NOTNULL(v);
  return "";
}
Anything Other(void *v) {
  ES_ASSERT_NOTNULL(v);
  return {};
}
struct Hy {
  bool IsSuccess() const { return true; }
};
bool Hyper() {
  ES_ASSERT_HYPER_SUCCESS(Hy());
  return true;
}
SAME(CreateErrorMsg("%d", 1), std::vector<char>);
SAME(CreateErrorMsg(), std::vector<char>);
SAME(EsMakeUnique<int>(1), std::unique_ptr<int>);
bool i1 = IntegerChecker<int32_t>::Compat(int64_t{1});

// ---- what a failed assertion says ----
bool WithMessage(void *p, const char *n) {
  ES_ASSERT_NOTNULL(p, "no %s of %d", n, 3);
  return true;
}
bool WithDummy(int s) {
  ES_ASSERT_SUCCESS(s, s, "status of %s", "x");
  return true;
}
bool Bare(bool o) {
  ES_ASSERT_TRUE(o);
  return true;
}
bool OnlyDummy(bool o) {
  ES_ASSERT_TRUE(o, nullptr);
  return true;
}
bool OnlyText(bool o) {
  ES_ASSERT_TRUE(o, "only text");
  return true;
}

int main() {
  std::ostringstream said;
  std::streambuf *before = std::cerr.rdbuf(said.rdbuf());
  bool any = WithMessage(nullptr, "n") || WithDummy(1) || Bare(false) || OnlyDummy(false) || OnlyText(false);
  std::cerr.rdbuf(before);
  std::istringstream lines(said.str());
  const char *ends[] = {"WithMessage no n of 3", "WithDummy status of x", "Bare Assert failed: (o)",
                        "OnlyDummy Assert failed: (o)", "OnlyText only text"};
  int failures = any ? 1 : 0;
  for (const char *end : ends) {
    std::string line, tail = end;
    std::getline(lines, line);
    if (line.find("es_contract.cpp:") != std::string::npos && line.size() > tail.size() &&
        line.compare(line.size() - tail.size(), tail.size(), tail) == 0)
      continue;
    std::cerr << "expected '" << end << "' at the end of '" << line << "'\n";
    ++failures;
  }
  return failures;
}
