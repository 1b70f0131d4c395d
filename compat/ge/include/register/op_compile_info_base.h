// CompileInfoBase: what a tiling function's parse function made of an operator's compile information.
#ifndef INC_REGISTER_OP_COMPILE_INFO_BASE_H_
#define INC_REGISTER_OP_COMPILE_INFO_BASE_H_

#include <memory>

namespace optiling {

class CompileInfoBase {
 public:
  CompileInfoBase() = default;
  virtual ~CompileInfoBase() = default;
};
using CompileInfoPtr = std::shared_ptr<CompileInfoBase>;

}  // namespace optiling

#endif
