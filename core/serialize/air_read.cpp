#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mutex>

#include "core/ir/types.h"
#include "core/ops/registry.h"
#include "core/serialize/air.h"
#include "core/serialize/air_wire.h"
#include "core/support/cancel.h"
#include "core/support/memory.h"

namespace gec {
namespace {

constexpr int32_t kMaxInstances = 1 << 20;  // of one dynamic input or output

[[noreturn]] void Invalid(const std::string &what) { Fail(GE_MODEL_INVALID, "not a valid AIR file: ", what); }

// Builds a schema whose memory lives on with the definition made of it.
struct SchemaStore {
  std::string type, family, brief;
  struct Port {
    std::string name, data_types;
    int32_t kind = 0;
  };
  struct Attr {
    std::string name;
    int32_t type = 0;
    bool required = false;
    AttrValue fallback;
  };
  std::vector<Port> inputs, outputs;
  std::vector<Attr> attrs;
  std::vector<std::pair<std::string, int32_t>> graphs;
  std::vector<std::pair<std::string, std::string>> symbols;
  std::vector<GeIrPort> input_views, output_views;
  std::vector<GeIrAttr> attr_views;
  std::vector<GeIrGraph> graph_views;
  std::vector<GeIrSymbol> symbol_views;
  AttrViewArena arena;
  GeOpSchema schema{};

  void Finish() {
    for (const Port &p : inputs) input_views.push_back({p.name.c_str(), p.kind, 0, p.data_types.c_str()});
    for (const Port &p : outputs) output_views.push_back({p.name.c_str(), p.kind, 0, p.data_types.c_str()});
    for (const Attr &a : attrs) {
      GeIrAttr view{};
      view.value = arena.View(a.name.c_str(), a.fallback);
      view.value.type = a.type;
      view.required = a.required;
      attr_views.push_back(view);
    }
    for (const auto &[name, kind] : graphs) graph_views.push_back({name.c_str(), kind, 0});
    for (const auto &[name, range] : symbols) symbol_views.push_back({name.c_str(), range.c_str()});
    schema = {sizeof(GeOpSchema), type.c_str(),        family.c_str(),      brief.c_str(),       input_views.data(),
              input_views.size(), output_views.data(), output_views.size(), attr_views.data(),   attr_views.size(),
              graph_views.data(), graph_views.size(),  symbol_views.data(), symbol_views.size(), nullptr};
  }
};

struct Pending {  // what can only be connected once every node exists
  Node *node;
  std::vector<std::string> inputs, controls;
  std::string own_name;
};

class Loader {
 public:
  static Shape ReadShape(AirReader r) {
    bool unknown = false;
    std::vector<int64_t> dims;
    while (r.Next()) {
      if (r.field() == 1) unknown = r.Uint() != 0;
      if (r.field() == 2) r.SignedsTo(dims);
    }
    if (unknown || Shape::SaysUnknownRank(dims.data(), static_cast<int64_t>(dims.size()))) return Shape::UnknownRank();
    if (dims.size() > GE_MAX_RANK) Invalid(Str("a shape has rank ", dims.size(), ", the limit is ", GE_MAX_RANK));
    for (int64_t d : dims) {
      if (d < -1) Invalid(Str("a shape has dimension ", d));
    }
    return Shape(dims.data(), dims.size());
  }

  std::pair<std::string, AttrValue> ReadNamed(AirReader r) {
    std::pair<std::string, AttrValue> named;
    while (r.Next()) {
      if (r.field() == 1) named.first = r.Text();
      if (r.field() == 2) named.second = ReadAttr(r.Nested());
    }
    if (named.first.empty()) Invalid("an attribute has no name");
    return named;
  }

  TensorDesc ReadDesc(AirReader r) {
    TensorDesc desc;
    desc.format = desc.origin_format = 0;
    bool has_origin = false;
    while (r.Next()) {
      switch (r.field()) {
        case 1:
          desc.dtype = r.Int();
          break;
        case 2:
          desc.format = r.Int();
          break;
        case 3:
          desc.origin_format = r.Int();
          break;
        case 4:
          desc.shape = ReadShape(r.Nested());
          break;
        case 5:
          desc.origin_shape = ReadShape(r.Nested());
          has_origin = true;
          break;
        case 6: {
          auto [name, value] = ReadNamed(r.Nested());
          if (!desc.attrs) desc.attrs = std::make_shared<AttrMap>();
          desc.attrs->Set(name, std::move(value));
          break;
        }
        default:
          break;
      }
    }
    if (!has_origin) desc.origin_shape = desc.shape;
    if (!IsDataTypeValue(desc.dtype)) Invalid(Str("data type ", desc.dtype, " is unknown"));
    if (!IsFormatValue(desc.format) || !IsFormatValue(desc.origin_format)) {
      Invalid(Str("format ", desc.format, " or ", desc.origin_format, " is unknown"));
    }
    return desc;
  }

  TensorPtr ReadTensor(AirReader r) {
    auto tensor = std::make_shared<Tensor>();
    bool has_data = false, has_desc = false;
    const uint8_t *data = nullptr;
    uint64_t size = 0;
    while (r.Next()) {
      if (r.field() == 1) {
        tensor->desc = ReadDesc(r.Nested());
        has_desc = true;
      } else if (r.field() == 2) {
        has_data = r.Uint() != 0;
      } else if (r.field() == 3) {
        data = r.data();
        size = r.length();
      }
    }
    if (!has_data) return tensor;
    if (!has_desc) Invalid("a tensor has no description");
    uint64_t wanted;
    try {
      wanted = tensor->desc.bytes();
    } catch (const Error &e) {
      Invalid(e.what());
    }
    if (size != wanted) Invalid(Str("a tensor has ", size, " bytes, its type and shape ask for ", wanted));
    for (uint64_t i = 0; tensor->desc.dtype == C_DT_BOOL && i < size; ++i) {
      if (data[i] > 1) Invalid(Str("a bool is ", int{data[i]}, ", expected 0 or 1"));
    }
    std::shared_ptr<Buffer> &buffer = buffers_[data];
    if (!buffer || buffer->size() != size) buffer = Buffer::Copy(data, size);
    tensor->buffer = buffer;
    return tensor;
  }

  // The fields of an attribute's message; its type tells which of them holds the value.
  struct AttrFields {
    int32_t type = C_VT_NONE;
    int64_t i = 0;
    float f = 0;
    std::string s;
    TensorPtr t = std::make_shared<Tensor>();
    std::vector<int64_t> ints;
    std::vector<float> floats;
    AttrValue::ListString strings;
    AttrValue::ListTensor tensors;
    AttrValue::ListListInt int_lists;
    AttrValue::ListListFloat float_lists;
  };

  AttrFields ReadAttrFields(AirReader r) {
    AttrFields a;
    while (r.Next()) {
      switch (r.field()) {
        case 1:
          a.type = r.Int();
          break;
        case 2:
          a.i = r.Signed();
          break;
        case 3:
          a.f = r.Float();
          break;
        case 4:
          a.s = r.Text();
          break;
        case 5:
          a.t = ReadTensor(r.Nested());
          break;
        case 6:
          r.SignedsTo(a.ints);
          break;
        case 7:
          r.FloatsTo(a.floats);
          break;
        case 8:
          a.strings.push_back(r.Text());
          break;
        case 9:
          a.tensors.push_back(ReadTensor(r.Nested()));
          break;
        case 10: {
          AirReader list = r.Nested();
          a.int_lists.emplace_back();
          while (list.Next()) {
            if (list.field() == 1) list.SignedsTo(a.int_lists.back());
          }
          break;
        }
        case 11: {
          AirReader list = r.Nested();
          a.float_lists.emplace_back();
          while (list.Next()) {
            if (list.field() == 1) list.FloatsTo(a.float_lists.back());
          }
          break;
        }
        default:
          break;
      }
    }
    return a;
  }

  static DataTypeValue CheckedDataType(int64_t v) {
    if (v < INT32_MIN || v > INT32_MAX || !IsDataTypeValue(static_cast<int32_t>(v)))
      Invalid(Str("data type ", v, " is unknown"));
    return DataTypeValue{static_cast<int32_t>(v)};
  }

  AttrValue ReadAttr(AirReader r) {
    AttrFields a = ReadAttrFields(r);
    switch (a.type) {
      case C_VT_NONE:
        return AttrValue();
      case C_VT_INT:
        return AttrValue(a.i);
      case C_VT_BOOL:
        return AttrValue(a.i != 0);
      case C_VT_DATA_TYPE:
        return AttrValue(CheckedDataType(a.i));
      case C_VT_FLOAT:
        return AttrValue(a.f);
      case C_VT_STRING:
        return AttrValue(std::move(a.s));
      case C_VT_BYTES:
        return AttrValue(Bytes{{a.s.begin(), a.s.end()}});
      case C_VT_TENSOR:
        return AttrValue(std::move(a.t));
      case C_VT_LIST_INT:
        return AttrValue(std::move(a.ints));
      case C_VT_LIST_FLOAT:
        return AttrValue(std::move(a.floats));
      case C_VT_LIST_BOOL: {
        AttrValue::ListBool list;
        for (int64_t v : a.ints) list.push_back(v != 0);
        return AttrValue(std::move(list));
      }
      case C_VT_LIST_DATA_TYPE: {
        AttrValue::ListType list;
        for (int64_t v : a.ints) list.push_back(CheckedDataType(v));
        return AttrValue(std::move(list));
      }
      case C_VT_LIST_STRING:
        return AttrValue(std::move(a.strings));
      case C_VT_LIST_TENSOR:
        return AttrValue(std::move(a.tensors));
      case C_VT_LIST_LIST_INT:
        return AttrValue(std::move(a.int_lists));
      case C_VT_LIST_LIST_FLOAT:
        return AttrValue(std::move(a.float_lists));
      default:
        Invalid(Str("an attribute has the unknown type ", a.type));
    }
  }

  static void ReadPort(AirReader r, std::vector<SchemaStore::Port> &to) {
    SchemaStore::Port p;
    while (r.Next()) {
      if (r.field() == 1) p.name = r.Text();
      if (r.field() == 2) p.kind = r.Int();
      if (r.field() == 3) p.data_types = r.Text();
    }
    to.push_back(std::move(p));
  }

  SchemaStore::Attr ReadSchemaAttr(AirReader r, const std::string &type) {
    SchemaStore::Attr a;
    while (r.Next()) {
      if (r.field() == 1) a.name = r.Text();
      if (r.field() == 2) a.type = r.Int();
      if (r.field() == 3) a.required = r.Uint() != 0;
      if (r.field() == 4) a.fallback = ReadAttr(r.Nested());
    }
    if (!a.required && a.fallback.type() != a.type) {
      Invalid(Str("attribute '", a.name, "' of '", type, "' has a default of another type"));
    }
    return a;
  }

  void ReadSchema(AirReader r, SchemaStore &store) {
    while (r.Next()) {
      switch (r.field()) {
        case 1:
          store.type = r.Text();
          break;
        case 2:
          store.family = r.Text();
          break;
        case 3:
          store.brief = r.Text();
          break;
        case 4:
          ReadPort(r.Nested(), store.inputs);
          break;
        case 5:
          ReadPort(r.Nested(), store.outputs);
          break;
        case 6:
          store.attrs.push_back(ReadSchemaAttr(r.Nested(), store.type));
          break;
        case 7: {
          std::pair<std::string, int32_t> g;
          AirReader f = r.Nested();
          while (f.Next()) {
            if (f.field() == 1) g.first = f.Text();
            if (f.field() == 2) g.second = f.Int();
          }
          store.graphs.push_back(std::move(g));
          break;
        }
        case 8: {
          std::pair<std::string, std::string> s;
          AirReader f = r.Nested();
          while (f.Next()) {
            if (f.field() == 1) s.first = f.Text();
            if (f.field() == 2) s.second = f.Text();
          }
          store.symbols.push_back(std::move(s));
          break;
        }
        default:
          break;
      }
    }
    store.Finish();
  }

  const IrDef *ReadPrototype(AirReader r) {
    // The same bytes give the same definition, so that loading a file again and again makes none.
    static std::mutex *mutex = new std::mutex;
    static auto *known = new std::unordered_map<std::string, const IrDef *>;
    std::string key(reinterpret_cast<const char *>(r.position()), r.remaining());
    std::lock_guard lock(*mutex);
    auto found = known->find(key);
    if (found != known->end()) return found->second;

    auto store = std::make_unique<SchemaStore>();
    ReadSchema(r, *store);
    const IrDef *def = nullptr;
    try {
      def = InternSchema(&store->schema);
    } catch (const Error &e) {
      if (e.code() == GE_OUT_OF_MEMORY) throw;
      Invalid(e.what());
    }
    // A registered prototype replaces an equal one of the file, so that both have the same address.
    if (const OpEntry *entry = OpRegistry::Instance().Find(def->type); entry && SameIr(*entry->ir, *def))
      def = entry->ir;
    known->emplace(std::move(key), def);
    store.release();  // the definition's cache knows the schema by its address
    return def;
  }

  // ---- graphs ----

  static Endpoint ReadEndpoint(Graph &graph, const std::string &text) {
    size_t colon = text.rfind(':');
    if (colon == std::string::npos) Invalid(Str("'", text, "' does not name an output"));
    Node *node = graph.Find(std::string_view(text).substr(0, colon));
    if (!node) Invalid(Str("graph '", graph.name(), "' has no node for '", text, "'"));
    char *end = nullptr;
    long port = strtol(text.c_str() + colon + 1, &end, 10);
    if (end == text.c_str() + colon + 1 || *end || port < 0 || static_cast<size_t>(port) >= node->output_count()) {
      Invalid(Str("'", text, "' does not name an output"));
    }
    return {node, static_cast<int32_t>(port)};
  }

  // The fields of a node's message.
  struct NodeFields {
    std::string name, type, own_name;
    uint64_t prototype = 0;
    std::vector<std::string> inputs, controls;
    std::vector<int32_t> dynamic_inputs, dynamic_outputs;
    std::vector<std::pair<std::string, AttrValue>> attrs;
    std::vector<std::pair<int32_t, TensorDesc>> input_descs;
    std::vector<TensorDesc> output_descs;
    std::vector<SubgraphRef> subgraphs;
    Origins origins;
    PassNames passes;
  };

  NodeFields ReadNodeFields(AirReader r) {
    NodeFields n;
    while (r.Next()) {
      switch (r.field()) {
        case 1:
          n.name = r.Text();
          break;
        case 2:
          n.type = r.Text();
          break;
        case 3:
          n.prototype = r.Uint();
          break;
        case 4:
          n.inputs.push_back(r.Text());
          break;
        case 5:
          n.controls.push_back(r.Text());
          break;
        case 6:
          r.UintsTo(n.dynamic_inputs);
          break;
        case 7:
          r.UintsTo(n.dynamic_outputs);
          break;
        case 8:
          n.attrs.push_back(ReadNamed(r.Nested()));
          break;
        case 9: {
          std::pair<int32_t, TensorDesc> d{0, {}};
          AirReader f = r.Nested();
          while (f.Next()) {
            if (f.field() == 1) d.first = f.Int();
            if (f.field() == 2) d.second = ReadDesc(f.Nested());
          }
          n.input_descs.push_back(std::move(d));
          break;
        }
        case 10:
          n.output_descs.push_back(ReadDesc(r.Nested()));
          break;
        case 11: {
          SubgraphRef ref;
          AirReader f = r.Nested();
          while (f.Next()) {
            if (f.field() == 1) ref.ir_name = f.Text();
            if (f.field() == 2) ref.graph_name = f.Text();
          }
          n.subgraphs.push_back(std::move(ref));
          break;
        }
        case 12:
          n.origins.emplace_back(r.Text());
          break;
        case 13:
          n.passes.emplace_back(r.Text());
          break;
        case 14:
          n.own_name = r.Text();
          break;
        default:
          break;
      }
    }
    return n;
  }

  static const IrDef *CheckedPrototype(const NodeFields &n, const Graph &graph,
                                       const std::vector<const IrDef *> &prototypes) {
    if (n.name.empty()) Invalid(Str("a node of graph '", graph.name(), "' has no name"));
    if (graph.Find(n.name)) Invalid(Str("two nodes of graph '", graph.name(), "' are called '", n.name, "'"));
    if (n.prototype >= prototypes.size())
      Invalid(Str("node '", n.name, "' names prototype ", n.prototype, " of ", prototypes.size()));
    const IrDef *ir = prototypes[n.prototype];
    if (ir->type.view() != n.type)
      Invalid(Str("node '", n.name, "' is of type '", n.type, "', its prototype of '", ir->type.view(), "'"));
    auto check = [&](const std::vector<int32_t> &instances, const char *what) {
      for (int32_t count : instances) {
        if (count > kMaxInstances)
          Invalid(Str("node '", n.name, "' has ", count, " instances of an ", what, ", the limit is ", kMaxInstances));
      }
    };
    check(n.dynamic_inputs, "input");
    check(n.dynamic_outputs, "output");
    return ir;
  }

  void ReadNode(AirReader r, Graph &graph, const std::vector<const IrDef *> &prototypes, std::vector<Pending> &pending,
                std::vector<std::pair<Node *, SubgraphRef>> &calls) {
    NodeFields n = ReadNodeFields(r);
    CheckCancelled([&] { return Str("before node '", n.name, "' of the file"); });
    const IrDef *ir = CheckedPrototype(n, graph, prototypes);
    Node *node = graph.AddNode(ir, n.name, n.dynamic_inputs.data(), n.dynamic_inputs.size(), n.dynamic_outputs.data(),
                               n.dynamic_outputs.size());
    if (n.inputs.size() != node->input_count() || n.output_descs.size() != node->output_count()) {
      Invalid(Str("node '", n.name, "' lists ", n.inputs.size(), " inputs and ", n.output_descs.size(),
                  " outputs, its prototype has ", node->input_count(), " and ", node->output_count()));
    }
    for (auto &[key, value] : n.attrs) graph.SetAttr(node, key, std::move(value));
    for (size_t i = 0; i < n.output_descs.size(); ++i) graph.SetOutputDesc(node, i, std::move(n.output_descs[i]));
    for (auto &[port, desc] : n.input_descs) {
      if (port < 0 || static_cast<size_t>(port) >= node->input_count())
        Invalid(Str("node '", n.name, "' has no input ", port));
      graph.SetInputDesc(node, static_cast<size_t>(port), std::move(desc));
    }
    graph.SetLineage(node, std::move(n.origins), std::move(n.passes));
    pending.push_back({node, std::move(n.inputs), std::move(n.controls), std::move(n.own_name)});
    for (SubgraphRef &ref : n.subgraphs) calls.emplace_back(node, std::move(ref));
  }

  void ReadGraph(AirReader r, Graph &graph, const std::vector<const IrDef *> &prototypes,
                 std::vector<std::pair<Node *, SubgraphRef>> &calls) {
    std::vector<Pending> pending;
    std::vector<std::string> outputs;
    while (r.Next()) {
      switch (r.field()) {
        case 1:
          graph.set_name(r.Text());
          break;
        case 2:
          ReadNode(r.Nested(), graph, prototypes, pending, calls);
          break;
        case 3:
          outputs.push_back(r.Text());
          break;
        case 4: {
          auto [name, value] = ReadNamed(r.Nested());
          graph.SetGraphAttr(name, std::move(value));
          break;
        }
        default:
          break;
      }
    }
    for (const Pending &p : pending) {
      for (size_t i = 0; i < p.inputs.size(); ++i) {
        if (!p.inputs[i].empty()) graph.Connect(ReadEndpoint(graph, p.inputs[i]), p.node, static_cast<int32_t>(i));
      }
      for (const std::string &name : p.controls) {
        Node *from = graph.Find(name);
        if (!from) Invalid(Str("graph '", graph.name(), "' has no node '", name, "'"));
        graph.AddControl(from, p.node);
      }
    }
    std::vector<Endpoint> ends;
    for (const std::string &text : outputs) ends.push_back(ReadEndpoint(graph, text));
    if (!ends.empty()) graph.SetOutputs(std::move(ends));
    for (Pending &p : pending) {
      if (!p.own_name.empty()) graph.RenameNode(p.node, std::move(p.own_name));
    }
  }

  void ReadModel(Graph &root, const uint8_t *data, uint64_t size) {
    if (size == 0) Invalid("it is empty");
    std::vector<const IrDef *> prototypes;
    std::vector<AirReader> graphs;
    uint64_t version = 0;
    AirReader r(data, size);
    while (r.Next()) {
      if (r.field() == 1) version = r.Uint();
      if (r.field() == 3) prototypes.push_back(ReadPrototype(r.Nested()));
      if (r.field() == 4) graphs.push_back(r.Nested());
    }
    if (version != kAirVersion) Invalid(Str("its format version is ", version, ", this library reads ", kAirVersion));
    if (graphs.empty()) Invalid("it holds no graph");
    std::vector<std::pair<Node *, SubgraphRef>> calls;
    ReadGraph(graphs[0], root, prototypes, calls);
    for (size_t i = 1; i < graphs.size(); ++i) {
      GraphPtr sub = Graph::Create("");
      ReadGraph(graphs[i], *sub, prototypes, calls);
      root.AddSubgraph(sub);
    }
    for (const auto &[node, ref] : calls) {
      Graph *sub = root.FindSubgraph(ref.graph_name);
      if (!sub) Invalid(Str("node '", node->name(), "' calls graph '", ref.graph_name, "', which the file lacks"));
      node->graph().AttachSubgraph(node, ref.ir_name, sub->shared_from_this());
    }
  }

 private:
  std::unordered_map<const uint8_t *, std::shared_ptr<Buffer>>
      buffers_;  // by place in the file: reading twice copies once
};

void Clear(Graph &root) {
  for (Node *node : root.Nodes()) root.RemoveNode(node);
  root.SetOutputs({});
  std::vector<std::string> names;
  for (const GraphPtr &sub : root.subgraphs()) names.push_back(sub->name());
  for (const std::string &name : names) root.RemoveSubgraph(name);
  std::vector<Symbol> attrs;
  for (const auto &[name, value] : root.attrs()) attrs.push_back(name);
  for (Symbol name : attrs) root.RemoveGraphAttr(name);
}

}  // namespace

void LoadAirBytes(Graph &graph, const void *data, size_t size) {
  if (graph.parent()) Fail(GE_BAD_STATE, "graph '", graph.name(), "' is a subgraph; only a root graph can be loaded");
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  try {
    // Read once into a graph of its own: what is wrong shows before anything changes.
    Loader loader;
    loader.ReadModel(*Graph::Create(""), bytes, size);
    Transaction all(graph);
    Clear(graph);
    loader.ReadModel(graph, bytes, size);
    all.Commit();
  } catch (const Error &e) {
    if (e.code() == GE_OUT_OF_MEMORY || e.code() == GE_MODEL_INVALID) throw;
    Invalid(e.what());
  }
}

void LoadAir(Graph &graph, const std::string &path) {
  struct Mapping {
    int fd = -1;
    void *data = MAP_FAILED;
    size_t size = 0;
    ~Mapping() {
      if (data != MAP_FAILED) munmap(data, size);
      if (fd >= 0) close(fd);
    }
  } file;
  file.fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0) Fail(GE_PATH_INVALID, "cannot open '", path, "': ", strerror(errno));
  if (!S_ISREG(info.st_mode)) Fail(GE_PATH_INVALID, "'", path, "' is not a regular file");
  file.size = static_cast<size_t>(info.st_size);
  if (file.size > 0) {
    file.data = mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (file.data == MAP_FAILED && errno == ENOMEM) FailMemory(file.size, Str("the content of '", path, "'"));
    if (file.data == MAP_FAILED) Fail(GE_PATH_INVALID, "cannot map '", path, "': ", strerror(errno));
  }
  try {
    LoadAirBytes(graph, file.data, file.size);
  } catch (const Error &e) {
    throw Error(e.code(), Str("'", path, "': ", e.what()));
  }
}

}  // namespace gec
