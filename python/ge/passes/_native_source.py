"""The C source of the native helper module."""

SOURCE = r"""
#include <Python.h>
#include <string.h>

extern char **environ;

/* The process's environment as a dictionary of bytes; the first of repeated names counts, as for getenv. */
static PyObject *environment(PyObject *self, PyObject *unused) {
  PyObject *all = PyDict_New();
  (void)self, (void)unused;
  for (char **entry = environ; all && entry && *entry; ++entry) {
    const char *equals = strchr(*entry, '=');
    if (!equals) continue;
    PyObject *name = PyBytes_FromStringAndSize(*entry, equals - *entry);
    PyObject *value = PyBytes_FromString(equals + 1);
    if (!name || !value || !PyDict_SetDefault(all, name, value)) Py_CLEAR(all);
    Py_XDECREF(name);
    Py_XDECREF(value);
  }
  return all;
}

static PyMethodDef methods[] = {
    {"environment", environment, METH_NOARGS, "The process's environment as a dictionary of bytes."}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_ge_pass_native", "Native helper of ge.passes.", 0, methods};

PyMODINIT_FUNC PyInit__ge_pass_native(void) {
  PyObject *self = PyModule_Create(&module);
  if (self && PyModule_AddIntConstant(self, "BRIDGE_ABI_VERSION", 1) != 0) Py_CLEAR(self);
  return self;
}
"""
