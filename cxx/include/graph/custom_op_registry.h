// CustomOpRegistry: creators of custom operators by type, and the one object made of each.
#ifndef INC_GRAPH_CUSTOM_OP_REGISTRY_H_
#define INC_GRAPH_CUSTOM_OP_REGISTRY_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ge/log.h"
#include "ge/status.h"
#include "graph/detail/custom_op_interfaces.h"

namespace ge {

/// Any thread may call.
class CustomOpRegistry {
 public:
  CustomOpRegistry() = default;
  CustomOpRegistry(const CustomOpRegistry &) = delete;
  CustomOpRegistry &operator=(const CustomOpRegistry &) = delete;

  /// GRAPH_PARAM_INVALID without a type or creator; GRAPH_FAILED for a type that has one: the first one stays.
  graphStatus RegisterCreator(const AscendString &type, const BaseOpCreator &creator) {
    if (type.GetLength() == 0 || !creator) return GRAPH_PARAM_INVALID;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (entries_.emplace(type.GetString(), Entry{creator, nullptr, nullptr}).second) return GRAPH_SUCCESS;
    }
    Warn(std::string("custom operator '") + type.GetString() + "' is registered already; the first one stays");
    return GRAPH_FAILED;
  }
  /// Made on first use, the same ever after. Null when the type has no creator or that gives none.
  BaseCustomOp *CreateOrGetCustomOp(const AscendString &type) { return Shared(type.GetString()).get(); }
  bool HasCreator(const AscendString &type) const {
    std::lock_guard<std::mutex> lock(mutex_);
    return entries_.count(type.GetString()) != 0;
  }
  bool HasCustomOp(const AscendString &type) const { return FindCustomOp(type) != nullptr; }
  /// Null while none is made.
  BaseCustomOp *FindCustomOp(const AscendString &type) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = entries_.find(type.GetString());
    return found == entries_.end() ? nullptr : found->second.op.get();
  }
  /// Models that were compiled before keep their objects.
  void RemoveCustomOps(const std::vector<AscendString> &types) {
    std::vector<Entry> removed;  // destroyed without the lock
    std::lock_guard<std::mutex> lock(mutex_);
    for (const AscendString &type : types) {
      auto found = entries_.find(type.GetString());
      if (found == entries_.end()) continue;
      removed.push_back(std::move(found->second));
      entries_.erase(found);
    }
  }
  graphStatus GetAllRegisteredOps(std::vector<AscendString> &types) const {
    std::lock_guard<std::mutex> lock(mutex_);
    types.clear();
    for (const auto &entry : entries_) types.emplace_back(entry.first.c_str());
    return GRAPH_SUCCESS;
  }

  /// For who keeps the object, and the lock under which it compiles.
  std::shared_ptr<BaseCustomOp> Shared(const std::string &type, std::shared_ptr<std::mutex> *compiling = nullptr) {
    BaseOpCreator creator;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto found = entries_.find(type);
      if (found == entries_.end()) return nullptr;
      if (found->second.op != nullptr) {
        if (compiling != nullptr) *compiling = found->second.compiling;
        return found->second.op;
      }
      creator = found->second.creator;
    }
    std::shared_ptr<BaseCustomOp> made = creator();  // may register others
    if (made == nullptr) {
      Warn("the creator of custom operator '" + type + "' gives none");
      return nullptr;
    }
    std::lock_guard<std::mutex> lock(mutex_);
    Entry &entry = entries_[type];
    if (entry.op == nullptr) {
      entry.op = std::move(made);
      entry.compiling = std::make_shared<std::mutex>();
    }
    if (compiling != nullptr) *compiling = entry.compiling;
    return entry.op;
  }

 private:
  struct Entry {
    BaseOpCreator creator;
    std::shared_ptr<BaseCustomOp> op;
    std::shared_ptr<std::mutex> compiling;
  };
  static void Warn(const std::string &text) { GeLogMessage(GE_LOG_WARNING, text.c_str()); }
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace ge

#endif
