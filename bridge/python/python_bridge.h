/* The functions that libge_python_bridge.so offers to libge: it makes passes written in Python take part in the
 * compiles of a program that need not know of Python. The library is found beside libge and opened when the first
 * Python pass is asked for; it is linked with no Python. Everything goes through one table, so that an old libge and a
 * new bridge, or the reverse, tell each other. */
#ifndef GE_BRIDGE_PYTHON_PYTHON_BRIDGE_H_
#define GE_BRIDGE_PYTHON_PYTHON_BRIDGE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GE_PYTHON_BRIDGE_VERSION 1u
#define GE_PYTHON_BRIDGE_FILE "libge_python_bridge.so"
#define GE_PYTHON_BRIDGE_FUNCTION "GePythonBridgeFind"

enum {
  GE_PYTHON_STARTED = 0, /* the passes are registered */
  GE_PYTHON_FAILED = 1,  /* last_error says why; another call tries again */
  GE_PYTHON_LATER = 2    /* another caller is in the middle of it: ask again before the next compile */
};

typedef struct GePythonBridge {
  size_t struct_size;
  /** Finds an interpreter (in the process, else in a libpython, which it then starts), imports ge.passes and loads the
   *  plug-ins. Again is fine and cheap. Takes the interpreter's lock for the time of the call only.
   *  Nulls: library null: GE_PYTHON_LIBRARY, else the interpreter of VIRTUAL_ENV, PYTHONHOME or PATH says where its
   * library is. A library is not looked at where the process has an interpreter already. Threads: any, with the
   * interpreter's lock or without. The caller holds no lock that code of a pass might wait for. */
  int32_t (*start)(const char *library);
  /** Takes all passes back. The interpreter goes on, whoever started it. Without a start, again, and after the
   * interpreter has ended it does nothing. Threads: as start. */
  void (*stop)(void);
  /** Why this thread's last start, or passes_of, failed: Python's own text and traceback where there is one. Owner: the
   * bridge, until the thread's next one. */
  const char *(*last_error)(void);
  /** Loads a file, or a folder of files, and hands each of its passes to GeCustomPassRegister on this thread, which
   * collects them for one compile. A file is executed once. Nulls: path never; library as start. Threads: as start. */
  int32_t (*passes_of)(const char *path, const char *library);
} GePythonBridge;

/** The table of this version, or null where the bridge does not know it. */
typedef const GePythonBridge *(*GePythonBridgeFindFunction)(uint32_t version);
__attribute__((visibility("default"))) const GePythonBridge *GePythonBridgeFind(uint32_t version);

#ifdef __cplusplus
}
#endif
#endif
