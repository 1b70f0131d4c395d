#include "core/placement/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "core/placement/barrier.h"
#include "core/support/abi_sizes.h"
#include "core/support/per_thread.h"

namespace gec {
namespace {

struct EngineError {
  std::string text;
};
using LastEngineError = PerThread<EngineError>;
thread_local bool error_waits = false;            // of the thread: there is a text
thread_local const GeOpDesc *made_for = nullptr;  // the node whose kernel the thread is making

class MakingFor {
 public:
  explicit MakingFor(const GeOpDesc &op) : before_(std::exchange(made_for, &op)) {}
  ~MakingFor() { made_for = before_; }
  MakingFor(const MakingFor &) = delete;
  MakingFor &operator=(const MakingFor &) = delete;

 private:
  const GeOpDesc *before_;
};
struct PackedList {
  std::vector<const void *> data;
};
using LastPacked = PerThread<PackedList>;

}  // namespace

std::string Reported(GeStatus status) {
  std::string text = TakeEngineError();
  if (status == GE_OUT_OF_MEMORY && text.find(" MB") == std::string::npos) {  // how much, which engines seldom know
    char left[128];
    MemoryText(left, sizeof left);
    const bool says = text.find("out of memory") != std::string::npos;
    return Str(says ? "" : "out of memory", says || text.empty() ? "" : ": ", text, "; ", left);
  }
  return text.empty() ? Str("status ", status, " without a message") : text;
}

GeStatus EngineHangs(const Hang &hang) noexcept {
  try {
    return EngineFail(GE_BAD_STATE, ("the engine is not called any more: " + hang.What()).c_str());
  } catch (...) {  // no memory for the text
    return EngineFail(GE_BAD_STATE, "the engine hangs");
  }
}

// Also where there is no memory, and in destructors.
GeStatus EngineThrew(GeStatus code, const std::string &engine, const char *did, const char *where,
                     const char *text) noexcept {
  char message[512];
  std::snprintf(message, sizeof message, "engine %s %s in %s%s%s", engine.c_str(), did, where, *text ? ": " : "", text);
  return EngineFail(code, message);
}

GeStatus EngineFail(GeStatus code, const char *message) noexcept {
  try {
    LastEngineError::Get().text = message ? message : "";
    error_waits = true;
  } catch (...) {  // the status alone tells
  }
  return code;
}

void NotePacked(const void *data) { LastPacked::Get().data.push_back(data); }

std::vector<const void *> TakePacked() noexcept {
  PackedList *last = LastPacked::Find();
  return last ? std::exchange(last->data, {}) : std::vector<const void *>();
}

uint64_t ConstantBytes(const void *data) noexcept {
  for (size_t i = 0; made_for && i < made_for->input_count; ++i)
    if (made_for->inputs[i].data == data && (made_for->inputs[i].flags & GE_TENSOR_CONSTANT))
      return made_for->inputs[i].size;
  return 0;
}

std::string TakeEngineError() noexcept {
  std::string text;
  if (!error_waits) return text;
  if (EngineError *last = LastEngineError::Find()) text.swap(last->text);
  error_waits = false;
  return text;
}

const bool &EngineErrorWaits() noexcept { return error_waits; }

GeEngineTable ReadEngineTable(const GeEngineTable *given, const std::string &where) {
  if (given == nullptr) {
    Fail(GE_ABI_MISMATCH, "engine ", where, " needs a newer engine ABI than the ", GE_ENGINE_ABI_VERSION,
         " of this library");
  }
  // Only abi_version and struct_size may be read before they are known to fit.
  if (given->abi_version == 0 || given->abi_version > GE_ENGINE_ABI_VERSION) {
    Fail(GE_ABI_MISMATCH, "engine ", where, " has engine ABI ", given->abi_version, ", this library offers ",
         GE_ENGINE_ABI_VERSION);
  }
  const GeEngineTable table = ReadStruct(*given, Str("engine ", where).c_str(), Surplus::kIgnored);
  if (table.name == nullptr || table.name[0] == '\0')
    Fail(GE_PARAM_INVALID, "engine ", where, ": its table has no name");
  auto lacks = [&](const char *what) {
    Fail(GE_PARAM_INVALID, "engine ", table.name, " (", where, "): its table lacks ", what);
  };
  if ((table.flags & GE_ENGINE_COMPOSITE) && !table.claim) lacks("claim, which a composite engine has");
  if (table.claim && !table.create_region) lacks("create_region, which makes what claim takes");
  // One that takes regions only is not asked about nodes.
  if (!table.check && (!table.claim || table.create_kernel)) lacks("check");
  if (table.check && !table.create_kernel) lacks("create_kernel");
  constexpr uint32_t kFlags = GE_ENGINE_COMPOSITE | GE_ENGINE_VIEWS | GE_ENGINE_NAMES_NODES | GE_ENGINE_OWN_OPERATORS |
                              GE_ENGINE_FUSIBLE | GE_ENGINE_DEFERS_CONSTANTS;
  if ((table.flags & ~kFlags) != 0 || table.reserved != 0) {
    Fail(GE_ABI_MISMATCH, "engine ", table.name, " (", where, "): its table has flags ", table.flags, " and reserved ",
         table.reserved, ", this library knows flags up to ", kFlags, " and nothing in reserved");
  }
  return table;
}

EnginePtr Engine::Open(const GeEngineTable *given, const GeEngineHost *host, std::string path,
                       const std::string &options, std::shared_ptr<void> library) {
  std::shared_ptr<Engine> engine(new Engine());
  engine->table_ = ReadEngineTable(given, path.empty() ? "linked in" : path);
  if (engine->table_.memory) engine->space_ = ReadMemorySpace(*engine->table_.memory, engine->table_.name);
  const GeEngineTable &table = engine->table_;
  engine->health_ = std::make_unique<EngineHealth>(table.name);
  engine->version_ = table.version ? table.version : "";
  engine->path_ = std::move(path);
  engine->library_ = std::move(library);
  if (table.open) {
    TakeEngineError();
    const auto open = [&] {
      return Contained(engine->name(), "open",
                       [&] { return table.open(host, engine->path_.c_str(), options.c_str(), &engine->self_); });
    };
    GeStatus status = open();
    // What is found without an engine stays so for the life of the process: memory that was short for a moment is no
    // reason.
    if (status == GE_OUT_OF_MEMORY) status = open();
    if (status != GE_SUCCESS) {
      Fail(status, "engine ", engine->name(), engine->path_.empty() ? "" : " (" + engine->path_ + ")",
           " failed to open: ", Reported(status));
    }
  }
  engine->open_ = true;  // from here on the destructor closes it
  return engine;
}

Engine::~Engine() {
  if (open_ && table_.close) {
    BarrierOfReturn(*health_, "close", [&] { table_.close(self_); });
  }
}

bool Engine::Check(const GeOpDesc &op, std::string *reason) const {
  if (hang()) {
    if (reason) *reason = health_->Refusal();
    return false;
  }
  if (!takes_nodes()) {
    if (reason) *reason = "takes regions only";
    return false;
  }
  Show(op);
  char text[512];
  text[0] = '\0';
  TakeEngineError();
  GeStatus status =
      Barrier(*health_, "check", SubjectOf(op), [&] { return table_.check(self_, &op, text, sizeof text); });
  if (status == GE_SUCCESS) return true;
  if (status == GE_OUT_OF_MEMORY) throw std::bad_alloc();  // not the engine's opinion of the node
  text[sizeof text - 1] = '\0';
  if (reason) {
    std::string reported = TakeEngineError();
    *reason = text[0] ? text : !reported.empty() ? reported : "refused without a reason";
  }
  return false;
}

namespace {

/// A GE_ALIAS_EXTENDS may be true of these.
bool Extends(const GeKernel &kernel, const GeAlias &alias, const TensorDesc &in, const TensorDesc &out) {
  const Shape::Dims &before = in.shape.dims(), &after = out.shape.dims();
  if (alias.input >= 64 || (kernel.strided_inputs >> alias.input & 1) == 0) return false;
  if (in.dtype != out.dtype || !in.shape.has_rank() || before.size() != after.size() || alias.offset >= before.size())
    return false;
  for (size_t d = 0; d < before.size(); ++d) {
    if (before[d] < 0 || after[d] < 0) continue;  // of a kernel for all extents
    if (d == alias.offset ? before[d] > after[d] : before[d] != after[d]) return false;
  }
  return true;
}

}  // namespace

void Engine::CheckKernel(const GeKernel &kernel, const Subject &of) const {
  auto refuse = [&](GeStatus code, const auto &...text) { Fail(code, of.Label(), ": engine ", name(), ' ', text...); };
  if (kernel.run == nullptr) refuse(GE_FAILED, "made a kernel without run");
  constexpr uint32_t kFlags =
      GE_KERNEL_VIEW | GE_KERNEL_DATA_DEPENDENT | GE_KERNEL_READS_PACKED | GE_KERNEL_ALLOCATES_OUTPUTS;
  if ((kernel.flags & ~kFlags) != 0)
    refuse(GE_ABI_MISMATCH, "made a kernel with flags ", kernel.flags, ", this library knows those up to ", kFlags);
  if (of.region && (kernel.flags & (GE_KERNEL_VIEW | GE_KERNEL_DATA_DEPENDENT)) != 0)
    refuse(GE_FAILED, "made a kernel with flags ", kernel.flags, " for a region, which GE_KERNEL_VIEW and ",
           "GE_KERNEL_DATA_DEPENDENT may not be among");
  if (space() && (kernel.flags & GE_KERNEL_DATA_DEPENDENT) != 0)
    refuse(GE_FAILED, "made a kernel with flags ", kernel.flags, ", and one with memory of its own (", space_.name,
           ") may not have GE_KERNEL_DATA_DEPENDENT among them");
  const bool dependent = (kernel.flags & GE_KERNEL_DATA_DEPENDENT) != 0;
  if (kernel.workspace_bytes > kMaxTensorBytes)
    refuse(GE_FAILED, "asks for a workspace of ", kernel.workspace_bytes, " bytes, at most ", kMaxTensorBytes,
           " are possible");
  constexpr double kMostFlops = 1e30;
  if (!(kernel.flops >= 0 && kernel.flops <= kMostFlops))
    refuse(GE_FAILED, "made a kernel with flops ", kernel.flops, ", allowed are 0 to ", kMostFlops);
  if (GeDataTypeBits(kernel.flops_type) == 0)
    refuse(GE_FAILED, "made a kernel with flops_type ", kernel.flops_type, ", which is no type of numbers");
  const uint64_t pairs = (of.inputs.size() + 1) * (of.outputs.size() + 1);
  if (kernel.alias_count > (GE_ALIAS_EXTENDS + 1) * pairs)
    refuse(GE_FAILED, "made a kernel with alias_count ", kernel.alias_count, ", more than its ", of.inputs.size(),
           " inputs and ", of.outputs.size(), " outputs can have");
  if (kernel.alias_count != 0 && kernel.aliases == nullptr)
    refuse(GE_FAILED, "made a kernel with alias_count ", kernel.alias_count, " whose aliases are null");
  if (dependent && (kernel.flags & GE_KERNEL_ALLOCATES_OUTPUTS) == 0 && !of.outputs.empty()) {
    if (kernel.output_bytes == nullptr)
      refuse(GE_FAILED, "made a kernel whose output shapes depend on data, and whose output_bytes is null");
    for (size_t i = 0; i < of.outputs.size(); ++i)
      if (kernel.output_bytes[i] > kMaxTensorBytes)
        refuse(GE_FAILED, "asks for ", kernel.output_bytes[i], " bytes for output ", i, ", at most ", kMaxTensorBytes,
               " are possible");
  }
  const uint64_t shapes = dependent ? 64 * of.outputs.size() : 0;
  if (kernel.workspace_bytes < shapes) {
    refuse(GE_FAILED, "asks for a workspace of ", kernel.workspace_bytes, " bytes, a kernel with ", of.outputs.size(),
           " outputs whose shapes depend on data needs at least ", shapes);
  }
  for (uint32_t i = 0; i < kernel.alias_count; ++i) {
    const GeAlias &a = kernel.aliases[i];
    if (a.input < 0 || static_cast<size_t>(a.input) >= of.inputs.size() || a.output < 0 ||
        static_cast<size_t>(a.output) >= of.outputs.size()) {
      refuse(GE_FAILED, "gave an alias of input ", a.input, " and output ", a.output, ", the ",
             of.region ? "region" : "node", " has ", of.inputs.size(), " inputs and ", of.outputs.size(), " outputs");
    }
    if (a.kind < GE_ALIAS_OUTPUT_IN_INPUT || a.kind > GE_ALIAS_EXTENDS || a.reserved != 0)
      refuse(GE_ABI_MISMATCH, "gave an alias of kind ", a.kind, " with reserved ", a.reserved, ", allowed: 0 to ",
             GE_ALIAS_EXTENDS, " with 0");
    const GeTensorData &in = of.inputs[static_cast<size_t>(a.input)], &out = of.outputs[static_cast<size_t>(a.output)];
    const TensorDesc before = TensorDesc::From(in), after = TensorDesc::From(out);
    if (a.kind == GE_ALIAS_STATE && (before.dtype != after.dtype || before.shape != after.shape))
      refuse(GE_FAILED, "gave a state alias of input ", a.input, ", ", GeDataTypeName(before.dtype), ' ',
             before.shape.str(), ", and output ", a.output, ", ", GeDataTypeName(after.dtype), ' ', after.shape.str(),
             "; state keeps its type and shape");
    if (a.kind == GE_ALIAS_EXTENDS && !Extends(kernel, a, before, after))
      refuse(GE_FAILED, "gave a growth alias along axis ", a.offset, " of input ", a.input, ", ",
             GeDataTypeName(before.dtype), ' ', before.shape.str(), ", and output ", a.output, ", ",
             GeDataTypeName(after.dtype), ' ', after.shape.str(), ", with strided_inputs ", kernel.strided_inputs,
             "; the output is the input and more along that axis, and the kernel takes strides for both");
  }
}

template <class Make>
std::shared_ptr<Kernel> Engine::Take(const Subject &of, const char *function, std::vector<TensorPtr> constants,
                                     std::string *reason, Make &&make) const {
  if (hang()) {
    if (reason) *reason = health_->Refusal();
    return nullptr;
  }
  // An engine that was compiled against longer headers may fill more than is known here.
  struct {
    GeKernel kernel{};
    char more[256]{};
  } returned;
  returned.kernel.struct_size = sizeof(GeKernel);
  // What an engine made is given back also when it cannot be used, there is no memory to keep it, or nobody waits for
  // it any more.
  struct State {
    EngineHealth &engine;
    const GeKernel *kernel = nullptr;
    ~State() {
      if (kernel && kernel->destroy) BarrierOfReturn(engine, "destroy", [&] { kernel->destroy(kernel->state); });
    }
  } state{*health_};
  TakeEngineError();
  TakePacked();
  const std::string label = CallWatch::Current() ? of.Label() : "";
  const char *const subject = label.c_str();
  const GeStatus status = Barrier(*health_, function, SubjectOf(subject), [&] {
    const GeStatus answer = make(&returned.kernel);
    if (answer == GE_SUCCESS) state.kernel = &returned.kernel;
    return answer;
  });
  if (status == GE_UNSUPPORTED) {
    if (reason) *reason = Reported(status);
    return nullptr;
  }
  if (status != GE_SUCCESS)
    Fail(status, of.Label(), ": engine ", name(), " could not make a kernel: ", Reported(status));
  GeKernel kernel = returned.kernel;
  if (kernel.struct_size != sizeof kernel) {
    const std::string where = Str(of.Label(), ": engine ", name());
    if (kernel.struct_size > sizeof returned)
      Fail(GE_ABI_MISMATCH, where, ": GeKernel.struct_size is ", kernel.struct_size, ", at most ", sizeof returned);
    kernel = ReadStruct(returned.kernel, where.c_str());
  }
  auto made = std::make_shared<Kernel>(shared_from_this(), kernel, std::move(constants), TakePacked());
  state.kernel = nullptr;  // the kernel owns it now
  CheckKernel(kernel, of);
  return made;
}

KernelPtr Engine::Create(const GeOpDesc &op, bool shared, const GeKernelEnv &env, std::vector<TensorPtr> constants,
                         std::string *reason) const {
  Show(op);
  const GeOpDesc given = shared ? Nameless(op) : op;
  const Subject of{op.type, op.name, {op.inputs, op.input_count}, {op.outputs, op.output_count}, false};
  const MakingFor making(given);
  std::shared_ptr<Kernel> made = Take(of, "create_kernel", std::move(constants), reason,
                                      [&](GeKernel *out) { return table_.create_kernel(self_, &given, &env, out); });
  if (made && own_operators()) made->AddAliases(op);
  return made;
}

KernelPtr Engine::CreateOpen(const GeOpDesc &op, const GeOpenExtents &extents, const GeKernelEnv &env,
                             std::vector<TensorPtr> constants, std::string *reason) const {
  if (!table_.create_open_kernel) return nullptr;
  Show(op);
  const GeOpDesc given = Nameless(op);
  const Subject of{op.type, op.name, {op.inputs, op.input_count}, {op.outputs, op.output_count}, false};
  const MakingFor making(given);
  KernelPtr made = Take(of, "create_open_kernel", std::move(constants), reason,
                        [&](GeKernel *out) { return table_.create_open_kernel(self_, &given, &extents, &env, out); });
  if (made && made->data_dependent())
    Fail(GE_FAILED, of.Label(), ": engine ", name(), " made a kernel with flags ", made->get().flags,
         " for open extents, which GE_KERNEL_DATA_DEPENDENT may not be among");
  return made;
}

int32_t Engine::ChannelBlock(uint64_t cpu_features) const {
  if (!table_.channel_block || hang()) return 0;
  constexpr int32_t kMost = 1024;
  TakeEngineError();
  int32_t channels = 0;
  const GeStatus status = Barrier(*health_, "channel_block", SubjectOf("a processor"), [&]() -> GeStatus {
    channels = table_.channel_block(self_, cpu_features);
    return GE_SUCCESS;
  });
  if (status != GE_SUCCESS && hang()) return 0;  // by now, in a call of another thread
  if (status != GE_SUCCESS) Fail(status, "engine ", name(), " failed in channel_block: ", Reported(status));
  if (channels < 0 || channels == 1 || channels > kMost)
    Fail(GE_FAILED, "engine ", name(), ": channel_block is ", channels, ", expected 0, or 2 to ", kMost);
  return channels;
}

std::string Engine::Libraries(bool open, std::string *problem) const {
  if (!table_.libraries || hang()) return "";
  TakeEngineError();
  const char *opened = nullptr;
  const GeStatus status = Barrier(*health_, "libraries", SubjectOf("its libraries"),
                                  [&] { return table_.libraries(self_, open ? 1 : 0, &opened); });
  if (status != GE_SUCCESS && problem) *problem = Reported(status);
  return status == GE_SUCCESS && opened ? opened : "";
}

GeStatus Engine::Optimize(GeGraph *graph, int32_t hook) const {
  TakeEngineError();
  const char *const moment =
      hook == GE_HOOK_BEFORE_OPTIMIZATION ? "a graph before optimization" : "a graph after optimization";
  return Barrier(*health_, "optimize", SubjectOf(moment), [&] { return table_.optimize(self_, graph, hook); });
}

KernelPtr Engine::CreateRegion(const std::string &name, const GeRegion &region, const GeKernelEnv &env,
                               std::vector<TensorPtr> constants, std::string *reason) const {
  Show(*region.graph);
  const Subject of{
      "region", name.c_str(), {region.inputs, region.input_count}, {region.outputs, region.output_count}, true};
  return Take(of, "create_region", std::move(constants), reason,
              [&](GeKernel *out) { return table_.create_region(self_, &region, &env, out); });
}

void Engine::Claim(const GeGraphView &graph, const GeClaims &claims) const {
  Show(graph);
  TakeEngineError();
  const std::string label = Str("graph '", graph.name, "'");
  const char *const subject = label.c_str();
  const GeStatus status =
      Barrier(*health_, "claim", SubjectOf(subject), [&] { return table_.claim(self_, &graph, &claims); });
  if (status != GE_SUCCESS)
    Fail(status, label, ": engine ", name(), " failed to say what it takes: ", Reported(status));
}

Kernel::Kernel(EnginePtr engine, const GeKernel &kernel, std::vector<TensorPtr> constants,
               std::vector<const void *> packed)
    : engine_(std::move(engine)),
      kernel_(kernel),
      implementation_(kernel.implementation ? kernel.implementation : ""),
      constants_(std::move(constants)) {
  if (kernel.flags & GE_KERNEL_READS_PACKED) packed_ = std::move(packed);
}

void Kernel::AddAliases(const GeOpDesc &op) {
  if (kernel_.alias_count > 0 || data_dependent() || op.input_count == 0 || op.output_count == 0) return;
  const GeTensorData &out = op.outputs[0];
  const auto bytes = [](const GeTensorData &t) {
    int64_t elements = 1;
    for (int32_t d = 0; d < t.rank; ++d) elements *= t.dims[d];
    return elements * GeDataTypeBits(t.data_type);
  };
  if (GeOpHasTrait(&op, GE_TRAIT_VIEW)) {
    if (bytes(op.inputs[0]) == bytes(out)) aliases_.push_back({GE_ALIAS_OUTPUT_IN_INPUT, 0, 0, 0, 0});
    kernel_.flags |= aliases_.empty() || op.output_count > 1 ? 0 : GE_KERNEL_VIEW;
  } else if (GeOpHasTrait(&op, GE_TRAIT_IN_PLACE)) {
    for (size_t i = 0; i < op.input_count; ++i) {
      const GeTensorData &in = op.inputs[i];
      if (in.data_type == out.data_type && in.rank == out.rank && std::equal(in.dims, in.dims + in.rank, out.dims))
        aliases_.push_back({GE_ALIAS_IN_PLACE, static_cast<int32_t>(i), 0, 0, 0});
    }
  }
  kernel_.aliases = aliases_.data();
  kernel_.alias_count = static_cast<uint32_t>(aliases_.size());
}

GeStatus Kernel::Run(const GeKernelArgs &args) const {
  DropEngineError();
  return Barrier(engine_->health(), "run", [&] { return kernel_.run(kernel_.state, &args); });
}

uint64_t Kernel::WorkspaceFor(const std::string &node, const int64_t *const *input_dims,
                              const int64_t *const *output_dims) const {
  uint64_t bytes = 0;
  TakeEngineError();
  const char *const subject = node.c_str();
  const GeStatus status = Barrier(engine_->health(), "workspace_for", SubjectOf(subject), [&] {
    return kernel_.workspace_for(kernel_.state, input_dims, output_dims, &bytes);
  });
  if (status != GE_SUCCESS)
    Fail(status, node, ": engine ", engine_->name(), " could not tell its workspace: ", Reported(status));
  if (bytes > kMaxTensorBytes)
    Fail(GE_FAILED, node, ": engine ", engine_->name(), " asks for a workspace of ", bytes, " bytes, at most ",
         kMaxTensorBytes, " are possible");
  return bytes;
}

bool Kernel::ReadsPackedOnly(const void *constant) const {
  return std::find(packed_.begin(), packed_.end(), constant) != packed_.end();
}

Kernel::~Kernel() {
  if (kernel_.destroy) {
    BarrierOfReturn(engine_->health(), "destroy", [&] { kernel_.destroy(kernel_.state); });
  }
}

GeOpDesc Nameless(const GeOpDesc &op) {
  GeOpDesc nameless = op;
  nameless.name = "";
  return nameless;
}

void SortEngines(EngineList *engines) {
  auto key = [](const EnginePtr &e) {
    const int order = e->own_operators() ? 0 : (e->flags() & GE_ENGINE_VIEWS) ? 1 : 2;
    return std::make_pair(order, e->cost());
  };
  std::stable_sort(engines->begin(), engines->end(),
                   [&](const EnginePtr &a, const EnginePtr &b) { return key(a) < key(b); });
}

}  // namespace gec
