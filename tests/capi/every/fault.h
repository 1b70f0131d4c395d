/* Fault injection in the allocator: the calling thread's n-th allocation fails. */
#ifndef GE_TESTS_CAPI_EVERY_FAULT_H_
#define GE_TESTS_CAPI_EVERY_FAULT_H_

#ifdef __cplusplus
extern "C" {
#endif

/* From now on the thread's n-th allocation fails; with keep_failing all from there on. */
void FaultArm(long n, int keep_failing);
/* Ends that; returns how many failed. *allocations (may be null): how many were asked for. */
long FaultDisarm(long *allocations);
/* Suspends and continues it; FaultPause returns what FaultResume takes. */
int FaultPause(void);
void FaultResume(int was_armed);
/* A statement of the test itself in the middle of a call under test. */
#define FaultDisarmed(...)         \
  do {                             \
    int was_armed_ = FaultPause(); \
    __VA_ARGS__;                   \
    FaultResume(was_armed_);       \
  } while (0)
/* Blocks of the whole program that are allocated and not freed. */
long FaultLive(void);

#ifdef __cplusplus
}
#endif
#endif
