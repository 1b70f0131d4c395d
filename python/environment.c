/* The process's environment, which Python reads once at its start: a program around it may have changed it since. */
#include <stddef.h>

extern char **environ;

/* Entry `index` as "NAME=value"; null behind the last one. */
const char *ge_py_environment(size_t index) { return environ ? environ[index] : NULL; }
