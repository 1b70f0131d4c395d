// The few functions of CPython's stable ABI that the bridge calls, found at run time: one binary for every version.
#pragma once

#include <cstdint>
#include <string>

namespace ge_bridge {

// Objects of Python are known by their addresses alone.
using Object = void *;

// A function that Python calls, as the stable ABI lays it out.
struct FunctionEntry {
  const char *name;
  Object (*function)(Object self, Object none);
  int flags;
  const char *doc;
};
constexpr int kNoArguments = 4;  // METH_NOARGS

// Name of the function without its prefix, result, parameters.
#define GE_BRIDGE_PYTHON_FUNCTIONS(X)                             \
  X(Py_GetVersion, const char *, ())                              \
  X(Py_IsInitialized, int, ())                                    \
  X(Py_InitializeEx, void, (int))                                 \
  X(Py_DecodeLocale, wchar_t *, (const char *, size_t *))         \
  X(Py_DecRef, void, (Object))                                    \
  X(Py_CompileString, Object, (const char *, const char *, int))  \
  X(PyEval_EvalCode, Object, (Object, Object, Object))            \
  X(PyEval_GetBuiltins, Object, ())                               \
  X(PyEval_SaveThread, void *, ())                                \
  X(PyEval_RestoreThread, void, (void *))                         \
  X(PyGILState_Ensure, int, ())                                   \
  X(PyGILState_Release, void, (int))                              \
  X(PyInterpreterState_Get, void *, ())                           \
  X(PyInterpreterState_GetID, int64_t, (void *))                  \
  X(PyCFunction_NewEx, Object, (FunctionEntry *, Object, Object)) \
  X(PyDict_New, Object, ())                                       \
  X(PyDict_SetItemString, int, (Object, const char *, Object))    \
  X(PyDict_GetItemString, Object, (Object, const char *))         \
  X(PyObject_CallFunctionObjArgs, Object, (Object, ...))          \
  X(PyBytes_FromStringAndSize, Object, (const char *, intptr_t))  \
  X(PyBytes_AsStringAndSize, int, (Object, char **, intptr_t *))  \
  X(PyErr_Clear, void, ())                                        \
  X(PyOS_BeforeFork, void, ())                                    \
  X(PyOS_AfterFork_Parent, void, ())                              \
  X(PyOS_AfterFork_Child, void, ())

struct PythonApi {
#define GE_BRIDGE_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  GE_BRIDGE_PYTHON_FUNCTIONS(GE_BRIDGE_MEMBER)
#undef GE_BRIDGE_MEMBER
  void (*Py_SetProgramName)(const wchar_t *) = nullptr;  // null where a later Python has it no more
  int (*Py_IsFinalizing)() = nullptr;                    // null before Python 3.13

  /// True when there is an interpreter that code can run in.
  bool IsUp() const { return Py_IsInitialized() != 0 && !(Py_IsFinalizing && Py_IsFinalizing() != 0); }
  /// "3.11"
  std::string Version() const;
};

/// Takes the functions from a library that dlopen returned, or from RTLD_DEFAULT. Empty, or what is wrong with this
/// Python: a function is missing, the version is below 3.9, it has no global lock.
std::string Bind(void *library, PythonApi *api);

}  // namespace ge_bridge
