// The process-wide table of operator prototypes and their inference functions.
#pragma once

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
};

class OpRegistry {
 public:
  static OpRegistry &Instance();  // built-in prototypes are registered on first use, from an explicit table
  void Register(const GeOpSchema *schema, GeInferFn infer);
  const OpEntry *Find(Symbol type) const;         // null when absent
  const IrDef *Get(std::string_view type) const;  // throws GE_NOT_FOUND with near names
  std::vector<const IrDef *> All() const;         // by name
  size_t size() const;
  const IrDef *At(size_t index) const;  // in the order of All(); null when out of range
  std::vector<std::string> Near(std::string_view type, size_t most = 3) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<Symbol, std::unique_ptr<OpEntry>> entries_;  // entries never move or die
  mutable std::vector<const IrDef *> sorted_;                     // for At; empty after a change
};

/// Near names by edit distance, for "did you mean".
std::vector<std::string> NearNames(std::string_view wanted, const std::vector<std::string> &names, size_t most = 3);

}  // namespace gec
