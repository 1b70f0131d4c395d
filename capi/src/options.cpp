#include "capi/src/model_handles.h"
#include "core/support/warnings.h"

using namespace gec;
using namespace gec::api;

extern "C" GeStatus GeOptionsCreate(GeOptions **out) {
  return Guard([&] {
    GE_CHECK_ARG(GeOptionsCreate, out);
    *out = nullptr;
    *out = new GeOptions();
  });
}

extern "C" void GeOptionsDestroy(GeOptions *options) {
  if (IsValid(options)) Invalidate(options);
}

extern "C" GeStatus GeOptionsSet(GeOptions *options, const char *key, const char *value) {
  return Guard([&] {
    Options &target = ValidOf(options, "GeOptionsSet", "options").options;
    GE_CHECK_ARG(GeOptionsSet, key);
    GE_CHECK_ARG(GeOptionsSet, value);
    target.Set(key, value);
  });
}

extern "C" GeStatus GeOptionsSetOrWarn(GeOptions *options, const char *key, const char *value) {
  return Guard([&] {
    Options &target = ValidOf(options, "GeOptionsSetOrWarn", "options").options;
    GE_CHECK_ARG(GeOptionsSetOrWarn, key);
    GE_CHECK_ARG(GeOptionsSetOrWarn, value);
    if (*key == '\0') Fail(GE_OPTION_INVALID, "E10059: an option key is empty, its value is '", value, "'");
    if (FindOptionSpec(key)) target.Set(key, value);
    else Warn(Str(UnknownOptionText(key), " is '", value, "' and has no effect"));
  });
}

extern "C" size_t GeOptionCount(void) { return OptionSpecCount(); }

extern "C" GeStatus GeOptionAt(size_t index, const char **key, const char **values, const char **fallback,
                               const char **effect, const char **doc) {
  return Guard([&] {
    const OptionSpec *spec = OptionSpecAt(index);
    if (!spec) Fail(GE_PARAM_INVALID, "GeOptionAt: index is ", index, ", there are ", OptionSpecCount(), " options");
    if (key) *key = spec->key;
    if (values) *values = spec->values;
    if (fallback) *fallback = spec->fallback;
    if (effect) *effect = EffectName(spec->effect);
    if (doc) *doc = spec->doc;
  });
}
