/* What a program of the two releases test fills in. */
#include <stddef.h>

#include "es_all_ops_c.h"
#include "esb_funcs.h"

EsCTensorHolder *Make(EsCGraphBuilder *b, EsCTensorHolder *x);
extern const char *kName;
