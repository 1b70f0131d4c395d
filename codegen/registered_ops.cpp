#include "registered_ops.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <stdexcept>

#include "core/support/abi_sizes.h"
#include "core/support/shared_library.h"
#include "ge/status.h"

namespace codegen {
namespace {

// A deep copy: what a library passes need not outlive the call.
class SchemaCopy {
 public:
  explicit SchemaCopy(const GeOpSchema &given) : schema_{} {
    const GeOpSchema s = gec::ReadStruct(given, "GeOpRegister");
    schema_ = s;
    schema_.traits = nullptr;
    schema_.type = Text(s.type);
    schema_.family = Text(s.family);
    schema_.brief = Text(s.brief);
    schema_.inputs = Ports(s.inputs, s.input_count, &inputs_);
    schema_.outputs = Ports(s.outputs, s.output_count, &outputs_);
    for (size_t i = 0; i < s.attr_count; ++i) attrs_.push_back({Value(s.attrs[i].value), s.attrs[i].required, 0});
    schema_.attrs = attrs_.data();
    for (size_t i = 0; i < s.graph_count; ++i) graphs_.push_back({Text(s.graphs[i].name), s.graphs[i].kind, 0});
    schema_.graphs = graphs_.data();
    for (size_t i = 0; i < s.symbol_count; ++i) symbols_.push_back({Text(s.symbols[i].name), Text(s.symbols[i].range)});
    schema_.symbols = symbols_.data();
    if (s.traits) SetTraits(*s.traits);
  }
  SchemaCopy(const SchemaCopy &) = delete;
  SchemaCopy &operator=(const SchemaCopy &) = delete;
  const GeOpSchema *get() const { return &schema_; }
  void SetTraits(const GeOpTraits &traits) {
    traits_ = gec::ReadStruct(traits, "GeOpSetTraits");
    schema_.traits = &traits_;
  }

 private:
  const char *Text(const char *text) {
    if (!text) return nullptr;
    texts_.emplace_back(text);
    return texts_.back().c_str();
  }
  const GeIrPort *Ports(const GeIrPort *ports, size_t count, std::vector<GeIrPort> *out) {
    for (size_t i = 0; i < count; ++i)
      out->push_back({Text(ports[i].name), ports[i].kind, 0, Text(ports[i].data_types)});
    return out->data();
  }
  const void *Bytes(const void *data, size_t size) {
    const char *first = static_cast<const char *>(data);
    blocks_.emplace_back(first, first + (first ? size : 0));
    return blocks_.back().data();
  }
  GeAttrData Value(const GeAttrData &v) {
    GeAttrData copy = v;
    copy.name = Text(v.name);
    copy.s = Text(v.s);
    copy.list = nullptr;
    copy.inner_counts = nullptr;
    switch (v.type) {
      case C_VT_LIST_INT:
        copy.list = Bytes(v.list, v.count * sizeof(int64_t));
        break;
      case C_VT_LIST_FLOAT:
        copy.list = Bytes(v.list, v.count * sizeof(float));
        break;
      case C_VT_LIST_DATA_TYPE:
        copy.list = Bytes(v.list, v.count * sizeof(int32_t));
        break;
      case C_VT_LIST_BOOL:
      case C_VT_BYTES:
        copy.list = Bytes(v.list, v.count);
        break;
      case C_VT_LIST_STRING: {
        std::vector<const char *> items;
        for (uint64_t i = 0; i < v.count; ++i) items.push_back(Text(static_cast<const char *const *>(v.list)[i]));
        copy.list = Bytes(items.data(), items.size() * sizeof(char *));
        break;
      }
      case C_VT_LIST_LIST_INT: {
        std::vector<const void *> rows;
        for (uint64_t i = 0; i < v.count; ++i)
          rows.push_back(Bytes(static_cast<const int64_t *const *>(v.list)[i],
                               static_cast<size_t>(v.inner_counts[i]) * sizeof(int64_t)));
        copy.list = Bytes(rows.data(), rows.size() * sizeof(void *));
        copy.inner_counts = static_cast<const int64_t *>(Bytes(v.inner_counts, v.count * sizeof(int64_t)));
        break;
      }
      case C_VT_TENSOR:
        if (v.tensor) {
          // Only whether it carries data matters here.
          tensors_.push_back(*v.tensor);
          tensors_.back().dims = tensors_.back().origin_dims = nullptr;
          copy.tensor = &tensors_.back();
        }
        break;
      default:  // no wrapper and no history for other types: their defaults are not needed
        copy.count = 0;
    }
    if (v.type == C_VT_STRING) copy.count = v.count;
    return copy;
  }

  GeOpSchema schema_;
  GeOpTraits traits_{};
  std::deque<std::string> texts_;
  std::deque<std::vector<char>> blocks_;
  std::deque<GeTensorData> tensors_;
  std::vector<GeIrPort> inputs_, outputs_;
  std::vector<GeIrAttr> attrs_;
  std::vector<GeIrGraph> graphs_;
  std::vector<GeIrSymbol> symbols_;
};

bool SameText(const char *a, const char *b) { return std::strcmp(a ? a : "", b ? b : "") == 0; }

bool SameValue(const GeAttrData &a, const GeAttrData &b) {
  if (a.type != b.type || a.count != b.count) return false;
  auto bytes = [&](size_t size) { return a.count == 0 || std::memcmp(a.list, b.list, a.count * size) == 0; };
  switch (a.type) {
    case C_VT_FLOAT:
      return std::memcmp(&a.f, &b.f, sizeof a.f) == 0;
    case C_VT_STRING:
      return SameText(a.s, b.s);
    case C_VT_LIST_INT:
      return bytes(sizeof(int64_t));
    case C_VT_LIST_FLOAT:
      return bytes(sizeof(float));
    case C_VT_LIST_DATA_TYPE:
      return bytes(sizeof(int32_t));
    case C_VT_LIST_BOOL:
    case C_VT_BYTES:
      return bytes(1);
    case C_VT_LIST_STRING:
      for (uint64_t i = 0; i < a.count; ++i)
        if (!SameText(static_cast<const char *const *>(a.list)[i], static_cast<const char *const *>(b.list)[i]))
          return false;
      return true;
    case C_VT_LIST_LIST_INT:
      for (uint64_t i = 0; i < a.count; ++i) {
        if (a.inner_counts[i] != b.inner_counts[i]) return false;
        const int64_t *x = static_cast<const int64_t *const *>(a.list)[i];
        const int64_t *y = static_cast<const int64_t *const *>(b.list)[i];
        for (int64_t k = 0; k < a.inner_counts[i]; ++k)
          if (x[k] != y[k]) return false;
      }
      return true;
    default:
      return a.i == b.i;
  }
}

// The first difference of two prototypes of one type; empty when they are the same.
std::string FirstDifference(const GeOpSchema &a, const GeOpSchema &b) {
  auto ports = [](const char *what, const GeIrPort *x, size_t n, const GeIrPort *y, size_t m) -> std::string {
    if (n != m) return std::string(what) + "s: " + std::to_string(n) + " and " + std::to_string(m);
    for (size_t i = 0; i < n; ++i)
      if (!SameText(x[i].name, y[i].name) || x[i].kind != y[i].kind || !SameText(x[i].data_types, y[i].data_types))
        return std::string(what) + " '" + x[i].name + "' and " + what + " '" + y[i].name + "'";
    return "";
  };
  std::string text = ports("input", a.inputs, a.input_count, b.inputs, b.input_count);
  if (text.empty()) text = ports("output", a.outputs, a.output_count, b.outputs, b.output_count);
  if (!text.empty()) return text;
  if (a.attr_count != b.attr_count)
    return "attrs: " + std::to_string(a.attr_count) + " and " + std::to_string(b.attr_count);
  for (size_t i = 0; i < a.attr_count; ++i) {
    const GeIrAttr &x = a.attrs[i], &y = b.attrs[i];
    if (!SameText(x.value.name, y.value.name) || x.required != y.required || x.value.type != y.value.type ||
        (!x.required && !SameValue(x.value, y.value)))
      return std::string("attr '") + x.value.name + "' and attr '" + y.value.name + "'";
  }
  if (a.graph_count != b.graph_count)
    return "subgraphs: " + std::to_string(a.graph_count) + " and " + std::to_string(b.graph_count);
  for (size_t i = 0; i < a.graph_count; ++i)
    if (!SameText(a.graphs[i].name, b.graphs[i].name) || a.graphs[i].kind != b.graphs[i].kind)
      return std::string("subgraph '") + a.graphs[i].name + "' and subgraph '" + b.graphs[i].name + "'";
  return "";
}

struct Loaded {
  std::unique_ptr<SchemaCopy> schema;
  std::string library, folder;
};

// Constructors of a library run inside dlopen. One that throws ends the process; say at least whose it was.
std::string *LoadingLibrary() {
  static std::string name;
  return &name;
}
[[noreturn]] void OnTerminate() {
  std::string reason = "it ended the process";
  if (std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception &e) {
      reason = std::string("it threw while loading: ") + e.what();
    } catch (...) {
      reason = "it threw while loading";
    }
  }
  std::fprintf(stderr, "prototype library '%s' cannot be loaded: %s\n", LoadingLibrary()->c_str(), reason.c_str());
  std::_Exit(1);
}

// One that ends the process by itself would look like a success, one that crashes would have no name.
const char *g_end_of_load = nullptr;  // what to say then; null while nothing is loaded
void OnEnd() {
  if (!g_end_of_load) return;
  (void)!write(STDERR_FILENO, g_end_of_load, std::strlen(g_end_of_load));
  std::_Exit(1);
}
void OnCrash(int) { OnEnd(); }

class LoadingWatch {
 public:
  explicit LoadingWatch(const std::string &library)
      : text_("prototype library '" + library + "' cannot be loaded: it ended the process or crashed while loading\n") {
    static const int registered = std::atexit(OnEnd);
    (void)registered;
    struct sigaction action {};
    action.sa_handler = OnCrash;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
    g_end_of_load = text_.c_str();
  }
  LoadingWatch(const LoadingWatch &) = delete;
  LoadingWatch &operator=(const LoadingWatch &) = delete;
  ~LoadingWatch() {
    g_end_of_load = nullptr;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::string text_;
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace

struct RegisteredOps::Table {
  std::map<std::string, Loaded> ops;
  std::map<std::string, GeOpTraits> traits;  // said apart from the prototypes
  std::string library, folder, conflict;
  std::vector<std::string> notes;

  void Add(const GeOpSchema &schema) {
    auto copy = std::make_unique<SchemaCopy>(schema);
    auto found = ops.find(schema.type);
    if (found == ops.end()) {
      ops.emplace(schema.type, Loaded{std::move(copy), library, folder});
      return;
    }
    const Loaded &first = found->second;
    std::string difference = FirstDifference(*first.schema->get(), *copy->get());
    if (difference.empty()) return;
    std::string text = std::string("operator ") + schema.type + " is registered twice with different content (" +
                       difference + "), by '" + first.library + "' and by '" + library + "'";
    if (first.folder != folder) notes.push_back(text + "; the former has priority");
    else if (conflict.empty()) conflict = text;
  }
};

namespace {
RegisteredOps::Table *g_loading = nullptr;  // set while a library's constructors run

/// Notes what a library registers; a struct that is not understood ends the generation with the library's name.
template <class Body>
GeStatus Record(const Body &body) noexcept {
  try {
    body();
    return GE_SUCCESS;
  } catch (const gec::Error &e) {
    if (g_loading->conflict.empty()) g_loading->conflict = "library '" + g_loading->library + "': " + e.what();
    return e.code();
  }
}

}  // namespace

extern "C" GE_API GeStatus GeOpRegister(const GeOpSchema *schema, GeInferFn infer) {
  using Function = GeStatus (*)(const GeOpSchema *, GeInferFn);
  if (!g_loading) {
    static Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "GeOpRegister"));
    return next(schema, infer);
  }
  if (!schema || !schema->type) return GE_PARAM_INVALID;
  return Record([&] { g_loading->Add(*schema); });
}

extern "C" GE_API GeStatus GeOpSetTraits(const char *type, const GeOpTraits *traits) {
  using Function = GeStatus (*)(const char *, const GeOpTraits *);
  if (!g_loading) {
    static Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "GeOpSetTraits"));
    return next(type, traits);
  }
  if (!type || !traits) return GE_PARAM_INVALID;
  return Record([&] { g_loading->traits[type] = gec::ReadStruct(*traits, "GeOpSetTraits"); });
}

// "Not there" while loading: a library then registers what the engine has under the same name as well.
extern "C" GE_API GeStatus GeOpFind(const char *type, const GeOpSchema **out) {
  using Function = GeStatus (*)(const char *, const GeOpSchema **);
  if (g_loading) {
    if (out) *out = nullptr;
    return GE_NOT_FOUND;
  }
  static Function next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "GeOpFind"));
  return next(type, out);
}

RegisteredOps::RegisteredOps() : table_(std::make_unique<Table>()) {}
RegisteredOps::~RegisteredOps() = default;

void RegisteredOps::Load(const std::string &library, const std::string &folder, std::ostream &log) {
  table_->library = library;
  table_->folder = folder;
  *LoadingLibrary() = library;
  std::terminate_handler before = std::set_terminate(OnTerminate);
  g_loading = table_.get();
  void *handle = nullptr;
  std::string reason;
  try {
    reason = gec::MissingInLibrary(library);
    // Not global: two libraries may hold classes of the same name.
    LoadingWatch watch(library);
    if (reason.empty()) handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (reason.empty() && !handle) reason = dlerror();
  } catch (const std::exception &e) {
    reason = std::string("it threw while loading: ") + e.what();
  } catch (...) {
    reason = "it threw while loading";
  }
  g_loading = nullptr;
  std::set_terminate(before);
  if (!reason.empty()) throw std::runtime_error("prototype library '" + library + "' cannot be loaded: " + reason);
  if (!table_->conflict.empty()) throw std::runtime_error(table_->conflict);
  for (const std::string &note : table_->notes) log << "WARNING: " << note << "\n";
  table_->notes.clear();
}

std::vector<RegisteredOp> RegisteredOps::All() const {
  std::vector<RegisteredOp> all;
  for (const auto &[type, loaded] : table_->ops) {
    auto said = table_->traits.find(type);
    if (said != table_->traits.end()) loaded.schema->SetTraits(said->second);
    all.push_back({loaded.schema->get(), loaded.library});
  }
  return all;
}

}  // namespace codegen
