/* Native code calls Python through a gate, which closes before the interpreter ends: a thread that asks an interpreter
 * that is ending for its lock is ended by that in the middle of the library, which ends the process. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static atomic_int inside; /* threads that are in a callback */
static atomic_int closed;
static pthread_t closer; /* the thread that ends the interpreter, which may call until it has ended */
static _Thread_local int depth;

/* 0: Python is not to be called any more. */
int32_t ge_py_callback_begins(void) {
  if (depth == 0) {
    atomic_fetch_add(&inside, 1);
    if (atomic_load(&closed) && !(pthread_equal(pthread_self(), closer) && PyGILState_GetThisThreadState())) {
      atomic_fetch_sub(&inside, 1);
      return 0;
    }
  }
  ++depth;
  return 1;
}

void ge_py_callback_ends(void) {
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

/* In the child of a fork: the other threads are not there. */
void ge_py_forked(void) { atomic_store(&inside, depth != 0); }
