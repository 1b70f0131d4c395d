#include "capi/src/guard.h"

#include <string>
#include <system_error>
#include <vector>

#include "core/support/cancel.h"
#include "core/support/per_thread.h"

namespace gec::api {
namespace {

thread_local GeStatus t_code = GE_SUCCESS;
thread_local const char *t_fixed = nullptr;  // static text when there is no memory for another

struct LastText {
  std::vector<std::string> contexts;
  std::string whole;
};
// Made by the first error of a thread; until then there is no text.
thread_local LastText *t_text = nullptr;

constexpr const char *kOutOfMemory = "out of memory";

void SetFixed(GeStatus code, const char *text) noexcept {
  if (t_text) t_text->contexts.clear();
  t_code = code;
  t_fixed = text;
}

}  // namespace

GeStatus Report(GeStatus code, const char *message) noexcept {
  if (code == GE_SUCCESS) code = GE_FAILED;
  try {
    std::vector<std::string> contexts = TakeContexts();
    std::string whole;
    for (const std::string &context : contexts) whole += context + ": ";
    whole += message ? message : "";
    t_text = &PerThread<LastText>::Get();
    t_text->contexts.swap(contexts);
    t_text->whole.swap(whole);
    t_code = code;
    t_fixed = nullptr;
  } catch (...) {
    SetFixed(code, kOutOfMemory);
  }
  return code;
}

static GeStatus ReportInternal(const std::exception &e) noexcept {
  try {
    return Report(GE_FAILED, InternalError(e).c_str());
  } catch (...) {
    return Report(GE_FAILED, e.what());
  }
}

GeStatus ReportCurrent() noexcept {
  try {
    throw;
  } catch (const Error &e) {
    return Report(e.code(), e.what());
  } catch (const Cancelled &e) {
    return Report(e.code(), e.what());
  } catch (const std::bad_alloc &) {
    TakeContexts();
    SetFixed(GE_OUT_OF_MEMORY, kOutOfMemory);
    return GE_OUT_OF_MEMORY;
  } catch (const std::length_error &e) {  // a container asked for more than can exist
    return Report(GE_OUT_OF_MEMORY, e.what());
  } catch (const std::system_error &e) {  // threads, files
    return Report(GE_FAILED, e.what());
  } catch (const std::exception &e) {  // nobody gave it a text for users
    return ReportInternal(e);
  } catch (...) {
    return Report(GE_FAILED, "unknown exception");
  }
}

void NullArgument(const char *function, const char *argument) {
  Fail(GE_PARAM_INVALID, function, ": ", argument, " is null");
}

}  // namespace gec::api

using namespace gec::api;

extern "C" {

GeStatus GeLastErrorCode(void) { return t_code; }

const char *GeLastErrorMessage(void) { return t_fixed ? t_fixed : t_text ? t_text->whole.c_str() : ""; }

size_t GeLastErrorContextCount(void) { return t_text ? t_text->contexts.size() : 0; }

const char *GeLastErrorContext(size_t index) {
  return index < GeLastErrorContextCount() ? t_text->contexts[index].c_str() : nullptr;
}

void GeClearLastError(void) {
  t_code = GE_SUCCESS;
  t_fixed = nullptr;
  if (!t_text) return;
  t_text->contexts.clear();
  t_text->whole.clear();
}

GeStatus GeSetLastError(GeStatus code, const char *message) {
  if (code == GE_SUCCESS) {
    GeClearLastError();
    return code;
  }
  return Report(code, message);
}

}  // extern "C"
