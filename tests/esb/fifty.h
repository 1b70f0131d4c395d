/* One graph of fifty nodes that uses every attribute type, subgraphs, control edges, constants of every type, dynamic
 * inputs and outputs. tests/esb builds it through libesb.a, libge.so, C++ and Python. */
#ifndef TESTS_ESB_FIFTY_H_
#define TESTS_ESB_FIFTY_H_

#include "es_all_ops_c.h"
#include "esb.h"
#include "esb_funcs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Null when anything failed; esb_last_error says what. */
EsCGraph *Fifty(void);

#ifdef __cplusplus
}
#endif
#endif
