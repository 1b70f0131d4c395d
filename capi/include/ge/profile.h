/* Profiling by the process: what sessions run between start and stop, as files. One run alone: GeRunProfiled. */
#ifndef GE_PROFILE_H_
#define GE_PROFILE_H_

#include <stddef.h>
#include <stdint.h>

#include "ge/status.h"

GE_EXTERN_C_BEGIN

/* Kinds of records. Whole runs are always recorded. */
#define GE_PROFILE_OPERATORS 1u /* each node that a run calls: type, engine, times, shapes */
#define GE_PROFILE_ALL 1u

/** Says where files go. The folder is made where it is not there yet, with those above it.
 *  Owner: folder is copied. Nulls: none allowed. Threads: any. Errors: GE_BAD_STATE (open already), GE_PATH_INVALID
 * (the folder cannot be made or written). Since: ABI 1. */
GE_API GeStatus GeProfilerOpen(const char *folder);

/** From now on runs of sessions (GeSessionRunGraph) are recorded, in all threads. They are slower meanwhile. `what`
 * is a set of GE_PROFILE_ bits, 0 for whole runs only.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: GE_BAD_STATE (not open, started already), GE_PARAM_INVALID (unknown
 * bits). Since: ABI 1. */
GE_API GeStatus GeProfilerStart(uint32_t what);

/** Ends what GeProfilerStart began and writes PROF_<number>_<time>_<process>/ in the folder:
 *    op_summary.csv    one row per node that was run, in the order of time
 *    op_statistic.csv  one row per graph and type of operator: count, total, shortest, mean and longest time, share
 *    trace.json        a timeline for Chrome / Perfetto: one row per thread, times since the start
 *  Runs that failed, have not ended or began before the start are not in them. The first 250000 nodes have rows of
 * their own; later ones count in op_statistic.csv only.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: GE_BAD_STATE (not started), GE_PATH_INVALID (a file cannot be written;
 * recording has ended all the same). Since: ABI 1. */
GE_API GeStatus GeProfilerStop(void);

/** Ends recording where it is on, as GeProfilerStop does, and forgets the folder.
 *  Owner: n/a. Nulls: n/a. Threads: any. Errors: GE_BAD_STATE (not open), those of GeProfilerStop. Since: ABI 1. */
GE_API GeStatus GeProfilerClose(void);

/** How fast numbers of a type are multiplied and added. */
typedef struct GeArithmeticRate {
  int32_t data_type; /* C_DataType; sums may be wider: fp32 of bf16, int32 of int8 */
  double flops;      /* operations a second */
  const char *how;   /* what was done, for a reader */
} GeArithmeticRate;
/** The best that this machine does, for a comparison with what kernels do. The caller sets struct_size. */
typedef struct GeMachineRates {
  size_t struct_size;
  double flops;            /* fp32 operations a second; 0: not measured */
  double bytes_per_second; /* read from memory; 0: not measured */
  const char *how_flops;   /* what was done, for a reader */
  const char *how_bytes;
  const GeArithmeticRate *types; /* of fp32 and of each other type that has instructions of its own here */
  size_t type_count;
} GeMachineRates;

/** Measures all of it with `threads` threads: multiply-adds in registers with the widest vectors that GE_MAX_ISA
 * leaves, and reading memory. The first call for a number of threads takes some tenths of a second, later ones are
 * answered at once.
 *  Owner: texts and rates are the library's. Nulls: out must not be null. Threads: any, one after the other. Errors:
 * GE_PARAM_INVALID (threads below 1 or above 1024), GE_ABI_MISMATCH (struct_size). Since: ABI 1. */
GE_API GeStatus GeMeasureMachine(int32_t threads, GeMachineRates *out);

GE_EXTERN_C_END
#endif
