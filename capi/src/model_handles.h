// Handles of options, models and run contexts.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "capi/src/handles.h"
#include "ge/model.h"
#include "ge/state.h"
#include "runtime/context.h"
#include "runtime/kept_state.h"
#include "runtime/model.h"
#include "runtime/options.h"
#include "runtime/session/session.h"

struct GeOptions {
  static constexpr uint64_t kMagic = 0x4f70746e48616e64;
  uint64_t magic = kMagic;
  gec::Options options;
};

struct GeModel {
  static constexpr uint64_t kMagic = 0x4d6f646c48616e64;
  uint64_t magic = kMagic;
  gec::ModelPtr model;
  // Texts handed out; rebuilt when a newer plan changed them.
  std::mutex mutex;
  std::weak_ptr<const gec::ExecPlan> described;  // kernels go back to engines where the model decides
  bool filled = false;
  std::vector<gec::PlacementInfo> placement;
};

struct GeRunContext {
  static constexpr uint64_t kMagic = 0x52756e4348616e64;
  explicit GeRunContext(gec::ModelPtr model) : context(std::move(model)) {}
  uint64_t magic = kMagic;
  gec::RunContext context;
};

struct GeState {
  static constexpr uint64_t kMagic = 0x5374617448616e64;
  uint64_t magic = kMagic;
  std::shared_ptr<gec::KeptState> state;
};

struct GeSessionHandle {
  static constexpr uint64_t kMagic = 0x5365737348616e64;
  explicit GeSessionHandle(gec::Options options) : session(std::move(options)) {}
  uint64_t magic = kMagic;
  gec::Session session;
};

namespace gec::api {

inline const Options &OptionsOf(const GeOptions *options, const char *function) {
  static const Options none;
  return options ? ValidOf(options, function, "options").options : none;
}

inline Session &SessionOf(GeSessionHandle *session, const char *function) {
  return ValidOf(session, function, "session").session;
}

/// Writes a text in one piece.
inline void Write(GeTextFn write, void *user, const std::string &text) { write(user, text.data(), text.size()); }

}  // namespace gec::api
