/* Threads of Python wait where the library would refuse them: while another thread is inside the same graph or builder.
 *
 * A call of the library runs without the interpreter's lock, so another thread of Python may call meanwhile; a program
 * cannot see where one call ends and the next begins. Threads that Python does not know are refused as everywhere. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "ge/graph.h"

/* Calls are short, most take less than a microsecond; compiling and running happen outside of them. */
static int32_t wait_for_the_other(void *user, uint32_t attempt) {
  enum { kYields = 1000, kMostWaits = 60 * 1000 };
  const struct timespec millisecond = {0, 1000000};
  (void)user;
  if (PyGILState_GetThisThreadState() == NULL) return 0;
  if (attempt < kYields) return sched_yield() == 0;
  /* A thread that is inside may itself wait for this one, in a callback: an error is better than a program that hangs.
   */
  if (attempt >= kYields + kMostWaits) return 0;
  nanosleep(&millisecond, NULL);
  return 1;
}

void ge_py_wait_for_threads(void) { GeSetBusyHandler(wait_for_the_other, NULL); }
