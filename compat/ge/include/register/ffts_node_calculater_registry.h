// FFTS_REGISTER_NODE_CALCULATER: functions, by name, that work out the memory a node's task needs.
#ifndef INC_REGISTER_FFTS_NODE_CALCULATER_REGISTRY_H_
#define INC_REGISTER_FFTS_NODE_CALCULATER_REGISTRY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "graph/error_codes.h"
#include "register/detail/function_table.h"

namespace ge {
/// Passed through, as OpDesc.
class Node;
using NodePtr = std::shared_ptr<Node>;
}  // namespace ge

namespace gert {

class LoweringGlobalData;

/// Memory of a task, on both sides. Borrowed.
struct NodeMemPara {
  size_t size{0};
  void *dev_addr{nullptr};
  void *host_addr{nullptr};
};

/// One for the process. Any thread may call.
class FFTSNodeCalculaterRegistry {
 public:
  /// total_size: bytes the task needs; pre_data_ptr: the first pre_data_size of them, owned by the caller.
  using NodeCalculater = ge::graphStatus (*)(const ge::NodePtr &node, const LoweringGlobalData *global_data,
                                             size_t &total_size, size_t &pre_data_size,
                                             std::unique_ptr<uint8_t[]> &pre_data_ptr);
  static FFTSNodeCalculaterRegistry &GetInstance() {
    static FFTSNodeCalculaterRegistry registry;
    return registry;
  }
  /// Null where nothing was registered.
  NodeCalculater FindNodeCalculater(const std::string &func_name) const { return Table::Find(func_name); }
  /// The last function of a name counts.
  void Register(const std::string &func_name, const NodeCalculater func) { Table::Set(func_name, func); }

 private:
  struct Kind {
    static const char *Name() { return "FFTS node calculater"; }
  };
  using Table = ge::detail::FunctionTable<Kind, std::string, NodeCalculater>;
  // Nothing is kept in the object: libraries of another std::string may see the same one.
};

class FFTSNodeCalculaterRegister {
 public:
  FFTSNodeCalculaterRegister(const std::string &func_name, FFTSNodeCalculaterRegistry::NodeCalculater func) {
    FFTSNodeCalculaterRegistry::GetInstance().Register(func_name, func);
  }
};

}  // namespace gert

#define FFTS_REGISTER_NODE_CALCULATER(type, func)                                                                    \
  [[maybe_unused]] static const ::gert::FFTSNodeCalculaterRegister GE_UNIQUE_NAME(g_register_node_calculater_)(type, \
                                                                                                               func)

#endif
