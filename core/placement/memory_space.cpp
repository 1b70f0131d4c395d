#include "core/placement/memory_space.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "core/placement/barrier.h"
#include "core/support/abi_sizes.h"

namespace gec {
namespace {

constexpr uint64_t kLeastAlignment = 64, kMostAlignment = 65536;

/// What `make` says. What it made is given back where nobody waits for it any more.
template <class Make, class GiveBack>
GeStatus Made(void *const &made, Make &&make, GiveBack &&give_back) {
  try {
    return make();
  } catch (const Abandoned &) {
    if (made) give_back();
    throw;
  }
}

/// The state of a kernel that copies.
struct Copier {
  EnginePtr engine;
  uint64_t bytes;
  int32_t direction;
  static GeStatus Run(void *state, const GeKernelArgs *args) {
    const Copier &self = *static_cast<const Copier *>(state);
    const GeStatus status =
        self.engine->Copy(args->stream, args->outputs[0], args->inputs[0], self.bytes, self.direction);
    // What comes back is read next.
    if (status != GE_SUCCESS || self.direction != GE_COPY_FROM_SPACE || !self.engine->has_streams()) return status;
    return self.engine->Synchronize(args->stream);
  }
};

}  // namespace

GeMemorySpace ReadMemorySpace(const GeMemorySpace &given, const char *engine) {
  const GeMemorySpace space = ReadStruct(given, Str("engine ", engine, ": its memory").c_str(), Surplus::kIgnored);
  auto refuse = [&](const auto &...text) { Fail(GE_PARAM_INVALID, "engine ", engine, ": its memory ", text...); };
  if (space.name == nullptr || space.name[0] == '\0') refuse("has no name");
  if (!space.allocate || !space.release || !space.copy)
    refuse(space.name, " lacks ", !space.allocate ? "allocate" : !space.release ? "release" : "copy");
  const int streams =
      (space.create_stream != nullptr) + (space.destroy_stream != nullptr) + (space.synchronize != nullptr);
  if (streams != 0 && streams != 3)
    refuse(space.name, " has ", streams, " of create_stream, destroy_stream and synchronize; all or none are needed");
  const int events = (space.create_event != nullptr) + (space.destroy_event != nullptr) +
                     (space.record_event != nullptr) + (space.wait_event != nullptr) +
                     (space.stream_wait_event != nullptr);
  if (events != 0 && events != 5)
    refuse(space.name, " has ", events, " of create_event, destroy_event, record_event, wait_event and ",
           "stream_wait_event; all or none are needed");
  if (events != 0 && streams == 0) refuse(space.name, " has events and no streams");
  const bool power = space.alignment != 0 && (space.alignment & (space.alignment - 1)) == 0;
  if (!power || space.alignment < kLeastAlignment || space.alignment > kMostAlignment)
    refuse(space.name, " has alignment ", space.alignment, ", allowed: powers of two from ", kLeastAlignment, " to ",
           kMostAlignment);
  return space;
}

void *Engine::Allocate(uint64_t bytes) const {
  void *memory = nullptr;
  TakeEngineError();
  const GeStatus status = Made(
      memory,
      [&] {
        return Barrier(*health_, "allocate",
                       [&] { return space_.allocate(self_, std::max<uint64_t>(bytes, 1), &memory); });
      },
      [&] { Release(memory); });
  if (status != GE_SUCCESS)
    Fail(status, "engine ", name(), ": ", bytes, " bytes of ", space_.name, " cannot be allocated: ", Reported(status));
  if (memory == nullptr)
    Fail(GE_FAILED, "engine ", name(), ": allocate answered null for ", bytes, " bytes of ", space_.name);
  if (reinterpret_cast<uintptr_t>(memory) % space_.alignment != 0) {
    Release(memory);
    Fail(GE_FAILED, "engine ", name(), ": allocate answered an address that is no multiple of the alignment ",
         space_.alignment, " of ", space_.name);
  }
  return memory;
}

void Engine::Release(void *memory) const noexcept {
  BarrierOfReturn(*health_, "release", [&] { space_.release(self_, memory); });
}

GeStatus Engine::Copy(void *stream, void *to, const void *from, uint64_t bytes, int32_t direction) const {
  DropEngineError();
  return Barrier(*health_, "copy", [&] { return space_.copy(self_, stream, to, from, bytes, direction); });
}

void *Engine::CreateStream() const {
  if (!has_streams()) return nullptr;
  void *stream = nullptr;
  TakeEngineError();
  const GeStatus status = Made(
      stream, [&] { return Barrier(*health_, "create_stream", [&] { return space_.create_stream(self_, &stream); }); },
      [&] { DestroyStream(stream); });
  if (status != GE_SUCCESS)
    Fail(status, "engine ", name(), ": a stream of ", space_.name, " cannot be made: ", Reported(status));
  return stream;
}

void Engine::DestroyStream(void *stream) const noexcept {
  if (!stream) return;  // the engine's default stream, or none
  BarrierOfReturn(*health_, "destroy_stream", [&] { space_.destroy_stream(self_, stream); });
}

GeStatus Engine::Synchronize(void *stream) const {
  DropEngineError();
  return Barrier(*health_, "synchronize", [&] { return space_.synchronize(self_, stream); });
}

void *Engine::CreateEvent() const {
  void *event = nullptr;
  TakeEngineError();
  const GeStatus status = Made(
      event, [&] { return Barrier(*health_, "create_event", [&] { return space_.create_event(self_, &event); }); },
      [&] { DestroyEvent(event); });
  if (status != GE_SUCCESS)
    Fail(status, "engine ", name(), ": an event of ", space_.name, " cannot be made: ", Reported(status));
  return event;
}

void Engine::DestroyEvent(void *event) const noexcept {
  BarrierOfReturn(*health_, "destroy_event", [&] { space_.destroy_event(self_, event); });
}

GeStatus Engine::RecordEvent(void *stream, void *event) const {
  DropEngineError();
  return Barrier(*health_, "record_event", [&] { return space_.record_event(self_, stream, event); });
}

GeStatus Engine::WaitEvent(void *event) const {
  DropEngineError();
  return Barrier(*health_, "wait_event", [&] { return space_.wait_event(self_, event); });
}

GeStatus Engine::StreamWaitEvent(void *stream, void *event) const {
  DropEngineError();
  return Barrier(*health_, "stream_wait_event", [&] { return space_.stream_wait_event(self_, stream, event); });
}

KernelPtr Engine::CopyKernel(uint64_t bytes, bool to_space) const {
  auto copier =
      std::make_unique<Copier>(Copier{shared_from_this(), bytes, to_space ? GE_COPY_TO_SPACE : GE_COPY_FROM_SPACE});
  const std::string text = to_space ? Str("copy:host->", space_.name) : Str("copy:", space_.name, "->host");
  GeKernel kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.run = &Copier::Run;
  kernel.state = copier.get();
  kernel.destroy = [](void *state) { delete static_cast<Copier *>(state); };
  kernel.implementation = text.c_str();  // is copied
  auto made =
      std::make_shared<Kernel>(shared_from_this(), kernel, std::vector<TensorPtr>(), std::vector<const void *>());
  copier.release();
  return made;
}

SpaceMemory::SpaceMemory(EnginePtr engine) : engine_(std::move(engine)), stream_(engine_->CreateStream()) {}

SpaceMemory::~SpaceMemory() {
  engine_->DestroyStream(copy_stream_);
  engine_->DestroyStream(stream_);
  for (const Copy &copy : copies_)
    for (void *event : {copy.ready, copy.done})
      if (event) engine_->DestroyEvent(event);
}

void SpaceMemory::ReserveCopies(size_t count) {
  if (count != 0 && !two_streams_) {
    copy_stream_ = engine_->CreateStream();
    two_streams_ = true;
  }
  while (copies_.size() < count) {
    copies_.emplace_back();
    try {
      copies_.back().ready = engine_->CreateEvent();
      copies_.back().done = engine_->CreateEvent();
    } catch (...) {  // a later run tries again
      if (copies_.back().ready) engine_->DestroyEvent(copies_.back().ready);
      copies_.pop_back();
      throw;
    }
  }
}

GeStatus SpaceMemory::StartCopyToHost(size_t k, void *to, const void *from, uint64_t bytes) {
  const Copy &copy = copies_[k];
  GeStatus status = engine_->RecordEvent(stream_, copy.ready);
  if (status == GE_SUCCESS) status = engine_->StreamWaitEvent(copy_stream_, copy.ready);
  if (status == GE_SUCCESS) status = engine_->Copy(copy_stream_, to, from, bytes, GE_COPY_FROM_SPACE);
  if (status == GE_SUCCESS) status = engine_->RecordEvent(copy_stream_, copy.done);
  return status;
}

GeStatus SpaceMemory::Synchronize() const {
  if (!engine_->has_streams()) return GE_SUCCESS;
  const GeStatus first = engine_->Synchronize(stream_);
  if (!two_streams_ || copy_stream_ == stream_) return first;  // the engine may give one stream twice: the null one
  const std::string text = first != GE_SUCCESS ? TakeEngineError() : "";
  const GeStatus second = engine_->Synchronize(copy_stream_);
  return first != GE_SUCCESS ? EngineFail(first, text) : second;
}

bool SpaceMemory::Ensure(uint64_t bytes) {
  if (bytes <= bytes_) return false;
  arena_ = SpaceBlock(engine_, bytes);
  bytes_ = bytes;
  return true;
}

TensorPtr CopyConstant(const EnginePtr &engine, const Tensor &constant) {
  auto block = std::make_unique<SpaceBlock>(engine, constant.bytes());
  if (constant.bytes() != 0) {
    TakeEngineError();
    const GeStatus status = engine->Copy(nullptr, block->data(), constant.data(), constant.bytes(), GE_COPY_TO_SPACE);
    if (status != GE_SUCCESS)
      Fail(status, "engine ", engine->name(), ": a constant of ", constant.bytes(), " bytes cannot be copied to ",
           engine->space()->name, ": ", Reported(status));
  }
  std::shared_ptr<Buffer> buffer = Buffer::Borrow(
      block->data(), constant.bytes(), [](void *arg) { delete static_cast<SpaceBlock *>(arg); }, block.get());
  block.release();
  return std::make_shared<Tensor>(constant.desc, std::move(buffer));
}

GeStatus RunFromHost(const Kernel &kernel, SpaceMemory &memory, std::span<const HostBuffer> inputs,
                     std::span<const HostBuffer> outputs) {
  const Engine &engine = memory.engine();
  const uint64_t alignment = engine.space()->alignment;
  uint64_t total = 0;
  std::vector<uint64_t> offsets;
  const auto place = [&](uint64_t bytes) {
    offsets.push_back(total);
    total += AlignUp(std::max<uint64_t>(bytes, 1), alignment);
  };
  for (const HostBuffer &b : inputs) place(b.bytes);
  for (const HostBuffer &b : outputs) place(b.bytes);
  place(kernel.get().workspace_bytes);
  memory.Ensure(total);
  std::vector<const void *> in;
  std::vector<void *> out;
  GeStatus status = GE_SUCCESS;
  for (size_t i = 0; i < inputs.size(); ++i) {
    char *at = memory.base() + offsets[i];
    in.push_back(inputs[i].data ? at : nullptr);
    if (inputs[i].data && inputs[i].bytes && status == GE_SUCCESS)
      status = engine.Copy(memory.stream(), at, inputs[i].data, inputs[i].bytes, GE_COPY_TO_SPACE);
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    out.push_back(outputs[i].data ? memory.base() + offsets[inputs.size() + i] : nullptr);
  GeKernelArgs args{};
  args.struct_size = sizeof args;
  args.inputs = in.data();
  args.outputs = out.data();
  args.workspace = memory.base() + offsets.back();
  args.stream = memory.stream();
  if (status == GE_SUCCESS) status = kernel.Run(args);
  for (size_t i = 0; i < outputs.size() && status == GE_SUCCESS; ++i)
    if (outputs[i].data && outputs[i].bytes)
      status = engine.Copy(memory.stream(), outputs[i].data, out[i], outputs[i].bytes, GE_COPY_FROM_SPACE);
  const std::string text = status != GE_SUCCESS ? TakeEngineError() : "";
  const GeStatus last = memory.Synchronize();
  return status != GE_SUCCESS ? EngineFail(status, text) : last;
}

}  // namespace gec
