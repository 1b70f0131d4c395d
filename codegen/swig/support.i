// What every SWIG language needs beside the declarations of the headers; openge.i includes this file.
//
// Languages without raw memory reach the C ABI's pointers through SWIG's own helpers:
//   int64_array(n), float_array(n) …   memory for dimensions and values        (carrays.i)
//   new_GeGraph_cell() …               room for one pointer, for `T **out`     (cpointer.i)
//   GeTensorData.array(n), .at(i)      zeroed arrays of plain structs
//   GeText                             collects what a function writes
%include <stdint.i>
%include <carrays.i>
%include <cpointer.i>

// Parameters are named as in the headers; these names are reserved words in some languages and SWIG renames them.
#pragma SWIG nowarn=314
// `const char *` members: setting one keeps a copy until the process ends, as SWIG says for each; docs/bindings.md repeats it.
#pragma SWIG nowarn=451

%{
#include <stdlib.h>
#include <string.h>

typedef struct GeText {
  char *text;
  size_t length;
  size_t capacity;
  int failed; /* memory ran out: the text is not complete */
} GeText;

static void ge_text_append(void *user, const char *text, size_t length) {
  GeText *to = (GeText *)user;
  if (to->failed) return;
  if (length >= to->capacity - to->length) {
    size_t capacity = (to->length + length + 1) * 2;
    char *grown = (char *)realloc(to->text, capacity);
    if (grown == NULL) {
      to->failed = 1;
      return;
    }
    to->text = grown;
    to->capacity = capacity;
  }
  memcpy(to->text + to->length, text, length);
  to->length += length;
  to->text[to->length] = '\0';
}
%}

/* Text that a function of the C ABI writes in pieces. */
typedef struct GeText {
} GeText;
%extend GeText {
  GeText() { return (GeText *)calloc(1, sizeof(GeText)); }
  ~GeText() {
    if ($self) free($self->text);
    free($self);
  }
  /* The text so far; null when memory ran out. */
  const char *str() {
    if ($self->failed) return NULL;
    return $self->text ? $self->text : "";
  }
}

// Zeroed arrays of a plain struct; `new T()` is zeroed as well.
%define GE_STRUCT(T)
%newobject T::array;
%extend T {
  static T *array(size_t count) { return (T *)calloc(count ? count : 1, sizeof(T)); }
  T *at(size_t index) { return $self + index; }
  static size_t bytes(void) { return sizeof(T); }
}
%enddef

// A language with raw memory of its own (Java's direct buffers) defines GE_RAW_MEMORY and needs none of these.
#ifdef GE_RAW_MEMORY
%define GE_CELL(T)
%enddef
#else
%define GE_CELL(T)
%pointer_functions(T *, T##_cell)
%enddef
%array_class(int8_t, int8_array)
%array_class(uint8_t, uint8_array)
%array_class(int16_t, int16_array)
%array_class(uint16_t, uint16_array)
%array_class(int32_t, int32_array)
%array_class(uint32_t, uint32_array)
%array_class(int64_t, int64_array)
%array_class(uint64_t, uint64_array)
%array_class(float, float_array)
%array_class(double, double_array)
#endif
