// Functions of a program in the library's table.
#ifndef FLOW_FUNC_DETAIL_REGISTRATION_H_
#define FLOW_FUNC_DETAIL_REGISTRATION_H_

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "flow_func/detail/host_context.h"
#include "graph/detail/library_table.h"

namespace FlowFunc {
namespace detail {

/// How a function is made and called; kept for the life of the process, for flows may outlive who registered it.
struct Entry {
  std::string name;
  /// Null with the code that Init returned.
  std::function<std::shared_ptr<void>(const GeFlowHost *host, int32_t *code)> create;
  std::function<int32_t(void *object, const GeFlowHost *host, const GeFlowMessage *const *inputs, size_t count)>
      process;
};

class GE_OF_THIS_LIBRARY Registration {
 public:
  Registration() = default;
  ~Registration() {
    for (const uint64_t token : tokens_) GeFlowFunctionUnregister(token);
  }
  Registration(const Registration &) = delete;
  Registration &operator=(const Registration &) = delete;

  /// Functions of one family share objects; without one, a function has objects of its own.
  bool Add(Entry entry, const void *family, bool streams) {
    static auto *all = new std::vector<Entry *>;
    all->push_back(new Entry(std::move(entry)));
    GeFlowFunction table{};
    table.struct_size = sizeof table;
    table.name = all->back()->name.c_str();
    table.user = all->back();
    table.family = family != nullptr ? family : all->back();
    table.streams = streams ? 1 : 0;
    table.create = &Create;
    table.process = &Process;
    table.destroy = &Destroy;
    uint64_t token = 0;
    if (GeFlowFunctionRegister(&table, &token) != GE_SUCCESS) return false;
    tokens_.push_back(token);
    return true;
  }

 private:
  using Object = std::shared_ptr<void>;
  template <class Body>
  static int32_t Caught(Body &&body) {
    try {
      return body();
    } catch (const std::exception &error) {
      (void)GeSetLastError(GE_FAILED, (std::string("it threw: ") + error.what()).c_str());
    } catch (...) {
      (void)GeSetLastError(GE_FAILED, "it threw something that is no std::exception");
    }
    return FLOW_FUNC_FAILED;
  }
  static GeStatus Create(void *user, const GeFlowHost *host, void **instance) {
    return static_cast<GeStatus>(Caught([&] {
      int32_t code = FLOW_FUNC_SUCCESS;
      Object made = static_cast<Entry *>(user)->create(host, &code);
      if (made == nullptr) return code != FLOW_FUNC_SUCCESS ? code : FLOW_FUNC_FAILED;
      *instance = new Object(std::move(made));
      return FLOW_FUNC_SUCCESS;
    }));
  }
  static int32_t Process(void *user, void *instance, const GeFlowHost *host, const GeFlowMessage *const *inputs,
                         size_t count) {
    return Caught([&] {
      return static_cast<Entry *>(user)->process(static_cast<Object *>(instance)->get(), host, inputs, count);
    });
  }
  static void Destroy(void *, void *instance) {
    (void)Caught([&] {
      delete static_cast<Object *>(instance);
      return FLOW_FUNC_SUCCESS;
    });
  }
  std::vector<uint64_t> tokens_;
};

}  // namespace detail
}  // namespace FlowFunc

#endif
