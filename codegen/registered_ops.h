// Which operators the prototype libraries registered, and from which file. While a library is being loaded this program
// answers its calls of GeOpRegister, GeOpSetTraits and GeOpFind, so that a type the engine knows already is seen as
// well, and a second, different prototype of one type is noticed.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "ge/op.h"

namespace codegen {

struct RegisteredOp {
  const GeOpSchema *schema = nullptr;  // lives until the process ends
  std::string library;
};

class RegisteredOps {
 public:
  RegisteredOps();
  ~RegisteredOps();
  RegisteredOps(const RegisteredOps &) = delete;
  RegisteredOps &operator=(const RegisteredOps &) = delete;

  /// Loads one library. Libraries of one `folder` must agree on a type; between folders the first one loaded counts.
  /// Throws std::runtime_error naming the library and the reason. Messages that stop nothing go to `log`.
  void Load(const std::string &library, const std::string &folder, std::ostream &log);

  /// By operator type.
  std::vector<RegisteredOp> All() const;

  struct Table;

 private:
  std::unique_ptr<Table> table_;
};

}  // namespace codegen
