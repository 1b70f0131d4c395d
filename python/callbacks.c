/* Native code calls Python through a gate. It closes before the interpreter ends: a thread that asks an interpreter
 * that is ending for its lock is ended by that in the middle of the library, which ends the process. And it keeps
 * threads of subinterpreters from what belongs to the main one. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum { kNoLock = -1 };

static atomic_int inside; /* threads that are in a callback */
static atomic_int closed;
static pthread_t closer; /* the thread that ends the interpreter, which may call until it has ended */
static _Thread_local int depth;

/* Why Python may be called no more on this thread, or null. What is closed stays so. */
const char *ge_py_refusal(void) {
  if (!atomic_load(&closed) || (pthread_equal(pthread_self(), closer) && PyGILState_GetThisThreadState())) return NULL;
  return "the Python interpreter of this process ends";
}

/* Null where Python may be called, else why not. `lock`: for ge_py_callback_ends. */
const char *ge_py_callback_begins(int32_t of_main_interpreter, int32_t *lock) {
  *lock = kNoLock;
  if (depth == 0) {
    atomic_fetch_add(&inside, 1);
    const char *const reason = ge_py_refusal();
    if (reason) {
      atomic_fetch_sub(&inside, 1);
      return reason;
    }
  }
  /* Threads that Python does not know come to the main interpreter. The lock is kept for the call, which takes it. */
  if (of_main_interpreter && PyGILState_GetThisThreadState()) {
    const PyGILState_STATE state = PyGILState_Ensure();
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
      PyGILState_Release(state);
      if (depth == 0) atomic_fetch_sub(&inside, 1);
      return "this thread is in a subinterpreter; passes and instruments run in the main interpreter only";
    }
    *lock = state;
  }
  ++depth;
  return NULL;
}

void ge_py_callback_ends(int32_t lock) {
  if (lock != kNoLock) PyGILState_Release((PyGILState_STATE)lock);
  if (--depth == 0) atomic_fetch_sub(&inside, 1);
}

/* Closes the gate and waits, without the interpreter's lock, for callbacks of other threads. One that itself waits for
 * something that does not come would make the program hang. */
void ge_py_close(void) {
  const struct timespec millisecond = {0, 1000000};
  closer = pthread_self();
  atomic_store(&closed, 1);
  for (int i = 0; i < 5000 && atomic_load(&inside) > (depth != 0); ++i) nanosleep(&millisecond, NULL);
}

/* In the child of a fork, of Python code or not: the other threads are not there. */
static void forked(void) { atomic_store(&inside, depth != 0); }

void ge_py_watch_forks(void) {
  static atomic_int watches;
  if (!atomic_exchange(&watches, 1)) (void)pthread_atfork(NULL, NULL, forked);
}
