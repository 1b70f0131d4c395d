// The table that libge takes: starting and stopping passes by two functions of ge.passes._bridge.
#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <exception>
#include <set>
#include <string>

#include "bridge/python/interpreter.h"
#include "bridge/python/python_bridge.h"

namespace ge_bridge {
namespace {

// The part that is easier said in Python. Each function gives a byte, and the text of an error behind it.
constexpr char kSource[] = R"(
def _describe(error):
    from traceback import TracebackException
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None and frames.tb_frame.f_code.co_filename == '<ge bridge>':
        frames = frames.tb_next
    told = TracebackException(type(error), error, frames, limit=-30)
    text = ''.join(told.format_exception_only()).strip() + '\n' + ''.join(told.format()).strip()
    if len(text) > 16000:
        text = text[:8000] + '\n[...]\n' + text[-8000:]
    return text

def _package():
    import os, sys
    try:
        from ge.passes import _bridge
        return _bridge
    except ModuleNotFoundError as error:
        if error.name != 'ge':
            raise
    # The package that was built with this library, in a build tree, an installed prefix or a wheel.
    for folder in ('python', os.path.join('python', 'site-packages'), os.pardir):
        folder = os.path.abspath(os.path.join(_folder, os.pardir, folder))
        if os.path.isfile(os.path.join(folder, 'ge', 'passes', '_bridge.py')):
            sys.path.append(folder)
            from ge.passes import _bridge
            return _bridge
    raise ModuleNotFoundError("Python %d.%d at '%s' has no package ge: install its wheel there, or set PYTHONPATH or "
                              'VIRTUAL_ENV' % (*sys.version_info[:2], sys.prefix), name='ge')

def _answer(call):
    try:
        return b'L' if call(_package()) is False else b'S'
    except BaseException as error:  # SystemExit as well: a pass file ends no program
        try:
            return b'F' + _describe(error).encode('utf-8', 'backslashreplace').replace(b'\0', b'\\0')
        except BaseException:  # its own __str__ fails, or there is no memory
            return b'F' + type(error).__name__.encode('utf-8', 'replace')

def start():
    return _answer(lambda bridge: bridge.start())

def passes_of(path):
    return _answer(lambda bridge: bridge.offer(path.decode('utf-8', 'surrogateescape')))

def _at_end(function):
    import atexit
    atexit.register(function)

def stop():
    import sys
    bridge = sys.modules.get('ge.passes._bridge')
    try:
        if bridge is not None:
            bridge.stop()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except BaseException:
        pass
    return b'S'
)";

thread_local std::string t_error;
Object g_module = nullptr;  // the dictionary that kSource is run in; guarded by the interpreter's lock, kept for good

std::string OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&GePythonBridgeFind), &info) == 0 || !info.dli_fname) return ".";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// kSource with the folder of this library as a literal of Python.
std::string Source() {
  std::string text = "_folder = b'";
  for (unsigned char c : OwnFolder()) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
  }
  return text + "'.decode('utf-8', 'surrogateescape')\n" + kSource;
}

void WaitAtTheEnd(const PythonApi &api) {
  Object callable = api.PyDict_GetItemString(g_module, "_at_end");
  Object function = Interpreter::Instance().FunctionForTheEnd(api);
  Object result = callable && function ? api.PyObject_CallFunctionObjArgs(callable, function, nullptr) : nullptr;
  if (!result) api.PyErr_Clear();  // no memory: the end waits for nobody
  for (Object part : {function, result})
    if (part) api.Py_DecRef(part);
}

/// The result of a function of kSource; the interpreter's lock is held. `path`: its argument, or null for none.
std::string Call(const PythonApi &api, const char *function, const char *path = nullptr) {
  if (!g_module && (g_module = RunSource(api, Source().c_str(), "<ge bridge>"))) WaitAtTheEnd(api);
  Object callable = g_module ? api.PyDict_GetItemString(g_module, function) : nullptr;
  Object argument = path ? api.PyBytes_FromStringAndSize(path, static_cast<intptr_t>(std::strlen(path))) : nullptr;
  Object bytes = nullptr;
  if (callable && (argument || !path)) bytes = api.PyObject_CallFunctionObjArgs(callable, argument, nullptr);
  if (argument) api.Py_DecRef(argument);
  char *text = nullptr;
  intptr_t size = 0;
  std::string result = "Fno memory is left for Python";
  if (bytes && api.PyBytes_AsStringAndSize(bytes, &text, &size) == 0) result.assign(text, static_cast<size_t>(size));
  else api.PyErr_Clear();
  if (bytes) api.Py_DecRef(bytes);
  return result;
}

/// Passes take part in the compiles of the libge that the package is linked with: there may be one only.
std::string OtherLibraries() {
  std::set<std::string> found;
  auto look = [](dl_phdr_info *info, size_t, void *user) {
    const char *file = std::strrchr(info->dlpi_name, '/');
    if (std::strncmp(file ? file + 1 : info->dlpi_name, "libge.so", 8) == 0)
      static_cast<std::set<std::string> *>(user)->insert(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(look, &found);
  std::string text;
  if (found.size() < 2) return text;
  for (const std::string &path : found) text += (text.empty() ? "'" : ", '") + path + "'";
  return text;
}

/// Calls a function of kSource where Python can be called at all.
int32_t Ask(const char *function, const char *path, const char *library) {
  const Interpreter::Use use;
  const PythonApi *api = Interpreter::Instance().Get(library, &t_error);
  if (!api) return GE_PYTHON_FAILED;
  std::string answer;
  {
    const WithLock locked(*api);
    if (api->PyInterpreterState_GetID(api->PyInterpreterState_Get()) != 0) {
      t_error = "this thread is in a subinterpreter; passes run in the main interpreter only";
      return GE_PYTHON_FAILED;
    }
    answer = Call(*api, function, path);
  }
  if (answer[0] == 'F') {
    t_error = answer.substr(1);
    return GE_PYTHON_FAILED;
  }
  if (const std::string others = OtherLibraries(); !others.empty()) {
    t_error = "the package ge is linked with another libge than the program: " + others;
    return GE_PYTHON_FAILED;
  }
  return answer[0] == 'L' ? GE_PYTHON_LATER : GE_PYTHON_STARTED;
}

// The interpreter is not ended here, nor when the process ends, not even one that the bridge has started: threads of
// the program may still be inside it, packages such as NumPy cannot be started a second time, and objects of the
// program may hold objects of Python that are destroyed later. The process's end takes all of it.
void Stop() {
  const Interpreter::Use use;
  const PythonApi *api = Interpreter::Instance().Running();
  if (!api) return;
  const WithLock locked(*api);
  if (api->PyInterpreterState_GetID(api->PyInterpreterState_Get()) == 0) (void)Call(*api, "stop");
}

int32_t GuardedAsk(const char *function, const char *path, const char *library) {
  try {
    t_error.clear();
    return Ask(function, path, library);
  } catch (const std::exception &error) {
    try {
      t_error = error.what();
    } catch (...) {  // no memory for that either
    }
  }
  return GE_PYTHON_FAILED;
}

int32_t GuardedStart(const char *library) { return GuardedAsk("start", nullptr, library); }
int32_t GuardedPassesOf(const char *path, const char *library) { return GuardedAsk("passes_of", path, library); }

void GuardedStop() {
  try {
    Stop();
  } catch (...) {  // no memory: passes stay
  }
}

const char *LastError() { return t_error.c_str(); }

}  // namespace
}  // namespace ge_bridge

extern "C" const GePythonBridge *GePythonBridgeFind(uint32_t version) {
  static const GePythonBridge table = {sizeof(GePythonBridge), &ge_bridge::GuardedStart, &ge_bridge::GuardedStop,
                                       &ge_bridge::LastError, &ge_bridge::GuardedPassesOf};
  return version == GE_PYTHON_BRIDGE_VERSION ? &table : nullptr;
}
