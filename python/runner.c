/* Extension module ge._runner: a run whose shapes are all known, in one call from Python.
 *
 * A small model takes less than a microsecond; describing its arrays through cffi takes longer than that. Runner.run
 * does the same steps with C's means: it finds the arrays of a feed, makes those of the outputs and calls GeRun without
 * the interpreter's lock. Whatever is not the plain case (another type, shape or layout, a name that is missing) gives
 * None, and the Python code that follows converts it or says what is wrong. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ge/model.h"

/* The buffer protocol is older than its place in the limited API (Python 3.11), and has not changed since. */
typedef struct {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Buffer;
int PyObject_GetBuffer(PyObject *object, Buffer *view, int flags);
void PyBuffer_Release(Buffer *view);
enum { kFormat = 0x4, kDims = 0x8, kStrides = 0x10, kWritable = 0x1, kCContiguous = 0x20 | kStrides | kDims };

enum { kMostRank = 64 };

typedef struct {
  PyObject *name;
  char *format; /* of the elements, as buffers say it */
  int rank;
  Py_ssize_t *dims;
} Input;

typedef struct {
  PyObject *name;
  PyObject *arguments; /* of numpy.empty */
} Output;

typedef struct {
  PyObject_HEAD GeRunContext *context;
  GeTensorData *in_data, *out_data;
  int32_t inputs, outputs;
  Input *in;
  Output *out;
  Buffer *views;
  PyObject *array; /* numpy.ndarray */
  PyObject *empty; /* numpy.empty */
} Runner;

static int same_dims(const Input *input, const Buffer *view) {
  if (view->ndim != input->rank) return 0;
  for (int i = 0; i < view->ndim; ++i)
    if (view->shape[i] != input->dims[i]) return 0;
  return 1;
}

/* The number of views taken when the feed is the plain case, else -1 with none held and no exception set. */
static int take_inputs(Runner *self, PyObject *feed, Buffer *views) {
  int taken = 0;
  if (Py_TYPE(feed) != &PyDict_Type || PyDict_Size(feed) != self->inputs) return -1;
  for (; taken < self->inputs; ++taken) {
    const Input *input = &self->in[taken];
    PyObject *value = PyDict_GetItemWithError(feed, input->name);
    Buffer *view = &views[taken];
    if (!value || (PyObject *)Py_TYPE(value) != self->array) break;
    if (PyObject_GetBuffer(value, view, kCContiguous | kFormat) != 0) break;
    if (strcmp(view->format, input->format) != 0 || !same_dims(input, view)) {
      PyBuffer_Release(view);
      break;
    }
    self->in_data[taken].data = view->buf;
  }
  if (taken == self->inputs) return taken;
  while (taken-- > 0) PyBuffer_Release(&views[taken]);
  PyErr_Clear();
  return -1;
}

/* A dictionary of new arrays, with their memory in out_data and their views behind those of the inputs; or null. */
static PyObject *make_outputs(Runner *self, Buffer *views) {
  PyObject *outputs = PyDict_New();
  int made = 0;
  for (; outputs && made < self->outputs; ++made) {
    Buffer *view = &views[made];
    PyObject *array = PyObject_Call(self->empty, self->out[made].arguments, NULL);
    if (!array) break;
    const int failed =
        PyDict_SetItem(outputs, self->out[made].name, array) != 0 || PyObject_GetBuffer(array, view, kWritable) != 0;
    Py_DECREF(array); /* the dictionary has it */
    if (failed) break;
    self->out_data[made].data = view->buf;
    self->out_data[made].size = (uint64_t)view->len;
  }
  if (outputs && made == self->outputs) return outputs;
  while (made-- > 0) PyBuffer_Release(&views[made]);
  Py_XDECREF(outputs);
  return NULL;
}

static PyObject *run(PyObject *object, PyObject *feed) {
  Runner *self = (Runner *)object;
  Buffer *const views = self->views;
  if (take_inputs(self, feed, views) < 0) {
    Py_RETURN_NONE;
  }
  PyObject *outputs = make_outputs(self, views + self->inputs);
  GeStatus status = GE_SUCCESS;
  if (outputs) {
    Py_BEGIN_ALLOW_THREADS status = GeRun(self->context, self->in_data, self->inputs, self->out_data, self->outputs);
    Py_END_ALLOW_THREADS for (int i = 0; i < self->outputs; ++i) PyBuffer_Release(&views[self->inputs + i]);
  }
  for (int i = 0; i < self->inputs; ++i) PyBuffer_Release(&views[i]);
  if (status == GE_SUCCESS) return outputs;
  Py_DECREF(outputs);
  return PyLong_FromUnsignedLong(status); /* the caller raises what belongs to it */
}

static void release(PyObject *object) {
  Runner *self = (Runner *)object;
  PyTypeObject *type = Py_TYPE(object);
  for (int i = 0; self->in && i < self->inputs; ++i) {
    Py_XDECREF(self->in[i].name);
    free(self->in[i].format);
    free(self->in[i].dims);
  }
  for (int i = 0; self->out && i < self->outputs; ++i) {
    Py_XDECREF(self->out[i].name);
    Py_XDECREF(self->out[i].arguments);
  }
  free(self->in);
  free(self->out);
  free(self->views);
  Py_XDECREF(self->array);
  Py_XDECREF(self->empty);
  void (*const free_object)(void *) = (void (*)(void *))PyType_GetSlot(type, Py_tp_free);
  free_object(object);
  Py_DECREF(type);
}

/* (name, format, dims) of an input. */
static int read_input(PyObject *item, Input *input) {
  const char *format;
  PyObject *name, *dims;
  if (!PyArg_ParseTuple(item, "UsO!", &name, &format, &PyTuple_Type, &dims)) return -1;
  input->rank = (int)PyTuple_Size(dims);
  input->format = strdup(format);
  input->dims = malloc(sizeof *input->dims * (size_t)(input->rank + 1));
  if (!input->format || !input->dims) {
    PyErr_NoMemory();
    return -1;
  }
  for (int i = 0; i < input->rank; ++i) {
    input->dims[i] = PyLong_AsSsize_t(PyTuple_GetItem(dims, i));
    if (input->dims[i] == -1 && PyErr_Occurred()) return -1;
  }
  Py_INCREF(name);
  input->name = name;
  return 0;
}

/* (name, (dims, dtype)) of an output. */
static int read_output(PyObject *item, Output *output) {
  PyObject *name, *arguments;
  if (!PyArg_ParseTuple(item, "UO!", &name, &PyTuple_Type, &arguments)) return -1;
  Py_INCREF(name);
  Py_INCREF(arguments);
  output->name = name;
  output->arguments = arguments;
  return 0;
}

/* Runner(ndarray, empty, context, in_data, out_data, inputs, outputs): addresses as integers, lists of the above. What
 * the addresses name stays the caller's and lives longer than the runner. */
static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *named) {
  PyObject *array, *empty, *inputs, *outputs;
  unsigned long long context, in_data, out_data;
  (void)named;
  if (!PyArg_ParseTuple(args, "OOKKKO!O!", &array, &empty, &context, &in_data, &out_data, &PyList_Type, &inputs,
                        &PyList_Type, &outputs))
    return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Runner *self = (Runner *)allocate(type, 0);
  if (!self) return NULL;
  self->context = (GeRunContext *)(uintptr_t)context;
  self->in_data = (GeTensorData *)(uintptr_t)in_data;
  self->out_data = (GeTensorData *)(uintptr_t)out_data;
  Py_INCREF(array);
  self->array = array;
  Py_INCREF(empty);
  self->empty = empty;
  self->inputs = (int32_t)PyList_Size(inputs);
  self->outputs = (int32_t)PyList_Size(outputs);
  self->in = calloc((size_t)self->inputs + 1, sizeof *self->in);
  self->out = calloc((size_t)self->outputs + 1, sizeof *self->out);
  self->views = calloc((size_t)(self->inputs + self->outputs) + 1, sizeof *self->views);
  if (!self->in || !self->out || !self->views) {
    PyErr_NoMemory();
    goto failed;
  }
  for (int i = 0; i < self->inputs; ++i)
    if (read_input(PyList_GetItem(inputs, i), &self->in[i]) != 0) goto failed;
  for (int i = 0; i < self->outputs; ++i)
    if (read_output(PyList_GetItem(outputs, i), &self->out[i]) != 0) goto failed;
  return (PyObject *)self;
failed:
  Py_DECREF(self);
  return NULL;
}

static PyMethodDef methods[] = {
    {"run", run, METH_O,
     "The outputs of a dictionary of arrays; a status where the run failed; None where the feed needs more than this."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)create}, {Py_tp_dealloc, (void *)release}, {Py_tp_methods, methods}, {0, NULL}};
static PyType_Spec spec = {"ge._runner.Runner", sizeof(Runner), 0, Py_TPFLAGS_DEFAULT, slots};

static int fill_module(PyObject *module) {
  PyObject *type = PyType_FromSpec(&spec);
  if (!type) return -1;
  if (PyModule_AddObject(module, "Runner", type) == 0) return 0;
  Py_DECREF(type);
  return -1;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void *)fill_module}, {0, NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "ge._runner", NULL, 0, NULL, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__runner(void) { return PyModuleDef_Init(&module); }
