/* Native code gives objects of Python back through here. When the interpreter ends nothing is called any more: passes
 * and tensors that live until then are given back by a Python that is half gone, or not there at all. */
#include <stdatomic.h>
#include <stddef.h>

typedef void (*ReleaseFn)(void *user);
static _Atomic(ReleaseFn) release;

/* The function that lets go of an object; null: nothing is done from here on. */
void ge_py_release_with(ReleaseFn function) { atomic_store(&release, function); }

void ge_py_release_held(void *user) {
  const ReleaseFn function = atomic_load(&release);
  if (function) function(user);
}
