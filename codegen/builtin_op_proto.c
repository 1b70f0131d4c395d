/* The prototypes of the built-in operators as a prototype library: what <prefix>/opp/built-in/op_proto holds. Loading
 * it registers each of them; to the engine, which has them already, that is no news. */
#include <string.h>

#include "ge/op.h"

__attribute__((constructor)) static void RegisterBuiltIn(void) {
  size_t i;
  for (i = 0; i < GeOpCount(); ++i) {
    GeOpSchema schema = *GeOpAt(i);
    /* Operators that only passes make are not part of the interface: they get no wrapper and no release history. */
    if (schema.family && strcmp(schema.family, "internal") == 0) continue;
    schema.traits = NULL; /* wrappers of built-in operators need not carry what the library knows */
    (void)GeOpRegister(&schema, NULL);
  }
}
