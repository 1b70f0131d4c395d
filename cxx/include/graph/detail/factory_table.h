// A program's registrations by operator type: creators, inference and verification functions.
#ifndef INC_GRAPH_DETAIL_FACTORY_TABLE_H_
#define INC_GRAPH_DETAIL_FACTORY_TABLE_H_

#include <functional>
#include <string>

#include "ge/op.h"
#include "graph/ascend_string.h"
#include "graph/detail/library_table.h"
#include "graph/detail/name_map.h"
#include "graph/error_codes.h"

namespace ge {

class Operator;
using OpCreator = std::function<Operator(const std::string &)>;
using OpCreatorV2 = std::function<Operator(const AscendString &)>;
using InferShapeFunc = std::function<graphStatus(Operator &)>;
using InferFormatFunc = std::function<graphStatus(Operator &)>;
using InferValueRangeFunc = std::function<graphStatus(Operator &)>;
using VerifyFunc = std::function<graphStatus(Operator &)>;
namespace detail {
/// Inference by what the library hands over itself.
using NodeInferFunc = std::function<GeStatus(const GeInferContext *)>;
}  // namespace detail
enum WHEN_CALL { INPUT_IS_DYNAMIC = 0, INPUT_HAS_VALUE_RANGE = 1 };

namespace detail {

struct GE_OF_THIS_LIBRARY FactoryTable {
  static FactoryTable &Instance() {
    static FactoryTable *table = new FactoryTable;  // outlives every static object that may use it
    return *table;
  }
  Mutex mutex;
  NameMap<OpCreatorV2> creators;
  NameMap<InferShapeFunc> infer_shape, infer_format, infer_value_range, verify;
  NameMap<NodeInferFunc> infer_by_context;
  NameMap<bool> hooked;  // types that the library asks this table about

  template <class F>
  static void Add(NameMap<F> FactoryTable::*table, const char *type, const F &function) {
    if (type == nullptr) return;
    FactoryTable &self = Instance();
    Lock lock(self.mutex);
    (self.*table).emplace(type, function);  // the first registration stays
  }
  /// Empty when nothing was registered.
  template <class F>
  static F Find(NameMap<F> FactoryTable::*table, const std::string &type) {
    FactoryTable &self = Instance();
    Lock lock(self.mutex);
    auto found = (self.*table).find(type);
    return found == (self.*table).end() ? F() : found->second;
  }
  /// True the first time for a type that has a function to call.
  static bool HookOnce(const std::string &type) {
    FactoryTable &self = Instance();
    Lock lock(self.mutex);
    return (self.infer_shape.count(type) != 0 || self.verify.count(type) != 0 || self.infer_format.count(type) != 0 ||
            self.infer_by_context.count(type) != 0) &&
           self.hooked.emplace(type, true);
  }
  static void Unhook(const std::string &type) {
    FactoryTable &self = Instance();
    Lock lock(self.mutex);
    self.hooked.erase(type);
  }
};

}  // namespace detail
}  // namespace ge

#endif
