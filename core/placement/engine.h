// An engine and its kernels as the core sees them: a plug-in's table, opened, with one barrier around every call into
// it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ir/tensor.h"
#include "core/ops/op_desc.h"
#include "core/placement/engine_health.h"
#include "core/support/error.h"
#include "ge/engine.h"

namespace gec {

/// Keeps what an engine reports through `fail` for the thread that called it. Engines get this function, so that a
/// refusal that is handled inside never reaches the user's last error.
GeStatus EngineFail(GeStatus code, const char *message) noexcept;
/// Puts a text back that was taken, empty or not.
inline GeStatus EngineFail(GeStatus code, const std::string &text) noexcept {
  return text.empty() ? code : EngineFail(code, text.c_str());
}
/// Remembers that the kernel which the thread is making packed this constant; TakePacked gives the list and empties it.
void NotePacked(const void *data);
std::vector<const void *> TakePacked() noexcept;
/// The text reported since the last call of this on the thread; empty when there was none.
std::string TakeEngineError() noexcept;
/// Of the calling thread: a text waits that nobody took. It stays in its place: a loop over kernels asks once where.
const bool &EngineErrorWaits() noexcept;
/// Forgets what was reported so far: a call that fails later is not to be told by another one's text.
inline void DropEngineError() noexcept {
  if (EngineErrorWaits()) TakeEngineError();
}

/// Bytes of a constant of the node whose kernel this thread is making; 0: it is none of its.
uint64_t ConstantBytes(const void *data) noexcept;

class Engine;
class Kernel;
using EnginePtr = std::shared_ptr<const Engine>;

/// Messages tell by this what failed: the texts an engine reported, or the status.
std::string Reported(GeStatus status);

/// One bound kernel. Shared by plans; keeps its engine and the constants it was made from alive.
class Kernel {
 public:
  Kernel(EnginePtr engine, const GeKernel &kernel, std::vector<TensorPtr> constants, std::vector<const void *> packed);
  /// One call behind the barrier, noted where the thread's calls are watched. An engine that hangs is not called. Plans
  /// call `get().run` themselves, where nobody watches.
  GeStatus Run(const GeKernelArgs &args) const;
  /// Lets the planner use what traits say of the operator, where the engine gave no aliases itself.
  void AddAliases(const GeOpDesc &op);
  /// Of a kernel that has workspace_for. Throws what that fails with, naming the node.
  uint64_t WorkspaceFor(const std::string &node, const int64_t *const *input_dims,
                        const int64_t *const *output_dims) const;
  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;
  const GeKernel &get() const { return kernel_; }
  const Engine &engine() const { return *engine_; }
  const std::string &implementation() const { return implementation_; }
  bool view() const { return (kernel_.flags & GE_KERNEL_VIEW) != 0; }
  /// A constant that was packed when the kernel was made and is not read itself.
  bool ReadsPackedOnly(const void *constant) const;
  bool data_dependent() const { return (kernel_.flags & GE_KERNEL_DATA_DEPENDENT) != 0; }
  bool allocates_outputs() const { return data_dependent() && (kernel_.flags & GE_KERNEL_ALLOCATES_OUTPUTS) != 0; }

 private:
  EnginePtr engine_;
  GeKernel kernel_;
  std::string implementation_;
  std::vector<TensorPtr> constants_;
  std::vector<const void *> packed_;
  std::vector<GeAlias> aliases_;  // from traits; kernel_ points to them
};
using KernelPtr = std::shared_ptr<const Kernel>;

/// The description without the node's name: what nodes that share a kernel have in common.
GeOpDesc Nameless(const GeOpDesc &op);

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  /// Opens the engine; throws what `open` reported. `library` keeps the code loaded.
  static EnginePtr Open(const GeEngineTable *table, const GeEngineHost *host, std::string path,
                        const std::string &options, std::shared_ptr<void> library);
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  const std::string &name() const { return health_->name(); }
  const std::string &version() const { return version_; }
  const std::string &path() const { return path_; }
  int32_t cost() const { return table_.cost; }
  uint32_t flags() const { return table_.flags; }

  EngineHealth &health() const { return *health_; }
  /// Not null: it did not come back from a call in time. It takes nothing any more.
  const Hang *hang() const noexcept { return health_->hang(); }

  /// True when the engine takes the node; else *reason says why not.
  bool Check(const GeOpDesc &op, std::string *reason) const;
  /// Null when the engine refuses after all (*reason says why); throws for every other failure.
  /// `shared`: nodes of other names may use the kernel too, so the engine does not get the name.
  KernelPtr Create(const GeOpDesc &op, bool shared, const GeKernelEnv &env, std::vector<TensorPtr> constants,
                   std::string *reason) const;

  /// Channels per block of NC1HWC0 that it likes on such a processor; 0: none. Throws for a number that is none.
  int32_t ChannelBlock(uint64_t cpu_features) const;

  /// Names of the libraries that it has opened as kernels needed them; "" where there are none. `open`: opens all
  /// first. *problem says what keeps it from that.
  std::string Libraries(bool open, std::string *problem) const;

  /// It takes parts of graphs.
  bool claims() const { return table_.claim != nullptr; }
  /// It is asked about single nodes.
  bool takes_nodes() const { return table_.check != nullptr; }
  /// Throws when the engine fails.
  void Claim(const GeGraphView &graph, const GeClaims &claims) const;
  /// As Create, of a kernel that serves all extents that `extents` allows. Null also where the engine makes none.
  KernelPtr CreateOpen(const GeOpDesc &op, const GeOpenExtents &extents, const GeKernelEnv &env,
                       std::vector<TensorPtr> constants, std::string *reason) const;
  /// It changes graphs for its own nodes.
  bool optimizes() const { return table_.optimize != nullptr; }
  /// GE_SUCCESS, GE_NOT_CHANGED, or what the engine fails with; the text waits for Reported.
  GeStatus Optimize(GeGraph *graph, int32_t hook) const;
  /// As Create, of a region.
  KernelPtr CreateRegion(const std::string &name, const GeRegion &region, const GeKernelEnv &env,
                         std::vector<TensorPtr> constants, std::string *reason) const;

  /// Memory of its own (memory_space.cpp); null where its kernels use the host's.
  const GeMemorySpace *space() const { return space_.name ? &space_ : nullptr; }
  bool has_streams() const { return space_.create_stream != nullptr; }
  bool has_events() const { return space_.create_event != nullptr; }
  /// Throws GE_OUT_OF_MEMORY, or what else the engine says; and for an address that breaks the alignment.
  void *Allocate(uint64_t bytes) const;
  void Release(void *memory) const noexcept;
  GeStatus Copy(void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) const;
  /// Null where the engine has no streams, and where its default stream is null.
  void *CreateStream() const;
  void DestroyStream(void *stream) const noexcept;
  GeStatus Synchronize(void *stream) const;
  /// Only where the engine has events.
  void *CreateEvent() const;
  void DestroyEvent(void *event) const noexcept;
  GeStatus RecordEvent(void *stream, void *event) const;
  GeStatus WaitEvent(void *event) const;
  GeStatus StreamWaitEvent(void *stream, void *event) const;
  /// A kernel of one input and one output that copies from or to this engine's memory.
  std::shared_ptr<const Kernel> CopyKernel(uint64_t bytes, bool to_space) const;

  /// Constants may be without their content while it looks at nodes.
  bool defers_constants() const { return (flags() & GE_ENGINE_DEFERS_CONSTANTS) != 0; }
  /// Takes operators of the program: GE_ENGINE_OWN_OPERATORS.
  bool own_operators() const { return (flags() & GE_ENGINE_OWN_OPERATORS) != 0; }

 private:
  Engine() = default;
  /// Constants get their content, unless the engine can wait for it.
  void Show(const GeOpDesc &op) const {
    if (!defers_constants()) FillConstants(op);
  }
  void Show(const GeGraphView &graph) const {
    for (size_t k = 0; k < graph.node_count && !defers_constants(); ++k) FillConstants(*graph.nodes[k]);
  }
  /// A node or region that is computed, as messages and checks of a kernel need it.
  struct Subject {
    const char *type, *name;
    std::span<const GeTensorData> inputs, outputs;
    bool region;
    std::string Label() const { return std::string(type) + " '" + name + "'"; }
  };
  /// Calls `make(kernel)` behind the barrier and takes over what it filled. Null when it refused.
  template <class Make>
  std::shared_ptr<Kernel> Take(const Subject &of, const char *function, std::vector<TensorPtr> constants,
                               std::string *reason, Make &&make) const;
  /// Throws what makes a kernel unusable.
  void CheckKernel(const GeKernel &kernel, const Subject &of) const;
  GeEngineTable table_{};  // as this library has it
  GeMemorySpace space_{};  // likewise; no name where the engine has no memory of its own
  bool open_ = false;
  void *self_ = nullptr;
  std::unique_ptr<EngineHealth> health_;
  std::string version_, path_;
  std::shared_ptr<void> library_;
};

/// Engines in the order they are asked: those of the program's own operators, those that only take work-free nodes,
/// then by cost.
using EngineList = std::vector<EnginePtr>;
void SortEngines(EngineList *engines);

/// The table as this library has it; throws GE_PARAM_INVALID / GE_ABI_MISMATCH when it cannot be used. `where` is its
/// path or "linked in".
GeEngineTable ReadEngineTable(const GeEngineTable *table, const std::string &where);
/// Likewise of an engine's memory (memory_space.cpp).
GeMemorySpace ReadMemorySpace(const GeMemorySpace &space, const char *engine);

}  // namespace gec
