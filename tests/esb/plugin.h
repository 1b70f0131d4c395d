#ifndef TESTS_ESB_PLUGIN_H_
#define TESTS_ESB_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#include "esb_funcs.h"

#ifdef __cplusplus
extern "C" {
#endif

EsCGraph *plugin_graph(float factor);
uint32_t plugin_bytes(float factor, void **data, size_t *size);
const char *plugin_failure(void);
void plugin_free(void *data);
void plugin_destroy(EsCGraph *graph);

#ifdef __cplusplus
}
#endif
#endif
