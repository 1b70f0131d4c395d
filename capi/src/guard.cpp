#include "capi/src/guard.h"

#include <string>
#include <vector>

namespace gec::api {
namespace {

struct LastError {
  GeStatus code = GE_SUCCESS;
  std::vector<std::string> contexts;
  std::string whole;
  const char *fixed = nullptr;  // static text when there is no memory for another
};
LastError &Last() {
  static thread_local LastError last;
  return last;
}

constexpr const char *kOutOfMemory = "out of memory";

void SetFixed(GeStatus code, const char *text) noexcept {
  LastError &last = Last();
  last.code = code;
  last.contexts.clear();
  last.fixed = text;
}

}  // namespace

GeStatus Report(GeStatus code, const char *message) noexcept {
  if (code == GE_SUCCESS) code = GE_FAILED;
  try {
    std::vector<std::string> contexts = TakeContexts();
    std::string whole;
    for (const std::string &context : contexts) whole += context + ": ";
    whole += message ? message : "";
    LastError &last = Last();
    last.code = code;
    last.contexts.swap(contexts);
    last.whole.swap(whole);
    last.fixed = nullptr;
  } catch (...) {
    SetFixed(code, kOutOfMemory);
  }
  return code;
}

GeStatus ReportCurrent() noexcept {
  try {
    throw;
  } catch (const Error &e) {
    return Report(e.code(), e.what());
  } catch (const std::bad_alloc &) {
    TakeContexts();
    SetFixed(GE_OUT_OF_MEMORY, kOutOfMemory);
    return GE_OUT_OF_MEMORY;
  } catch (const std::length_error &e) {  // a container asked for more than can exist
    return Report(GE_OUT_OF_MEMORY, e.what());
  } catch (const std::exception &e) {
    return Report(GE_FAILED, e.what());
  } catch (...) {
    return Report(GE_FAILED, "unknown exception");
  }
}

void NullArgument(const char *function, const char *argument) {
  Fail(GE_PARAM_INVALID, function, ": ", argument, " is null");
}

}  // namespace gec::api

using gec::api::Last;

extern "C" {

GeStatus GeLastErrorCode(void) { return Last().code; }

const char *GeLastErrorMessage(void) {
  const auto &last = Last();
  return last.fixed ? last.fixed : last.whole.c_str();
}

size_t GeLastErrorContextCount(void) { return Last().contexts.size(); }

const char *GeLastErrorContext(size_t index) {
  const auto &contexts = Last().contexts;
  return index < contexts.size() ? contexts[index].c_str() : nullptr;
}

void GeClearLastError(void) {
  auto &last = Last();
  last.code = GE_SUCCESS;
  last.contexts.clear();
  last.whole.clear();
  last.fixed = nullptr;
}

GeStatus GeSetLastError(GeStatus code, const char *message) {
  if (code == GE_SUCCESS) {
    GeClearLastError();
    return code;
  }
  return gec::api::Report(code, message);
}

}  // extern "C"
