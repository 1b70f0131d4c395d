// libFuzzer target of what programs and libraries register by the C ABI. The first byte picks the kind of table, the
// others are its fields: numbers at their extremes, lists that are null, sizes that are none, functions that are null
// or answer anything. An engine that is taken then compiles and runs a small graph.
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bytes.h"
#include "ge/engine.h"
#include "ge/flow.h"
#include "ge/model.h"
#include "ge/op.h"
#include "ge/parser_plugin.h"
#include "ge/pass.h"
#include "ge/scope_fusion.h"
#include "ge/tensorflow.h"
#include "lying_engine.h"
#include "small_graph.h"

namespace {

using fuzz::Bytes;

constexpr size_t kSizeFirst = sizeof(size_t);  // struct_size is the first member

template <class T>
const T *Table(const std::unique_ptr<uint8_t[]> &block) {
  return reinterpret_cast<const T *>(block.get());
}

const char *Name(Bytes *bytes, std::string *room) {
  static constexpr const char *kNames[] = {"fuzz::Pass", "fuzz::Other", "Add", "ai.onnx::11::Add", "", "Neg"};
  const size_t which = bytes->Below(std::size(kNames) + 2);
  if (which < std::size(kNames)) return kNames[which];
  return which == std::size(kNames) ? nullptr : (*room = bytes->Text(12)).c_str();
}

void Run(GeModel *model) {
  GeRunContext *context = nullptr;
  if (GeRunContextCreate(model, &context) != GE_SUCCESS) return;
  float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const int64_t dims[] = {2, 4};
  GeTensorData inputs[2] = {}, outputs[1] = {};
  for (GeTensorData &input : inputs) {
    input.data_type = C_DT_FLOAT;
    input.format = input.origin_format = C_FORMAT_ND;
    input.rank = input.origin_rank = 2;
    input.dims = input.origin_dims = dims;
    input.data = values;
    input.size = sizeof values;
  }
  for (int round = 0; round < 2; ++round) {
    outputs[0] = {};
    if (GeRun(context, inputs, 2, outputs, 1) == GE_SUCCESS && outputs[0].size != 0 && outputs[0].data == nullptr)
      std::abort();
  }
  GeRunContextDestroy(context);
}

void Open(GeGraph *graph) {
  GeNode *input = nullptr;
  fuzz::Must(GeGraphFindNode(graph, "a", &input));
  const int64_t dims[] = {-1, 4};
  GeTensorData desc = {};
  desc.data_type = C_DT_FLOAT;
  desc.format = desc.origin_format = C_FORMAT_ND;
  desc.rank = desc.origin_rank = 2;
  desc.dims = desc.origin_dims = dims;
  fuzz::Must(GeNodeSetOutputDesc(input, 0, &desc));
}

void Engine(Bytes *bytes) {
  fuzz::Lies lies(bytes);
  const fuzz::LyingEngine engine(bytes, &lies);
  const GeStatus status = GeEngineRegister(engine.table(), bytes->Flag() ? nullptr : "key=value");
  if (status == GE_SUCCESS) {
    GeGraph *graph = fuzz::SmallGraph();
    if (bytes->Flag()) Open(graph);
    GeOptions *options = nullptr;
    GeModel *model = nullptr;
    fuzz::Must(GeOptionsCreate(&options));
    fuzz::Must(GeOptionsSet(options, "threads", "1"));
    // The passes take most of the time, and are no matter of the table but for its hooks.
    fuzz::Must(GeOptionsSet(options, "opt_level", bytes->Below(8) == 7 ? "2" : "0"));
    if (GeCompile(graph, options, &model) == GE_SUCCESS) Run(model);
    GeModelDestroy(model);
    GeOptionsDestroy(options);
    GeGraphDestroy(graph);
  }
  if (engine.name() != nullptr) GeEngineUnload(engine.name());
}

int g_destroyed = 0;
void Destroy(void *) { ++g_destroyed; }
GeStatus g_status = GE_SUCCESS;  // what the functions of a table answer

GeStatus RunPass(void *, GeGraph *graph) {
  GeNode *node = nullptr;
  if (g_status == GE_SUCCESS && GeGraphFindNode(graph, "out", &node) == GE_SUCCESS) GeGraphRemoveNode(graph, node);
  return g_status;
}

/// A model of the small graph without engines: every pass runs, and placement refuses it.
void Compile() {
  GeGraph *graph = fuzz::SmallGraph();
  GeModel *model = nullptr;
  if (GeCompile(graph, nullptr, &model) == GE_SUCCESS) GeModelDestroy(model);
  GeGraphDestroy(graph);
}

/// `destroy` is called once, whether the table was taken or not; a table that is too short may lack it.
void Destroyed(bool has_destroy, int before) {
  if (has_destroy && g_destroyed != before + 1) std::abort();
}

void Pass(Bytes *bytes) {
  std::string room;
  GePassTable table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.name = Name(bytes, &room);
  table.stage = static_cast<int32_t>(bytes->Number());
  table.level = static_cast<int32_t>(bytes->Number());
  table.run = bytes->Below(8) == 7 ? nullptr : &RunPass;
  table.destroy = bytes->Flag() ? &Destroy : nullptr;
  const bool whole = table.struct_size == sizeof table && table.destroy != nullptr;
  const int before = g_destroyed;
  const auto block = Exactly(table, kSizeFirst, bytes);
  if (GePassRegister(Table<GePassTable>(block)) == GE_SUCCESS) {
    GeGraph *graph = fuzz::SmallGraph();
    GePassRun(table.name, graph);
    GeGraphVerify(graph);
    GeGraphDestroy(graph);
    Compile();
    GePassUnregister(table.name);
  }
  Destroyed(whole, before);
}

GeStatus CreateInstance(void *, void **instance) {
  *instance = nullptr;
  return g_status == 12345 ? GE_FAILED : GE_SUCCESS;
}
GeStatus RunCustomPass(void *, void *, GeGraph *graph, GePassContext *context) {
  GePassContextSetError(context, "it is broken");
  return RunPass(nullptr, graph);
}
void DestroyInstance(void *, void *) {}

void CustomPass(Bytes *bytes) {
  std::string room;
  GeCustomPassTable table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.name = Name(bytes, &room);
  table.stage = static_cast<int32_t>(bytes->Number());
  table.kind = static_cast<int32_t>(bytes->Number());
  table.create = bytes->Flag() ? nullptr : &CreateInstance;
  table.run = bytes->Below(8) == 7 ? nullptr : &RunCustomPass;
  table.destroy_instance = bytes->Flag() ? &DestroyInstance : nullptr;
  table.destroy = bytes->Flag() ? &Destroy : nullptr;
  const bool whole = table.struct_size == sizeof table && table.destroy != nullptr;
  const int before = g_destroyed;
  uint64_t token = 0;
  const auto block = Exactly(table, kSizeFirst, bytes);
  GeCustomPassRegister(Table<GeCustomPassTable>(block), &token);
  Compile();
  GeCustomPassUnregister(token);
  Destroyed(whole, before);
}

GeStatus Parse(void *, const GeFrontNode *, GeGraph *graph, GeNode **made) {
  *made = g_status == GE_NOT_CHANGED ? nullptr : fuzz::AddNode(graph, "Neg", "made");
  return g_status;
}

void ParserPlugin(Bytes *bytes) {
  static constexpr int32_t kOrder[] = {1, 0, -1, 7};
  std::string room[3];
  const char *origins[] = {Name(bytes, &room[0]), Name(bytes, &room[1])};
  std::vector<GeInputEdit> edits(bytes->Below(3));
  for (GeInputEdit &edit : edits) {
    edit.kind = static_cast<int32_t>(bytes->Number());
    edit.index = static_cast<int32_t>(bytes->Number());
    edit.name = Name(bytes, &room[2]);
    edit.value = static_cast<int32_t>(bytes->Number());
    edit.order = bytes->Flag() ? kOrder : nullptr;
    edit.order_count = bytes->Below(5);
  }
  GeParserPlugin table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.framework = bytes->Flag() ? GE_FRAMEWORK_ONNX : static_cast<int32_t>(bytes->Number());
  std::string type;
  table.type = Name(bytes, &type);
  table.origin_types = bytes->Below(8) == 7 ? nullptr : origins;
  table.origin_type_count = bytes->Below(3);
  table.edits = bytes->Below(8) == 7 ? nullptr : edits.data();
  table.edit_count = edits.size();
  table.parse = bytes->Below(8) == 7 ? nullptr : &Parse;
  table.destroy = bytes->Flag() ? &Destroy : nullptr;
  const bool whole = table.struct_size == sizeof table && table.destroy != nullptr;
  const int before = g_destroyed;
  uint64_t token = 0;
  const auto block = Exactly(table, kSizeFirst, bytes);
  GeParserPluginRegister(Table<GeParserPlugin>(block), &token);
  const std::string model = bytes->Rest();
  GeGraph *graph = nullptr;
  if (!model.empty() && GeOnnxImportBuffer(model.data(), model.size(), nullptr, nullptr, nullptr, &graph) == GE_SUCCESS)
    GeGraphDestroy(graph);
  GeParserPluginUnregister(token);
  Destroyed(whole, before);
}

GeStatus RunScopePass(void *, const GeFrontNode *const *nodes, size_t count, GeGraph *,
                      GeStatus (*replace)(void *sink, const GeScopeFusion *fusion), void *sink) {
  GeScopeFusion fusion = {};
  fusion.struct_size = sizeof fusion;
  fusion.name = "scope";
  const char *replaced[] = {count != 0 ? nodes[0]->name : "x"};
  fusion.replaced = g_status == GE_FAILED ? nullptr : replaced;
  fusion.replaced_count = 1;
  replace(sink, &fusion);
  return g_status;
}

void ScopePass(Bytes *bytes) {
  std::string room;
  GeScopePass table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.name = Name(bytes, &room);
  table.general = static_cast<int32_t>(bytes->Number());
  table.run = bytes->Below(8) == 7 ? nullptr : &RunScopePass;
  table.destroy = bytes->Flag() ? &Destroy : nullptr;
  const bool whole = table.struct_size == sizeof table && table.destroy != nullptr;
  const int before = g_destroyed;
  uint64_t token = 0;
  const auto block = Exactly(table, kSizeFirst, bytes);
  GeScopePassRegister(Table<GeScopePass>(block), &token);
  const std::string model = bytes->Rest();
  GeGraph *graph = nullptr;
  if (!model.empty() &&
      GeTensorFlowImportBuffer(model.data(), model.size(), nullptr, 0, nullptr, nullptr, &graph) == GE_SUCCESS)
    GeGraphDestroy(graph);
  GeScopeFusionUnregister(token);
  Destroyed(whole, before);
}

GeStatus ParseFusion(void *, const char *, const GeFrontNode *const *, size_t, GeGraph *graph, GeNode **made) {
  return Parse(nullptr, nullptr, graph, made);
}

void FusionParser(Bytes *bytes) {
  std::string room[3];
  const char *origins[] = {Name(bytes, &room[0]), Name(bytes, &room[1])};
  GeFusionParser table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.type = Name(bytes, &room[2]);
  table.origin_types = bytes->Below(8) == 7 ? nullptr : origins;
  table.origin_type_count = bytes->Below(3);
  table.parse = bytes->Below(8) == 7 ? nullptr : &ParseFusion;
  table.destroy = bytes->Flag() ? &Destroy : nullptr;
  const bool whole = table.struct_size == sizeof table && table.destroy != nullptr;
  const int before = g_destroyed;
  uint64_t token = 0;
  const auto block = Exactly(table, kSizeFirst, bytes);
  GeFusionParserRegister(Table<GeFusionParser>(block), &token);
  GeScopeFusionUnregister(token);
  Destroyed(whole, before);
}

std::vector<GeIrPort> Ports(Bytes *bytes, std::deque<std::string> *rooms) {
  static constexpr const char *kTypes[] = {"T",        "TensorType({DT_FLOAT})", "TensorType({", "",
                                           "DT_INT32", "Promote({\"T\"})"};
  std::vector<GeIrPort> ports(bytes->Below(4));
  for (GeIrPort &port : ports) {
    port.name = Name(bytes, &rooms->emplace_back());
    port.kind = static_cast<int32_t>(bytes->Below(8) == 7 ? bytes->Number() : static_cast<int64_t>(bytes->Below(3)));
    const size_t type = bytes->Below(std::size(kTypes) + 2);
    port.data_types = type < std::size(kTypes) ? kTypes[type] : nullptr;
    if (type > std::size(kTypes)) port.data_types = rooms->emplace_back(bytes->Text(24)).c_str();
  }
  return ports;
}

/// The library keeps what it takes until the process ends: a few types, each of which keeps its first schema.
void Schema(Bytes *bytes) {
  static constexpr const char *kTypes[] = {"FuzzOpA", "FuzzOpB", "FuzzOpC", "Add", "", nullptr};
  std::deque<std::string> rooms;
  GeOpSchema table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.type = kTypes[bytes->Below(std::size(kTypes))];
  const std::vector<GeIrPort> inputs = Ports(bytes, &rooms), outputs = Ports(bytes, &rooms);
  table.inputs = bytes->Below(16) == 15 ? nullptr : inputs.data();
  table.input_count = inputs.size();
  table.outputs = bytes->Below(16) == 15 ? nullptr : outputs.data();
  table.output_count = outputs.size();
  std::vector<GeIrAttr> attrs(bytes->Below(3));
  for (GeIrAttr &attr : attrs) {
    attr.value.name = Name(bytes, &rooms.emplace_back());
    attr.value.type = static_cast<int32_t>(bytes->Flag() ? bytes->Number() : static_cast<int64_t>(bytes->Below(5)));
    attr.value.i = bytes->Number();
    attr.required =
        static_cast<int32_t>(bytes->Below(4) == 3 ? bytes->Number() : static_cast<int64_t>(bytes->Below(2)));
  }
  table.attrs = attrs.data();
  table.attr_count = attrs.size();
  std::vector<GeIrGraph> graphs(bytes->Below(2));
  for (GeIrGraph &graph : graphs) {
    graph.name = Name(bytes, &rooms.emplace_back());
    graph.kind = static_cast<int32_t>(bytes->Number());
  }
  table.graphs = graphs.data();
  table.graph_count = graphs.size();
  const auto block = Exactly(table, kSizeFirst, bytes);
  GeOpRegister(Table<GeOpSchema>(block), nullptr);
}

int32_t Process(void *, void *, const GeFlowHost *, const GeFlowMessage *const *, size_t) { return 0; }

void FlowFunction(Bytes *bytes) {
  std::string room;
  GeFlowFunction table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.name = Name(bytes, &room);
  table.streams = static_cast<int32_t>(bytes->Number());
  table.reserved = bytes->Below(8) == 7 ? 1 : 0;
  table.process = bytes->Below(8) == 7 ? nullptr : &Process;
  uint64_t token = 0;
  const auto block = Exactly(table, kSizeFirst, bytes);
  GeFlowFunctionRegister(Table<GeFlowFunction>(block), &token);
  GeFlowFunctionUnregister(token);
}

void Traits(Bytes *bytes) {
  static constexpr const char *kTypes[] = {"FuzzA", "FuzzB", "Add", ""};
  GeOpTraits table = {};
  table.struct_size = fuzz::StructSize(bytes, sizeof table);
  table.flags = bytes->Flag() ? bytes->Raw<uint64_t>() : bytes->Byte();
  table.control_flow = static_cast<int32_t>(bytes->Number());
  table.fused_opcode = static_cast<int32_t>(bytes->Number());
  const auto block = Exactly(table, kSizeFirst, bytes);
  const char *type = kTypes[bytes->Below(std::size(kTypes))];
  GeOpSetTraits(type, Table<GeOpTraits>(block));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes(data, size);
  const size_t kind = bytes.Below(20);
  g_status = fuzz::SomeStatus(&bytes);
  switch (kind) {
    case 0:
      Pass(&bytes);
      break;
    case 1:
      CustomPass(&bytes);
      break;
    case 2:
      ParserPlugin(&bytes);
      break;
    case 3:
      ScopePass(&bytes);
      break;
    case 4:
      FlowFunction(&bytes);
      break;
    case 5:
      Traits(&bytes);
      break;
    case 6:
      FusionParser(&bytes);
      break;
    case 7:
      Schema(&bytes);
      break;
    default:
      Engine(&bytes);
      break;
  }
  return 0;
}
