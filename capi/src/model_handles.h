// Handles of options, models and run contexts.
#pragma once

#include "capi/src/guard.h"
#include "ge/model.h"
#include "runtime/context.h"
#include "runtime/model.h"
#include "runtime/options.h"

struct GeOptions {
  gec::Options options;
};

struct GeModel {
  gec::ModelPtr model;
  // Texts handed out; rebuilt when a newer plan changed them.
  std::mutex mutex;
  gec::PlanPtr described;
  bool filled = false;
  std::vector<gec::PlacementInfo> placement;
};

struct GeRunContext {
  explicit GeRunContext(gec::ModelPtr model) : context(std::move(model)) {}
  gec::RunContext context;
};

namespace gec::api {

inline const Options &OptionsOf(const GeOptions *options) {
  static const Options none;
  return options ? options->options : none;
}

/// Writes a text in one piece.
inline void Write(GeTextFn write, void *user, const std::string &text) { write(user, text.data(), text.size()); }

}  // namespace gec::api
