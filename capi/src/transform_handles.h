// Handles of passes, scopes and instruments. They count their references.
#pragma once

#include <atomic>

#include "capi/src/pass_handles.h"
#include "ge/pass_manager.h"

struct GePass {
  static constexpr uint64_t kMagic = 0x4765506173732121;
  uint64_t magic = kMagic;
  gec::PassEntryPtr entry;
  std::vector<const char *> required;  // of the entry, for GePassInfo
};

struct GePassScope {
  static constexpr uint64_t kMagic = 0x47655363 ^ 0x6f70652121;
  uint64_t magic = kMagic;
  gec::PassScopePtr scope;
  std::vector<gec::Diagnostic> shown;  // texts that GePassScopeDiagnosticAt gave
};

struct GeInstrument {
  static constexpr uint64_t kMagic = 0x4765496e73747221;
  uint64_t magic = kMagic;
  gec::PassInstrumentPtr instrument;
};

namespace gec::api {

/// Throws the failure that a callback returned, with the text that it left as last error.
[[noreturn]] void FailAs(GeStatus status, const std::string &what);
/// The C form of what a pass says of itself. `required` keeps the list that it points to.
GePassInfo InfoOf(const PassInfo &info, std::vector<const char *> &required);
std::vector<PassInstrumentPtr> InstrumentsOf(GeInstrument *const *list, size_t count, const char *function);
std::vector<std::string> NamesOf(const char *const *names, size_t count, const char *function, const char *argument);

}  // namespace gec::api
