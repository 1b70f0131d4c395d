/* Stands in for libgomp in the static library. The kernel library that is loaded at run time brings libgomp.so with it;
 * a second copy inside the program would be a second pool of threads. So the functions come from that shared library,
 * and where there is none everything runs on the calling thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_max_threads(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
void omp_set_num_threads(int threads);

static struct {
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned);
  int (*max_threads)(void);
  int (*num_threads)(void);
  int (*thread_num)(void);
  int (*in_parallel)(void);
  void (*set_num_threads)(int);
} gomp;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void Load(void) {
  void *library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return;
  void *found[] = {dlsym(library, "GOMP_parallel"),       dlsym(library, "omp_get_max_threads"),
                   dlsym(library, "omp_get_num_threads"), dlsym(library, "omp_get_thread_num"),
                   dlsym(library, "omp_in_parallel"),     dlsym(library, "omp_set_num_threads")};
  for (size_t i = 0; i < sizeof found / sizeof *found; ++i) {
    if (!found[i]) return;
  }
  *(void **)&gomp.max_threads = found[1];
  *(void **)&gomp.num_threads = found[2];
  *(void **)&gomp.thread_num = found[3];
  *(void **)&gomp.in_parallel = found[4];
  *(void **)&gomp.set_num_threads = found[5];
  *(void **)&gomp.parallel = found[0];
}
static int Ready(void) {
  pthread_once(&once, Load);
  return gomp.parallel != NULL;
}

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags) {
  if (Ready()) gomp.parallel(fn, data, threads, flags);
  else fn(data);
}
int omp_get_max_threads(void) { return Ready() ? gomp.max_threads() : 1; }
int omp_get_num_threads(void) { return Ready() ? gomp.num_threads() : 1; }
int omp_get_thread_num(void) { return Ready() ? gomp.thread_num() : 0; }
int omp_in_parallel(void) { return Ready() ? gomp.in_parallel() : 0; }
void omp_set_num_threads(int threads) {
  if (Ready()) gomp.set_num_threads(threads);
}
