// Values of variables: one store for each session, and one for each model that is compiled outside of a session.
//
// A run takes the values as of one moment and never sees another run's half. A run that assigns writes into memory of
// its own, which takes the place of the old values when the run has succeeded; such runs wait for one another, others
// do not wait.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/ir/tensor.h"
#include "core/placement/turn.h"

namespace gec {

class VariableStore {
 public:
  struct Declaration {
    std::string name;
    TensorDesc desc;    // not known: the first value decides
    TensorPtr initial;  // null: zeros
    std::string graph;  // for messages
  };
  /// Enters variables, all or none; gives each its number. The first value given counts, a later one only for a
  /// variable that has zeros so far. Throws GE_GRAPH_INVALID where type or shape differ from those it has.
  std::vector<size_t> Declare(const std::vector<Declaration> &list);

  /// False for a name that is not there, or has no type and shape yet.
  bool Describe(const std::string &name, TensorDesc *desc) const;
  size_t count() const;
  /// Names in the order they were declared, null behind the last. They stay as long as the store.
  const std::string *NameAt(size_t number) const;
  /// Copies of values, all of one moment. Throws GE_NOT_FOUND, and GE_BAD_STATE for a variable without a value yet.
  std::vector<std::shared_ptr<Tensor>> Copy(const std::vector<std::string> &names) const;
  /// Gives values, all at once; a name that is not there yet is declared. Throws GE_DATA_MISMATCH.
  void Set(const std::vector<std::pair<std::string, TensorPtr>> &values);

  // ---- for runs ----
  struct Held {
    TensorPtr value;
    bool is_set = false;  // it was given a value, by an initial one or a run
  };
  /// Values of one moment. They are given back with Release.
  void Take(const std::vector<size_t> &numbers, std::vector<Held> *values) const;
  void Release(std::vector<Held> *values) const;
  /// Held by a run that assigns, from before it takes values until it has published.
  Turn &writing() { return writing_; }
  /// Memory for a new value; writers only. Often that of the value before the last one.
  std::shared_ptr<Tensor> Spare(size_t number, const TensorDesc &desc);
  /// New values take the place of the old ones. `writers` name nodes for messages. Throws GE_DATA_MISMATCH, and nothing
  /// has changed then.
  void Publish(const std::vector<size_t> &numbers, std::vector<std::shared_ptr<Tensor>> *values,
               const std::vector<std::string> &writers);

 private:
  struct Slot {
    std::string name;
    std::string graph;  // that declared it
    TensorDesc desc;
    bool known = false;                   // desc is
    bool is_set = false;                  // not zeros for want of a value
    std::shared_ptr<const Tensor> value;  // null: no value yet
    std::shared_ptr<Tensor> own;          // the same, where it is the store's own memory
    std::shared_ptr<Tensor> spare;
  };
  static void CheckSame(const Slot &slot, const TensorDesc &desc, uint32_t code, const std::string &who);
  std::vector<size_t> Enter(const std::vector<std::pair<std::string, std::string>> &names);
  const Slot &Named(const std::string &name) const;

  Turn writing_;
  mutable std::mutex mutex_;  // all that follows; held for moments
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<std::string, size_t> by_name_;
};
using VariableStorePtr = std::shared_ptr<VariableStore>;

}  // namespace gec
