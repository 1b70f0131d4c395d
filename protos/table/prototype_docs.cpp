#include "protos/table/prototype_docs.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace gec {
namespace {

constexpr PrototypeDoc kDocs[] = {
#include "prototype_docs.inc"
};

}  // namespace

const PrototypeDoc *FindPrototypeDoc(const char *type) {
  const PrototypeDoc *found =
      std::lower_bound(std::begin(kDocs), std::end(kDocs), type,
                       [](const PrototypeDoc &a, const char *b) { return std::strcmp(a.type, b) < 0; });
  return found != std::end(kDocs) && std::strcmp(found->type, type) == 0 ? found : nullptr;
}

}  // namespace gec
