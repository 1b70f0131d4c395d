/* The prototypes of the built-in operators as a prototype library: what <prefix>/opp/built-in/op_proto holds. Loading
 * it registers each of them; to the engine, which has them already, that is no news. */
#include "ge/op.h"

__attribute__((constructor)) static void RegisterBuiltIn(void) {
  size_t i;
  for (i = 0; i < GeOpCount(); ++i) (void)GeOpRegister(GeOpAt(i), NULL);
}
