#include "ge/shared.h"

#include <map>
#include <mutex>
#include <string>

#include "capi/src/guard.h"

using namespace gec;
using namespace gec::api;

namespace {

struct SharedObjects {
  std::recursive_mutex mutex;  // an object may ask for others while it is made
  std::map<std::string, void *, std::less<>> by_name;
};
SharedObjects &All() {
  static auto *all = new SharedObjects;  // outlives every static object that may use it
  return *all;
}

}  // namespace

extern "C" GeStatus GeSharedObject(const char *name, GeMakeShared make, void **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeSharedObject, out);
    *out = nullptr;
    GE_CHECK_ARG(GeSharedObject, name);
    GE_CHECK_ARG(GeSharedObject, make);
    SharedObjects &all = All();
    std::lock_guard lock(all.mutex);
    auto found = all.by_name.find(name);
    if (found == all.by_name.end()) {
      found = all.by_name.emplace(name, nullptr).first;  // first, so that an object that is made is also kept
    }
    if (!found->second) {
      void *made = make();
      if (!made) Fail(GE_OUT_OF_MEMORY, "GeSharedObject: the object '", name, "' could not be made");
      found->second = made;
    }
    *out = found->second;
  });
}
