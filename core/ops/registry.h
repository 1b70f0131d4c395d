// The process-wide table of operator prototypes and their inference functions.
#pragma once

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/ir_def.h"
#include "ge/op.h"

namespace gec {

struct OpEntry {
  const IrDef *ir = nullptr;
  GeInferFn infer = nullptr;
  bool builtin = false;  // infer is the library's own
};

class OpRegistry {
 public:
  // A built-in prototype is entered when it is first asked for: a program pays for the operators that it uses.
  static OpRegistry &Instance();
  void Register(const GeOpSchema *schema, GeInferFn infer);
  const OpEntry *Find(Symbol type) const;         // null when absent
  const IrDef *Get(std::string_view type) const;  // throws GE_NOT_FOUND with near names
  std::vector<const IrDef *> All() const;         // by name
  size_t size() const;
  const IrDef *At(size_t index) const;  // in the order of All(); null when out of range
  std::vector<std::string> Near(std::string_view type, size_t most = 3) const;

 private:
  const OpEntry *Lookup(Symbol type) const;  // among those that were entered
  void Enter(const GeOpSchema &schema, GeInferFn infer, bool builtin) const;
  void EnterAllBuiltin() const;

  // All of it is a cache over the built-in table until somebody registers more.
  mutable std::shared_mutex mutex_;
  mutable std::unordered_map<Symbol, std::unique_ptr<OpEntry>> entries_;  // entries never move or die
  mutable std::vector<const IrDef *> sorted_;                             // for At; empty after a change
  mutable std::atomic<bool> all_builtin_{false};
};

/// Near names by edit distance, for "did you mean".
std::vector<std::string> NearNames(std::string_view wanted, const std::vector<std::string> &names, size_t most = 3);
/// They as the end of a message: "; did you mean a, b" where `lead` is "did you mean"; "" where none is near.
std::string NearText(std::string_view lead, const std::vector<std::string> &near);

}  // namespace gec
