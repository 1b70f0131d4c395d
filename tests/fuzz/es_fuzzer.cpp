// libFuzzer target of the C functions that build graphs (esb_funcs.h, ge/es_node.h): the bytes are a program of calls,
// whose arguments are handles that earlier calls made, null, small arrays and numbers of every size. Only what C itself
// forbids is left out: handles that were destroyed, and arrays shorter than the call says.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "bytes.h"
#include "esb_funcs.h"
#include "ge/es_node.h"
#include "ge/graph.h"
#include "ge/op.h"
#include "ge/serialize.h"
#include "ge/tensor.h"

namespace {

using fuzz::Bytes;

constexpr size_t kElements = 64;

class Program {
 public:
  Program(const uint8_t *data, size_t size) : bytes_(data, size) {}
  ~Program() {
    for (EsCGraph *graph : graphs_) GeEsGraphDestroy(graph);
    for (EsCTensor *tensor : tensors_) GeEsTensorDestroy(tensor);
    for (EsCGraphBuilder *builder : builders_) EsDestroyGraphBuilder(builder);
  }
  void Run() {
    Keep(&builders_, EsCreateGraphBuilder("first"));
    for (int calls = 0; calls < 60 && !bytes_.done(); ++calls) Call();
    for (EsCGraphBuilder *builder : builders_) Build(builder);
  }

 private:
  template <class T>
  static void Keep(std::vector<T *> *list, T *made) {
    if (made != nullptr) list->push_back(made);
  }
  /// One of the list; seldom null.
  template <class T>
  T *Some(const std::vector<T *> &list) {
    const size_t which = bytes_.Byte();
    return list.empty() || which == 255 ? nullptr : list[which % list.size()];
  }
  const char *Name() {
    static constexpr const char *kNames[] = {"x", "y", "index", "value", "", "Data", "Const", "RefData", "Variable"};
    const size_t which = bytes_.Below(std::size(kNames) + 3);
    if (which < std::size(kNames)) return kNames[which];
    return which == std::size(kNames) ? nullptr : texts_.emplace_back(bytes_.Text(10)).c_str();
  }
  /// Extents: known ones have at most kElements elements together; a negative one or a product that no memory could
  /// hold must be refused before anything is read.
  std::vector<int64_t> Dims() {
    if (bytes_.Below(4) != 3) return bytes_.SmallShape(4, kElements);
    std::vector<int64_t> dims = bytes_.Numbers(6);
    __int128 count = 1;
    bool bad = false;
    for (int64_t dim : dims) {
      bad = bad || dim < 0;
      if (!bad && count < INT64_C(1) << 62) count *= dim;
    }
    if (!bad && count > static_cast<int64_t>(kElements) && count < INT64_C(1) << 62) dims.assign(1, 2);
    return dims;
  }
  int64_t DimCount(const std::vector<int64_t> &dims) {
    const int64_t said = bytes_.Below(8) == 7 ? bytes_.Number() : static_cast<int64_t>(dims.size());
    return said > static_cast<int64_t>(dims.size()) ? static_cast<int64_t>(dims.size()) : said;
  }

  void Call() {
    switch (bytes_.Below(14)) {
      case 0:
        return Input();
      case 1:
        return Const();
      case 2:
        return Tensor();
      case 3:
        return Describe();
      case 4:
        return Output();
      case 5:
        return Control();
      case 6:
        return Attributes();
      case 7:
        return Builder();
      case 8:
        return Build(Some(builders_));
      default:
        return Node();
    }
  }
  void Builder() {
    if (builders_.size() < 4) Keep(&builders_, EsCreateGraphBuilder(Name()));
  }
  void Input() {
    EsCGraphBuilder *builder = Some(builders_);
    switch (bytes_.Below(3)) {
      case 0:
        return Keep(&holders_, EsCreateGraphInput(builder, bytes_.Number()));
      case 1:
        return Keep(&holders_, EsCreateVariable(builder, static_cast<int32_t>(bytes_.Number()), Name()));
    }
    const std::vector<int64_t> dims = bytes_.Numbers(6);
    const int64_t index = bytes_.Number();
    const char *name = Name(), *type = Name();
    const auto data_type = static_cast<C_DataType>(bytes_.Below(C_DT_MAX + 3));
    const auto format = static_cast<C_Format>(bytes_.Below(C_FORMAT_END + 3));
    Keep(&holders_,
         EsCreateGraphInputWithDetails(builder, index, name, type, data_type, format, dims.data(), DimCount(dims)));
  }
  void Const() {
    EsCGraphBuilder *builder = Some(builders_);
    const std::vector<int64_t> dims = Dims();
    int64_t wide[kElements] = {};
    float real[kElements] = {};
    int32_t narrow[kElements] = {};
    for (size_t i = 0; i < 4; ++i) wide[i] = narrow[i] = static_cast<int32_t>(bytes_.Number());
    const int64_t count = DimCount(dims) < static_cast<int64_t>(dims.size()) ? 0 : static_cast<int64_t>(dims.size());
    switch (bytes_.Below(6)) {
      case 0:
        return Keep(&holders_, EsCreateConstInt64(builder, wide, dims.data(), count));
      case 1:
        return Keep(&holders_, EsCreateConstInt32(builder, narrow, dims.data(), count));
      case 2:
        return Keep(&holders_, EsCreateConstFloat(builder, real, dims.data(), count));
      case 3:
        return Keep(&holders_, EsCreateVectorInt64(builder, wide, static_cast<int64_t>(bytes_.Below(kElements))));
      case 4:
        return Keep(&holders_, EsCreateScalarFloat(builder, static_cast<float>(bytes_.Byte())));
      default:
        return Keep(&holders_, EsCreateScalarInt32(builder, narrow[0]));
    }
  }
  void Tensor() {
    static constexpr int64_t kContent[kElements * 2] = {};
    const std::vector<int64_t> dims = Dims();
    const auto data_type = static_cast<C_DataType>(bytes_.Below(C_DT_MAX + 3));
    const auto format = static_cast<C_Format>(bytes_.Below(C_FORMAT_END + 3));
    const bool scalar = bytes_.Below(8) == 7;
    Keep(&tensors_, EsCreateEsCTensor(kContent, scalar ? nullptr : dims.data(), static_cast<int64_t>(dims.size()),
                                      data_type, format));
  }
  void Describe() {
    EsCTensorHolder *holder = Some(holders_);
    const std::vector<int64_t> dims = bytes_.Numbers(8);
    EsSetShape(holder, dims.data(), DimCount(dims));
    EsSetDataType(holder, static_cast<C_DataType>(bytes_.Below(C_DT_MAX + 3)));
    EsSetFormat(holder, static_cast<C_Format>(bytes_.Below(C_FORMAT_END + 3)));
    const char *texts[] = {Name(), Name()};
    EsSetOriginSymbolShape(holder, texts, static_cast<int64_t>(bytes_.Below(3)));
  }
  void Output() {
    EsCTensorHolder *holder = Some(holders_);
    EsSetGraphOutput(holder, bytes_.Number());
  }
  void Control() {
    std::vector<EsCTensorHolder *> from(bytes_.Below(4));
    for (EsCTensorHolder *&each : from) each = Some(holders_);
    EsAddControlEdge(Some(holders_), from.data(), static_cast<int64_t>(from.size()) - (bytes_.Below(16) == 15 ? 5 : 0));
  }
  void Attributes() {
    EsCTensorHolder *holder = Some(holders_);
    EsCGraphBuilder *builder = Some(builders_);
    const char *name = Name(), *value = Name();
    const int64_t number = bytes_.Number();
    switch (bytes_.Below(5)) {
      case 0:
        EsSetInt64AttrForGraph(builder, name, number);
        break;
      case 1:
        EsSetStringAttrForGraph(builder, name, value);
        break;
      case 2:
        EsSetInt64AttrForTensor(holder, name, number);
        break;
      case 3:
        EsSetStringAttrForNode(holder, name, value);
        break;
      default:
        EsSetBoolAttrForNode(holder, name, number != 0);
        break;
    }
    EsGetProducer(holder);
    EsGetOwnerBuilder(holder);
    GeEsHolderIndex(holder);
  }

  GeEsInput InputOf(const GeIrPort &port) {
    GeEsInput input = {};
    if (port.kind != GE_IR_DYNAMIC) {
      input.one = port.kind == GE_IR_OPTIONAL && bytes_.Flag() ? nullptr : Some(holders_);
      return input;
    }
    auto &many = lists_.emplace_back(bytes_.Below(4));
    for (EsCTensorHolder *&each : many) each = Some(holders_);
    input.many = many.data();
    input.many_count = static_cast<int64_t>(many.size()) - (bytes_.Below(32) == 31 ? 6 : 0);
    return input;
  }
  GeEsAttr AttrOf(const GeOpSchema &schema) {
    GeEsAttr attr = {};
    attr.ir_index = static_cast<uint32_t>(bytes_.Below(schema.attr_count + (bytes_.Below(16) == 15 ? 2 : 0)));
    const size_t at = attr.ir_index < schema.attr_count ? attr.ir_index : 0;
    attr.value.type = bytes_.Below(12) == 11 ? C_VT_INT : schema.attrs[at].value.type;
    attr.value.i = attr.value.type == C_VT_BOOL ? bytes_.Flag() : bytes_.Number();
    attr.value.f = static_cast<double>(static_cast<int>(bytes_.Byte()) - 4);
    if (attr.value.type == C_VT_TENSOR) attr.tensor = TakeTensor();
    if (attr.value.type == C_VT_STRING) {
      attr.value.s = Name();
      if (attr.value.s != nullptr) attr.value.count = std::char_traits<char>::length(attr.value.s);
    } else if (attr.value.type == C_VT_LIST_INT) {
      const auto &list = numbers_.emplace_back(bytes_.Numbers(6));
      attr.value.list = list.data();
      attr.value.count = list.size();
    }
    return attr;
  }
  /// Handed over by a call that succeeds; it stays in the list until then.
  EsCTensor *TakeTensor() { return Some(tensors_); }

  void Node() {
    const GeOpSchema *schema = GeOpAt(bytes_.Below(GeOpCount()));
    std::vector<GeEsInput> inputs;
    for (size_t i = 0; i < schema->input_count; ++i) inputs.push_back(InputOf(schema->inputs[i]));
    std::vector<int64_t> counts;
    for (size_t i = 0; i < schema->output_count; ++i)
      if (schema->outputs[i].kind == GE_IR_DYNAMIC)
        counts.push_back(bytes_.Below(32) == 31 ? bytes_.Number() : static_cast<int64_t>(bytes_.Below(4)));
    std::vector<GeEsGraph> graphs(schema->graph_count);
    for (size_t i = 0; i < graphs.size(); ++i) {
      const bool dynamic = schema->graphs[i].kind == GE_IR_DYNAMIC;
      auto &many = graph_lists_.emplace_back(1, Some(graphs_));
      if (dynamic) graphs[i].many = many.data(), graphs[i].many_count = static_cast<int64_t>(bytes_.Below(2));
      else graphs[i].one = many[0];
    }
    std::vector<GeEsAttr> attrs(schema->attr_count == 0 ? 0 : bytes_.Below(5));
    for (GeEsAttr &attr : attrs) attr = AttrOf(*schema);
    GeEsCall call = {};
    call.struct_size = sizeof call;
    call.schema = schema;
    call.builder = bytes_.Flag() ? Some(builders_) : nullptr;
    call.inputs = inputs.data();
    call.output_counts = counts.data();
    call.graphs = graphs.data();
    call.attrs = attrs.data();
    call.attr_count = attrs.size();
    Add(call);
  }
  void Add(const GeEsCall &call) {
    std::vector<EsCTensorHolder *> made(call.schema->output_count + 1);
    std::vector<EsCTensorHolder **> many(call.schema->output_count + 1);
    if (GeEsAddNode(&call, made.data(), many.data()) != GE_SUCCESS) return;
    size_t dynamic = 0;
    for (size_t i = 0; i <= call.schema->output_count; ++i) {
      Keep(&holders_, made[i]);
      if (i == call.schema->output_count || call.schema->outputs[i].kind != GE_IR_DYNAMIC) continue;
      for (int64_t k = 0; k < call.output_counts[dynamic]; ++k) Keep(&holders_, many[i][k]);
      ++dynamic;
    }
  }
  void Build(EsCGraphBuilder *builder) {
    EsCGraph *built = EsBuildGraphAndReset(builder);
    if (built == nullptr) return;
    graphs_.push_back(built);
    GeGraph *graph = nullptr;
    if (GeEsGraphRetainGraph(built, &graph) != GE_SUCCESS) std::abort();
    void *data = nullptr;
    size_t size = 0;
    GeGraphVerify(graph);
    GeGraphInfer(graph, nullptr, 0);
    if (GeGraphToBytes(graph, &data, &size) == GE_SUCCESS) {
      GeGraph *again = nullptr;
      if (GeGraphCreate("again", &again) != GE_SUCCESS || GeGraphFromBytes(again, data, size) != GE_SUCCESS) {
        std::fprintf(stderr, "what the library wrote it does not read: %s\n", GeLastErrorMessage());
        std::abort();
      }
      GeGraphDestroy(again);
      GeBytesDestroy(data);
    }
    GeGraphDestroy(graph);
  }

  Bytes bytes_;
  std::vector<EsCGraphBuilder *> builders_;
  std::vector<EsCTensorHolder *> holders_;
  std::vector<EsCTensor *> tensors_;
  std::vector<EsCGraph *> graphs_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<EsCTensorHolder *>> lists_;
  std::deque<std::vector<EsCGraph *>> graph_lists_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Program(data, size).Run();
  return 0;
}
