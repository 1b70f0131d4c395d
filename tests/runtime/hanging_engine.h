// An engine that runs Neg and Mul, and that hangs in a function that the test chooses until the test lets it go on. It
// counts what it makes and gets back.
#pragma once

#include <atomic>
#include <string>

#include "ge/engine.h"

namespace gec {

/// What the engine is like in a test.
struct HangingEngine {
  enum Extra : uint32_t {
    kPlain = 0,
    kMemory = 1,   // memory of its own, without streams
    kStreams = 2,  // and streams and events
    kClaims = 4,   // takes Neg in regions
    kHooks = 8,    // has optimize
    kOpen = 16,    // makes kernels for open extents
    kPacks = 32,   // packs constants
    kBlocks = 64,  // has channel_block
  };
  static constexpr const char *kName = "Hanging";

  /// Registers it; the destructor lets everything go on, waits for threads that were left behind, and unloads it.
  explicit HangingEngine(uint32_t extras);
  ~HangingEngine();
  HangingEngine(const HangingEngine &) = delete;
  HangingEngine &operator=(const HangingEngine &) = delete;

  /// From now on calls of this function hang ("" : none).
  void HangIn(const std::string &function);
  /// Those that hang go on.
  void LetGo();
  /// Waits until a call hangs.
  void WaitUntilItHangs();
  /// All threads that were left behind have ended, once they could.
  void WaitForThreads();

  // Of all engines of this kind.
  static std::atomic<int> engines, kernels, blocks, streams, events, runs;
  static bool NothingIsLeft();
};

}  // namespace gec
