/* Prototype libraries that are wrong in one way each: PROTO_* says which. Plain C over the public interface. */
#include <stdlib.h>

#include "ge/op.h"

static void Register(const char *type, const GeIrPort *inputs, size_t count) {
  static const GeIrPort output = {"y", GE_IR_REQUIRED, 0, "TensorType({DT_FLOAT})"};
  GeOpSchema schema = {sizeof schema, type, NULL, NULL, inputs, count, &output, 1, NULL, 0, NULL, 0, NULL, 0, NULL};
  (void)GeOpRegister(&schema, NULL);
}

static const GeIrPort kInputs[] = {{"x", GE_IR_REQUIRED, 0, "TensorType({DT_FLOAT})"},
                                   {"b", GE_IR_OPTIONAL, 0, "TensorType({DT_FLOAT})"}};

__attribute__((constructor)) static void Prototypes(void) {
#if defined(PROTO_TWICE) /* one library, one type, two contents */
  Register("OpTwice", kInputs, 1);
  Register("OpTwice", kInputs, 2);
#elif defined(PROTO_PLAIN)   /* as good as any */
  Register("OpPlain", kInputs, 1);
#elif defined(PROTO_OTHER)   /* the type of the former with other content */
  Register("OpPlain", kInputs, 2);
#elif defined(PROTO_NAMES)   /* what cannot be the name of a function, and files that meet */
  Register("Op-Dash", kInputs, 1);
  Register("and", kInputs, 1);
  Register("SetShape", kInputs, 1);
  Register("Op", kInputs, 1);
  Register("Op_c", kInputs, 1);
  Register("log", kInputs, 1);
#elif defined(PROTO_EXITING) /* ends the process, with the status of success */
  exit(0);
#elif defined(PROTO_CRASHING)
  abort();
#endif
}
