#include "capi/src/guard.h"

#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "core/support/cancel.h"
#include "core/support/memory.h"
#include "core/support/per_thread.h"

namespace gec::api {
namespace {

thread_local GeStatus t_code = GE_SUCCESS;
// When there is no memory for another text: this one is written in place.
thread_local char t_fixed[512];

struct LastText {
  std::vector<std::string> contexts;
  std::string whole;
};
// Made by the first error of a thread; until then there is no text.
thread_local LastText *t_text = nullptr;

/// Says where the thread was, outermost first, what it asked for, and how much there is. Allocates nothing.
void SayOutOfMemory(GeStatus code, const char *function, const std::vector<std::string> &contexts) noexcept {
  if (t_text) t_text->contexts.clear();
  t_code = code;
  size_t used = 0;
  for (const std::string &context : contexts) {
    if (used + context.size() + 200 > sizeof t_fixed) break;  // the rest of the text counts for more
    used += static_cast<size_t>(std::snprintf(t_fixed + used, sizeof t_fixed - used, "%s: ", context.c_str()));
  }
  char memory[128];
  MemoryText(memory, sizeof memory);
  std::snprintf(t_fixed + used, sizeof t_fixed - used, "out of memory in %s; %s", function, memory);
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
    t_fixed[0] = '\0';
  } catch (...) {
    SayOutOfMemory(code, "the text of an error", {});
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

/// A text about a list that cannot exist.
static GeStatus TooLong(const char *function, const char *what) noexcept {
  char text[256];
  std::snprintf(text, sizeof text, "out of memory in %s: a list of more elements than can exist (%s)", function, what);
  return Report(GE_OUT_OF_MEMORY, text);
}

GeStatus ReportCurrent(const char *function) noexcept {
  try {
    throw;
  } catch (const Error &e) {
    return Report(e.code(), e.what());
  } catch (const Cancelled &e) {
    return Report(e.code(), e.what());
  } catch (const std::bad_alloc &) {
    SayOutOfMemory(GE_OUT_OF_MEMORY, function, TakeContexts());
    return GE_OUT_OF_MEMORY;
  } catch (const std::length_error &e) {  // a container asked for more than can exist
    return TooLong(function, e.what());
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

const char *GeLastErrorMessage(void) { return t_fixed[0] ? t_fixed : t_text ? t_text->whole.c_str() : ""; }

size_t GeLastErrorContextCount(void) { return t_text ? t_text->contexts.size() : 0; }

const char *GeLastErrorContext(size_t index) {
  return index < GeLastErrorContextCount() ? t_text->contexts[index].c_str() : nullptr;
}

void GeClearLastError(void) {
  t_code = GE_SUCCESS;
  t_fixed[0] = '\0';
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
