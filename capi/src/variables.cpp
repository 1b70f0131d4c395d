// Values of a session's variables.
#include "ge/variables.h"

#include "capi/src/handles.h"
#include "capi/src/model_handles.h"

using namespace gec;
using namespace gec::api;

namespace {

VariableStore &VariablesOfSession(GeSessionHandle *session, const char *function) {
  return *SessionOf(session, function).variables();
}

std::vector<std::string> NamesOf(const char *function, const char *const *names, size_t count) {
  if (!names && count) NullArgument(function, "names");
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) {
    if (!names[i]) NullArgument(function, Str("names[", i, "]").c_str());
    list.emplace_back(names[i]);
  }
  return list;
}

}  // namespace

extern "C" GeStatus GeSessionVariableCount(GeSessionHandle *session, size_t *count) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionVariableCount, count);
    *count = 0;
    *count = VariablesOfSession(session, "GeSessionVariableCount").count();
  });
}

extern "C" GeStatus GeSessionVariableName(GeSessionHandle *session, size_t index, const char **name) {
  return Guard([&] {
    GE_CHECK_ARG(GeSessionVariableName, name);
    *name = nullptr;
    VariableStore &store = VariablesOfSession(session, "GeSessionVariableName");
    const std::string *found = store.NameAt(index);
    if (!found) {
      Fail(GE_PARAM_INVALID, "GeSessionVariableName: index is ", index, ", the session has ", store.count(),
           " variables");
    }
    *name = found->c_str();
  });
}

extern "C" GeStatus GeSessionCloneVariables(GeSessionHandle *session, const char *const *names, size_t count,
                                            GeTensor **values) {
  return Guard([&] {
    if (!values && count) NullArgument("GeSessionCloneVariables", "values");
    for (size_t i = 0; i < count; ++i) values[i] = nullptr;
    VariableStore &store = VariablesOfSession(session, "GeSessionCloneVariables");
    std::vector<GeTensor *> handles;
    try {
      handles.reserve(count);
      for (auto &value : store.Copy(NamesOf("GeSessionCloneVariables", names, count)))
        handles.push_back(NewHandle(std::move(value)));
    } catch (...) {
      for (GeTensor *handle : handles) GeTensorDestroy(handle);
      throw;
    }
    for (size_t i = 0; i < count; ++i) values[i] = handles[i];
  });
}

extern "C" GeStatus GeSessionSetVariables(GeSessionHandle *session, const char *const *names,
                                          const GeTensor *const *values, size_t count) {
  return Guard([&] {
    VariableStore &store = VariablesOfSession(session, "GeSessionSetVariables");
    if (!values && count) NullArgument("GeSessionSetVariables", "values");
    std::vector<std::string> list = NamesOf("GeSessionSetVariables", names, count);
    std::vector<std::pair<std::string, TensorPtr>> all;
    for (size_t i = 0; i < count; ++i) {
      const GeTensor &value = ValidOf(values[i], "GeSessionSetVariables", Str("values[", i, "]").c_str());
      if (!value.refused.empty()) {
        Fail(GE_DATA_MISMATCH, "GeSessionSetVariables: the value of '", list[i],
             "' has a description that was not accepted: ", value.refused);
      }
      all.emplace_back(std::move(list[i]), value.tensor);
    }
    store.Set(all);
  });
}
