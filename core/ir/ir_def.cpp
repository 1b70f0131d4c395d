#include "core/ir/ir_def.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <unordered_map>

#include "core/ir/op_traits.h"
#include "core/support/abi_sizes.h"

namespace gec {
namespace {

// A definition and the plain-data view of it.
struct StoredDef : IrDef {
  GeOpSchema view{};
  std::unique_ptr<GeOpTraits> said;  // with the schema
  std::vector<GeIrPort> in_view, out_view;
  std::vector<GeIrAttr> attr_view;
  std::vector<GeIrGraph> graph_view;
  std::vector<GeIrSymbol> symbol_view;
  AttrViewArena arena;
};

struct Table {
  std::shared_mutex mutex;
  // The struct found at an address: memory that was reused for another schema is noticed by its bytes.
  struct Cached {
    GeOpSchema bytes;
    const IrDef *def;
  };
  std::unordered_map<const GeOpSchema *, Cached> by_address;
  std::unordered_multimap<Symbol, const IrDef *> by_type;
  std::unordered_map<const IrDef *, const IrDef *> own_kernel;
};
Table &TheTable() {
  static Table *table = new Table;  // definitions live until the process ends
  return *table;
}

template <class T>
const T *Array(const T *items, size_t count, const char *type, const char *what) {
  if (count > 0 && !items)
    Fail(GE_PARAM_INVALID, "schema of ", type, ": ", what, " is null but has ", count, " entries");
  if (count > 4096) Fail(GE_PARAM_INVALID, "schema of ", type, ": ", count, " ", what, " are too many");
  return items;
}
const char *NameOf(const char *name, const char *type, const char *what) {
  if (!name || !*name) Fail(GE_PARAM_INVALID, "schema of ", type, ": ", what, " without a name");
  return name;
}
std::string TextOf(const char *text) { return text ? text : ""; }

IrPort PortOf(const GeIrPort &port, const char *type, const char *what, bool output) {
  bool ok = port.kind == GE_IR_REQUIRED || port.kind == GE_IR_DYNAMIC || (port.kind == GE_IR_OPTIONAL && !output);
  NameOf(port.name, type, what);
  CheckReserved(port.reserved, type, "GeIrPort.reserved");
  if (!ok) Fail(GE_PARAM_INVALID, "schema of ", type, ": ", what, " '", port.name, "' has kind ", port.kind);
  return {Symbol(port.name), port.kind, TextOf(port.data_types), {}};
}

/// The names in a symbol's range `Promote({"T1", "T2"})`; none where it is another kind of range.
std::vector<std::string_view> PromotedSymbols(std::string_view range) {
  std::vector<std::string_view> names;
  constexpr std::string_view kPrefix = "Promote";
  const size_t start = range.find_first_not_of(" \t\n");
  if (start == std::string_view::npos || range.substr(start, kPrefix.size()) != kPrefix) return names;
  for (size_t open = range.find('"'); open != std::string_view::npos;) {
    const size_t close = range.find('"', open + 1);
    if (close == std::string_view::npos) break;
    names.push_back(range.substr(open + 1, close - open - 1));
    open = range.find('"', close + 1);
  }
  return names;
}

/// A port names its symbol in quotes, as REG_OP's text has it, or without.
bool HasSymbol(const IrPort &port, std::string_view symbol) {
  std::string_view text = port.data_types;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return text == symbol;
}

void FindPromotedInputs(IrDef &def) {
  for (const auto &[name, range] : def.symbols) {
    for (const std::string_view symbol : PromotedSymbols(range)) {
      size_t known = 0;
      for (uint32_t i = 0; i < def.inputs.size(); ++i) {
        if (!HasSymbol(def.inputs[i], symbol)) continue;
        ++known;
        for (IrPort &output : def.outputs)
          if (HasSymbol(output, name)) {
            output.promoted.push_back(i);
            def.promotes = true;
          }
      }
      if (known == 0)
        Fail(GE_PARAM_INVALID, "schema of ", def.type.view(), ": symbol ", name, " is promoted from '", symbol,
             "', which is the type of no input");
    }
  }
}

std::unique_ptr<StoredDef> Copy(const GeOpSchema &s) {
  auto def = std::make_unique<StoredDef>();
  const char *type = s.type;
  def->type = Symbol(type);
  def->family = TextOf(s.family);
  def->brief = TextOf(s.brief);
  Array(s.inputs, s.input_count, type, "inputs");
  for (size_t i = 0; i < s.input_count; ++i) {
    def->inputs.push_back(PortOf(s.inputs[i], type, "input", false));
    def->dynamic_inputs |= s.inputs[i].kind == GE_IR_DYNAMIC;
  }
  Array(s.outputs, s.output_count, type, "outputs");
  for (size_t i = 0; i < s.output_count; ++i) {
    def->outputs.push_back(PortOf(s.outputs[i], type, "output", true));
    def->dynamic_outputs |= s.outputs[i].kind == GE_IR_DYNAMIC;
  }
  Array(s.attrs, s.attr_count, type, "attributes");
  for (size_t i = 0; i < s.attr_count; ++i) {
    const GeIrAttr &attr = s.attrs[i];
    IrAttr copy;
    copy.name = Symbol(NameOf(attr.value.name, type, "attribute"));
    copy.type = attr.value.type;
    copy.required = attr.required != 0;
    CheckReserved(attr.reserved, type, "GeIrAttr.reserved");
    if (!copy.required) copy.fallback = AttrValue::From(attr.value);
    def->attrs.push_back(std::move(copy));
  }
  Array(s.graphs, s.graph_count, type, "subgraphs");
  for (size_t i = 0; i < s.graph_count; ++i) {
    def->graphs.push_back({Symbol(NameOf(s.graphs[i].name, type, "subgraph")), s.graphs[i].kind});
    CheckReserved(s.graphs[i].reserved, type, "GeIrGraph.reserved");
  }
  Array(s.symbols, s.symbol_count, type, "symbols");
  for (size_t i = 0; i < s.symbol_count; ++i)
    def->symbols.emplace_back(NameOf(s.symbols[i].name, type, "symbol"), TextOf(s.symbols[i].range));
  FindPromotedInputs(*def);
  if (s.traits) def->said = std::make_unique<GeOpTraits>(ReadTraits(type, *s.traits));
  return def;
}

// Fills the view, which points into the definition itself.
void BuildView(StoredDef &def) {
  for (const IrPort &p : def.inputs) def.in_view.push_back({p.name.c_str(), p.kind, 0, p.data_types.c_str()});
  for (const IrPort &p : def.outputs) def.out_view.push_back({p.name.c_str(), p.kind, 0, p.data_types.c_str()});
  for (const IrAttr &a : def.attrs) {
    GeIrAttr view{};
    view.value = def.arena.View(a.name.c_str(), a.fallback);
    view.value.type = a.type;
    view.required = a.required;
    def.attr_view.push_back(view);
  }
  for (const IrGraph &g : def.graphs) def.graph_view.push_back({g.name.c_str(), g.kind, 0});
  for (const auto &[name, range] : def.symbols) def.symbol_view.push_back({name.c_str(), range.c_str()});
  def.view = {sizeof(GeOpSchema),     def.type.c_str(),       def.family.c_str(),    def.brief.c_str(),
              def.in_view.data(),     def.in_view.size(),     def.out_view.data(),   def.out_view.size(),
              def.attr_view.data(),   def.attr_view.size(),   def.graph_view.data(), def.graph_view.size(),
              def.symbol_view.data(), def.symbol_view.size(), def.said.get()};
  def.schema = &def.view;
  def.ones.assign(std::max(def.inputs.size(), def.outputs.size()), 1);
  def.attr_order.resize(def.attrs.size());
  std::iota(def.attr_order.begin(), def.attr_order.end(), 0u);
  std::sort(def.attr_order.begin(), def.attr_order.end(),
            [&](uint32_t a, uint32_t b) { return def.attrs[a].name.view() < def.attrs[b].name.view(); });
}

bool SamePorts(const std::vector<IrPort> &a, const std::vector<IrPort> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const IrPort &x, const IrPort &y) {
    return x.name == y.name && x.kind == y.kind && x.data_types == y.data_types;
  });
}

// Type texts are compared without white space, which macros change.
std::string Dense(const std::string &text) {
  std::string dense;
  for (char c : text) {
    if (!std::isspace(static_cast<unsigned char>(c))) dense += c;
  }
  return dense;
}
const char *KindText(int32_t kind) {
  return kind == GE_IR_DYNAMIC ? "dynamic" : kind == GE_IR_OPTIONAL ? "optional" : "required";
}

template <class List, class Differ>
std::string ListDifference(const char *what, const List &a, const List &b, Differ &&differ) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::string name(a[i].name.view());
    if (a[i].name != b[i].name) return Str(what, " ", i, " is '", name, "' there and '", b[i].name.view(), "' here");
    if (std::string text = differ(a[i], b[i]); !text.empty()) return Str(what, " '", name, "' ", text);
  }
  if (a.size() > b.size()) return Str(what, " '", a[b.size()].name.view(), "' is missing here");
  if (a.size() < b.size()) return Str(what, " '", b[a.size()].name.view(), "' is new here");
  return "";
}

std::string PortDifference(const IrPort &x, const IrPort &y) {
  if (x.kind != y.kind) return Str("is ", KindText(x.kind), " there and ", KindText(y.kind), " here");
  if (Dense(x.data_types) != Dense(y.data_types))
    return Str("takes ", x.data_types, " there and ", y.data_types, " here");
  return "";
}

/// `kept` has the size that was given, and zeros for members that it lacks.
bool SameBytes(const GeOpSchema &kept, const GeOpSchema &given) {
  if (kept.struct_size == sizeof kept) return std::memcmp(&kept, &given, sizeof kept) == 0;
  return kept.struct_size == given.struct_size &&
         std::memcmp(&kept, &given, std::min(kept.struct_size, sizeof kept)) == 0 && SetBehind(given) == 0;
}

bool SameSaid(const GeOpTraits *a, const GeOpTraits *b) { return a && b ? SameTraits(*a, *b) : a == b; }

}  // namespace

bool SameIr(const IrDef &a, const IrDef &b) {
  return a.type == b.type && SamePorts(a.inputs, b.inputs) && SamePorts(a.outputs, b.outputs) &&
         std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(),
                    [](const IrAttr &x, const IrAttr &y) {
                      return x.name == y.name && x.type == y.type && x.required == y.required &&
                             x.fallback == y.fallback;
                    }) &&
         std::equal(a.graphs.begin(), a.graphs.end(), b.graphs.begin(), b.graphs.end(),
                    [](const IrGraph &x, const IrGraph &y) { return x.name == y.name && x.kind == y.kind; }) &&
         a.symbols == b.symbols;
}

std::string IrDifference(const IrDef &a, const IrDef &b) {
  std::string text = ListDifference("input", a.inputs, b.inputs, PortDifference);
  if (text.empty()) text = ListDifference("output", a.outputs, b.outputs, PortDifference);
  if (text.empty())
    text = ListDifference("attribute", a.attrs, b.attrs, [](const IrAttr &x, const IrAttr &y) -> std::string {
      if (x.required != y.required)
        return Str("is ", x.required ? "required" : "optional", " there and ", y.required ? "required" : "optional",
                   " here");
      if (x.type != y.type) return Str("has type ", x.type, " there and ", y.type, " here");
      return x.fallback == y.fallback ? "" : "has another default";
    });
  if (text.empty())
    text = ListDifference("subgraph", a.graphs, b.graphs, [](const IrGraph &x, const IrGraph &y) -> std::string {
      return x.kind == y.kind ? "" : Str("is ", KindText(x.kind), " there and ", KindText(y.kind), " here");
    });
  if (text.empty() && a.symbols.size() != b.symbols.size())
    text = Str(a.symbols.size(), " type symbols there, ", b.symbols.size(), " here");
  for (size_t i = 0; text.empty() && i < a.symbols.size(); ++i) {
    if (a.symbols[i].first != b.symbols[i].first || Dense(a.symbols[i].second) != Dense(b.symbols[i].second))
      text = Str("type symbol ", a.symbols[i].first, " is ", a.symbols[i].second, " there; here ", b.symbols[i].first,
                 " is ", b.symbols[i].second);
  }
  return text;
}

const IrAttr *IrDef::FindAttr(Symbol name) const {
  for (const IrAttr &attr : attrs) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}
int IrDef::FindInput(Symbol name) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}
int IrDef::FindOutput(Symbol name) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

const IrDef *InternSchema(const GeOpSchema *given) {
  if (!given) Fail(GE_PARAM_INVALID, "schema is null");
  // Recently used schemas of this thread: building the same operator again takes no lock.
  struct Recent {
    const GeOpSchema *address = nullptr;
    const IrDef *def = nullptr;
    GeOpSchema bytes{};
  };
  static thread_local Recent recent[32];
  Recent &slot = recent[(reinterpret_cast<uintptr_t>(given) / 32) % 32];
  auto fits = [&](const GeOpSchema &bytes, const IrDef *def) {
    return SameBytes(bytes, *given) && std::strcmp(def->type.c_str(), given->type) == 0;
  };
  if (slot.address == given && fits(slot.bytes, slot.def)) return slot.def;

  GeOpSchema schema = ReadStruct(*given, "a schema");
  if (!schema.type || !*schema.type) Fail(GE_PARAM_INVALID, "schema without an operator type");
  Table &table = TheTable();
  const IrDef *def = nullptr;
  {
    std::shared_lock lock(table.mutex);
    auto it = table.by_address.find(given);
    if (it != table.by_address.end() && fits(it->second.bytes, it->second.def)) def = it->second.def;
  }
  schema.struct_size = given->struct_size;
  if (!def) {
    std::unique_ptr<StoredDef> fresh = Copy(schema);
    std::unique_lock lock(table.mutex);
    auto [first, last] = table.by_type.equal_range(fresh->type);
    for (auto it = first; it != last && !def; ++it) {
      const IrDef &have = *it->second;
      if (SameIr(have, *fresh) && have.family == fresh->family && have.brief == fresh->brief && !have.own_kernel &&
          SameSaid(have.schema->traits, fresh->said.get()))
        def = it->second;
    }
    if (!def) {
      BuildView(*fresh);
      table.by_type.emplace(fresh->type, fresh.get());
      def = fresh.release();
    }
    table.by_address[given] = {schema, def};
  }
  slot = {given, def, schema};
  return def;
}

const IrDef *OwnKernelDef(const IrDef &def) {
  if (def.own_kernel) return &def;
  Table &table = TheTable();
  {
    std::shared_lock lock(table.mutex);
    auto it = table.own_kernel.find(&def);
    if (it != table.own_kernel.end()) return it->second;
  }
  std::unique_ptr<StoredDef> fresh = Copy(*def.schema);
  fresh->own_kernel = true;
  BuildView(*fresh);
  std::unique_lock lock(table.mutex);
  const IrDef *&made = table.own_kernel[&def];
  if (!made) {
    table.by_type.emplace(fresh->type, fresh.get());
    made = fresh.release();
  }
  return made;
}

void ForEachIrDef(Symbol type, const std::function<void(const IrDef &)> &fn) {
  Table &table = TheTable();
  std::shared_lock lock(table.mutex);
  auto [first, last] = table.by_type.equal_range(type);
  for (auto it = first; it != last; ++it) fn(*it->second);
}

}  // namespace gec
