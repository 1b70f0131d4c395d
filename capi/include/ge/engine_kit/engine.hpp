// An engine as a class, and the table that the library reads.
//
//   class MyEngine {
//    public:
//     explicit MyEngine(const GeEngineHost &host);           // or (host, options): what GeEngineLoad got
//     std::string Check(const GeOpDesc &op) const;           // why it does not run the node; empty: it does. Or void.
//                                                            // May throw what Refuse throws; most nodes are refused by
//                                                            // their type, and a text costs less than an exception
//     std::unique_ptr<ge::kit::Kernel> Create(const GeOpDesc &op, const GeKernelEnv &env) const;
//     // Both or neither, for engines that take parts of graphs:
//     void Claim(const GeGraphView &graph, const ge::kit::Claims &claims) const;
//     std::unique_ptr<ge::kit::Kernel> CreateRegion(const GeRegion &region, const GeKernelEnv &env) const;
//     // Changes the graph for the engine's own nodes (GeEngineTable.optimize); true when it did.
//     bool Optimize(GeGraph *graph, int32_t hook) const;
//     // A kernel for all extents that `extents` allows (GeEngineTable.create_open_kernel); throws what Refuse throws
//     // where it makes one for each size.
//     std::unique_ptr<ge::kit::Kernel> CreateOpen(const GeOpDesc &op, const GeOpenExtents &extents,
//                                                 const GeKernelEnv &env) const;
//     // Channels per block of NC1HWC0 that its convolutions are fastest in (GeEngineTable.channel_block).
//     int32_t ChannelBlock(uint64_t cpu_features) const;
//     // Names of the libraries that it has opened, which it opens when they are needed (GeEngineTable.libraries).
//     const char *Libraries(bool open) const;
//     // All of them, or none, for engines with memory of their own (GeMemorySpace); they throw what Fail throws:
//     void *Allocate(uint64_t bytes) const;
//     void Release(void *memory) const;
//     void Copy(void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) const;
//     void *CreateStream() const;
//     void DestroyStream(void *stream) const;
//     void Synchronize(void *stream) const;
//     // All of them, or none, for engines with streams:
//     void *CreateEvent() const;
//     void DestroyEvent(void *event) const;
//     void RecordEvent(void *stream, void *event) const;
//     void WaitEvent(void *event) const;
//     void StreamWaitEvent(void *stream, void *event) const;
//   };
//   constexpr GeMemorySpace kMemory = ge::kit::MemoryOf<MyEngine>("mine", 256);
//   constexpr GeEngineTable kTable = ge::kit::TableOf<MyEngine>("MyEngine", "1.0", 3, GE_ENGINE_ATOMIC, &kMemory);
//
// Members are called by several threads at once.
#ifndef GE_ENGINE_KIT_ENGINE_HPP_
#define GE_ENGINE_KIT_ENGINE_HPP_

#include <cstdio>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ge/engine.h"
#include "ge/engine_kit/failure.hpp"
#include "ge/engine_kit/kernel.hpp"
#include "ge/engine_kit/views.hpp"

GE_ENGINE_KIT_BEGIN

/// Claim says here what the engine takes (GeClaims).
class Claims {
 public:
  explicit Claims(const GeClaims *claims) : claims_(claims) {}
  /// Nodes to run together, by their numbers in the view.
  void Take(const std::vector<int32_t> &nodes) const {
    const GeStatus status = claims_->take(claims_->host, nodes.data(), nodes.size());
    if (status != GE_SUCCESS) throw Refused{status};
  }
  /// The library refused a set, and has said why.
  struct Refused {
    GeStatus code;
  };

 private:
  const GeClaims *claims_;
};

template <class E, class = void>
struct TakesRegions : std::false_type {};
template <class E>
struct TakesRegions<E, std::void_t<decltype(&E::Claim)>> : std::true_type {};

template <class E, class = void>
struct ChangesGraphs : std::false_type {};
template <class E>
struct ChangesGraphs<E, std::void_t<decltype(&E::Optimize)>> : std::true_type {};

template <class E, class = void>
struct MakesOpenKernels : std::false_type {};
template <class E>
struct MakesOpenKernels<E, std::void_t<decltype(&E::CreateOpen)>> : std::true_type {};

template <class E, class = void>
struct LikesBlocks : std::false_type {};
template <class E>
struct LikesBlocks<E, std::void_t<decltype(&E::ChannelBlock)>> : std::true_type {};

template <class E, class = void>
struct OpensLibraries : std::false_type {};
template <class E>
struct OpensLibraries<E, std::void_t<decltype(&E::Libraries)>> : std::true_type {};

template <class E, class = void>
struct HasEvents : std::false_type {};
template <class E>
struct HasEvents<E, std::void_t<decltype(&E::CreateEvent)>> : std::true_type {};

/// The functions of GeEngineTable for the class E.
template <class E>
struct EngineFunctions {
  struct Opened {
    const GeEngineHost *host;
    E engine;
  };
  static const GeEngineHost *HostOf(void *engine) { return static_cast<Opened *>(engine)->host; }
  /// For use under a guard.
  static Opened &Self(void *engine) {
    Opened &self = *static_cast<Opened *>(engine);
    HostOfEngine::Set(self.host);
    return self;
  }

  static GeStatus Open(const GeEngineHost *host, const char *, const char *options, void **engine) {
    *engine = nullptr;
    return Guard(host->fail, [&] {
      HostOfEngine::Set(host);
      if constexpr (std::is_constructible_v<E, const GeEngineHost &, const char *>)
        *engine = new Opened{host, E(*host, options)};
      else *engine = new Opened{host, E(*host)};
    });
  }
  static void Close(void *engine) {
    Opened *self = static_cast<Opened *>(engine);
    Guard(self->host->fail, [&] { Self(engine); });
    delete self;
  }
  static GeStatus Check(void *engine, const GeOpDesc *op, char *reason, size_t capacity) {
    if constexpr (std::is_void_v<decltype(Self(engine).engine.Check(*op))>) {
      return GuardCheck(reason, capacity, [&] { Self(engine).engine.Check(*op); });
    } else {
      bool refused = false;
      const GeStatus status = GuardCheck(reason, capacity, [&] {
        const std::string why = Self(engine).engine.Check(*op);
        refused = !why.empty();
        if (refused && reason && capacity) std::snprintf(reason, capacity, "%s", why.c_str());
      });
      return refused ? static_cast<GeStatus>(GE_UNSUPPORTED) : status;
    }
  }
  static GeStatus CreateKernel(void *engine, const GeOpDesc *op, const GeKernelEnv *env, GeKernel *out) {
    return Guard(env->fail, [&] { HandOver(Self(engine).engine.Create(*op, *env), env, out); });
  }
  static GeStatus Claim(void *engine, const GeGraphView *graph, const GeClaims *claims) {
    GeStatus refused = GE_SUCCESS;
    const GeStatus status = Guard(HostOf(engine)->fail, [&] {
      try {
        Self(engine).engine.Claim(*graph, Claims(claims));
      } catch (const Claims::Refused &r) {
        refused = r.code;
      }
    });
    return refused != GE_SUCCESS ? refused : status;
  }
  static GeStatus CreateRegion(void *engine, const GeRegion *region, const GeKernelEnv *env, GeKernel *out) {
    return Guard(env->fail, [&] { HandOver(Self(engine).engine.CreateRegion(*region, *env), env, out); });
  }
  static GeStatus Optimize(void *engine, GeGraph *graph, int32_t hook) {
    bool changed = false;
    const GeStatus status = Guard(HostOf(engine)->fail, [&] { changed = Self(engine).engine.Optimize(graph, hook); });
    return status == GE_SUCCESS && !changed ? static_cast<GeStatus>(GE_NOT_CHANGED) : status;
  }
  static GeStatus CreateOpenKernel(void *engine, const GeOpDesc *op, const GeOpenExtents *extents,
                                   const GeKernelEnv *env, GeKernel *out) {
    return Guard(env->fail, [&] { HandOver(Self(engine).engine.CreateOpen(*op, *extents, *env), env, out); });
  }
  static int32_t ChannelBlock(void *engine, uint64_t cpu_features) {
    int32_t block = 0;
    Guard(HostOf(engine)->fail, [&] { block = Self(engine).engine.ChannelBlock(cpu_features); });
    return block;
  }
  static GeStatus Libraries(void *engine, int32_t open, const char **opened) {
    *opened = "";
    return Guard(HostOf(engine)->fail, [&] { *opened = Self(engine).engine.Libraries(open != 0); });
  }
};

/// The functions of GeMemorySpace for the class E.
template <class E>
struct MemoryFunctions {
  using Engine = EngineFunctions<E>;
  template <class Body>
  static GeStatus Guarded(void *engine, const Body &body) {
    return Guard(Engine::HostOf(engine)->fail, [&] { body(Engine::Self(engine).engine); });
  }
  static GeStatus Allocate(void *engine, uint64_t bytes, void **memory) {
    return Guarded(engine, [&](E &self) { *memory = self.Allocate(bytes); });
  }
  static void Release(void *engine, void *memory) {
    Guarded(engine, [&](E &self) { self.Release(memory); });
  }
  static GeStatus Copy(void *engine, void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) {
    return Guarded(engine, [&](E &self) { self.Copy(stream, to, from, bytes, direction); });
  }
  static GeStatus CreateStream(void *engine, void **stream) {
    return Guarded(engine, [&](E &self) { *stream = self.CreateStream(); });
  }
  static void DestroyStream(void *engine, void *stream) {
    Guarded(engine, [&](E &self) { self.DestroyStream(stream); });
  }
  static GeStatus Synchronize(void *engine, void *stream) {
    return Guarded(engine, [&](E &self) { self.Synchronize(stream); });
  }
  static GeStatus CreateEvent(void *engine, void **event) {
    return Guarded(engine, [&](E &self) { *event = self.CreateEvent(); });
  }
  static void DestroyEvent(void *engine, void *event) {
    Guarded(engine, [&](E &self) { self.DestroyEvent(event); });
  }
  static GeStatus RecordEvent(void *engine, void *stream, void *event) {
    return Guarded(engine, [&](E &self) { self.RecordEvent(stream, event); });
  }
  static GeStatus WaitEvent(void *engine, void *event) {
    return Guarded(engine, [&](E &self) { self.WaitEvent(event); });
  }
  static GeStatus StreamWaitEvent(void *engine, void *stream, void *event) {
    return Guarded(engine, [&](E &self) { self.StreamWaitEvent(stream, event); });
  }
};

/// The memory of an engine whose class is E. The name must live as long as the library does.
template <class E>
constexpr GeMemorySpace MemoryOf(const char *name, uint64_t alignment) {
  using F = MemoryFunctions<E>;
  GeMemorySpace space{};
  space.struct_size = sizeof space;
  space.name = name;
  space.alignment = alignment;
  space.allocate = &F::Allocate;
  space.release = &F::Release;
  space.copy = &F::Copy;
  space.create_stream = &F::CreateStream;
  space.destroy_stream = &F::DestroyStream;
  space.synchronize = &F::Synchronize;
  if constexpr (HasEvents<E>::value) {
    space.create_event = &F::CreateEvent;
    space.destroy_event = &F::DestroyEvent;
    space.record_event = &F::RecordEvent;
    space.wait_event = &F::WaitEvent;
    space.stream_wait_event = &F::StreamWaitEvent;
  }
  return space;
}

/// The table of an engine whose class is E. Name and version must live as long as the library does.
template <class E>
constexpr GeEngineTable TableOf(const char *name, const char *version, int32_t cost, uint32_t flags,
                                const GeMemorySpace *memory = nullptr) {
  using F = EngineFunctions<E>;
  GeEngineTable table{};
  table.abi_version = GE_ENGINE_ABI_VERSION;
  table.struct_size = sizeof(GeEngineTable);
  table.name = name;
  table.version = version;
  table.cost = cost;
  table.flags = flags;
  table.open = &F::Open;
  table.close = &F::Close;
  table.check = &F::Check;
  table.create_kernel = &F::CreateKernel;
  if constexpr (TakesRegions<E>::value) {
    table.claim = &F::Claim;
    table.create_region = &F::CreateRegion;
  }
  table.memory = memory;
  if constexpr (ChangesGraphs<E>::value) table.optimize = &F::Optimize;
  if constexpr (MakesOpenKernels<E>::value) table.create_open_kernel = &F::CreateOpenKernel;
  if constexpr (LikesBlocks<E>::value) table.channel_block = &F::ChannelBlock;
  if constexpr (OpensLibraries<E>::value) table.libraries = &F::Libraries;
  return table;
}

GE_ENGINE_KIT_END

#endif
