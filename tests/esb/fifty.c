#include "fifty.h"

#include <stddef.h>

static EsCGraph *Branch(const char *name, bool negate) {
  EsCGraphBuilder *b = EsCreateGraphBuilder(name);
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, NULL, NULL, C_DT_FLOAT, C_FORMAT_ND, NULL, 0);
  EsCGraph *graph;
  EsSetGraphOutput(negate ? EsNeg(x) : EsRelu(x), 0);
  graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  return graph;
}

/* while (i < 3) { i = i + 1; h = h + 1; } */
static EsCGraph *LoopCond(void) {
  EsCGraphBuilder *b = EsCreateGraphBuilder("loop_cond");
  EsCTensorHolder *i = EsCreateGraphInputWithDetails(b, 0, "i", "Data", C_DT_INT64, C_FORMAT_ND, NULL, 0);
  EsCGraph *graph;
  EsCreateGraphInput(b, 1);
  EsSetGraphOutput(EsLess(i, EsCreateScalarInt64(b, 3)), 0);
  graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  return graph;
}

static EsCGraph *LoopBody(void) {
  EsCGraphBuilder *b = EsCreateGraphBuilder("loop_body");
  EsCTensorHolder *i = EsCreateGraphInputWithDetails(b, 0, "i", "Data", C_DT_INT64, C_FORMAT_ND, NULL, 0);
  EsCTensorHolder *h = EsCreateGraphInput(b, 1);
  EsCGraph *graph;
  EsSetGraphOutput(EsAdd(i, EsCreateScalarInt64(b, 1)), 0);
  EsSetGraphOutput(EsAdd(h, EsCreateScalarFloat(b, 1.0f)), 1);
  graph = EsBuildGraphAndReset(b);
  EsDestroyGraphBuilder(b);
  return graph;
}

EsCGraph *Fifty(void) {
  const int64_t x_dims[] = {2, 4}, shift_dims[] = {2, 4}, table_dims[] = {4};
  const float scale_values[] = {1.0f, 2.0f, 0.5f, -1.0f};
  const float shift_values[] = {0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 0.25f, -0.25f};
  const float table_values[] = {10.0f, 20.0f, 30.0f, 40.0f};
  const int64_t one_axis[] = {1};
  const int32_t int32_values[] = {-2147483647, 7};
  const uint32_t uint32_values[] = {4294967295u};
  const uint64_t uint64_values[] = {18446744073709551615u, 0u};
  EsCGraph *result = NULL;
  EsCGraphBuilder *b = EsCreateGraphBuilder("fifty");
  EsCTensorHolder *x = EsCreateGraphInputWithDetails(b, 0, "x", "Data", C_DT_FLOAT, C_FORMAT_ND, x_dims, 2);
  EsCTensorHolder *flag = EsCreateGraphInputWithDetails(b, 1, "flag", NULL, C_DT_BOOL, C_FORMAT_ND, NULL, 0);
  EsCTensorHolder *scale = EsCreateVectorFloat(b, scale_values, 4);
  EsCTensorHolder *shift = EsCreateConstFloat(b, shift_values, shift_dims, 2);
  EsCTensorHolder *axis = EsCreateVectorInt64(b, one_axis, 1);
  EsCTensorHolder *zero = EsCreateScalarInt64(b, 0);
  EsCTensorHolder *dimension = EsCreateScalarInt32(b, 1);
  EsCTensorHolder *int32s = EsCreateVectorInt32(b, int32_values, 2);
  EsCTensorHolder *uint32s = EsCreateVectorUInt32(b, uint32_values, 1);
  EsCTensorHolder *uint64s = EsCreateVectorUInt64(b, uint64_values, 2);
  EsCTensorHolder *h = EsAdd(EsMul(x, scale), shift);
  EsCTensorHolder *table, *sum, *best, *smooth, *wide, *turned;
  EsCTensorHolder *inputs[2], *controls[2];
  EsIfOutput chosen;
  EsWhileOutput looped;
  int k;
  (void)uint32s;
  (void)uint64s;

  h = EsLeakyRelu(h, 0.25f);                                                                   /* Float */
  table = EsConst(b, EsCreateEsCTensor(table_values, table_dims, 1, C_DT_FLOAT, C_FORMAT_ND)); /* Tensor */
  h = EsAdd(h, table);
  for (k = 0; k < 11; ++k) h = EsMaximum(EsSub(h, shift), x);
  sum = EsReduceSum(h, axis, true, true);      /* Bool */
  best = EsArgMaxV2(h, dimension, C_DT_INT32); /* Type */
  smooth = EsGeluV2(x, "tanh");                /* String */
  {
    const int64_t axes[] = {0, -1}, perm[] = {1, 0};
    wide = EsUnsqueeze(h, axes, 2); /* ListInt */
    turned = EsTransposeD(h, perm, 2);
  }
  inputs[0] = h;
  chosen = EsIf(flag, inputs, 1, 1, Branch("then_graph", false), Branch("else_graph", true));
  inputs[0] = zero;
  inputs[1] = h;
  looped = EsWhile(inputs, 2, 2, LoopCond(), LoopBody(), 10); /* Int */
  if (chosen.output == NULL || looped.output == NULL) goto done;

  /* Nothing reads these, so they are compiled away: attribute types for whose operators no kernel exists. */
  {
    const C_DataType types[] = {C_DT_FLOAT, C_DT_INT8};
    const int64_t row[] = {4, 8}, *rows[] = {row, NULL};
    const int64_t lengths[] = {2, 0};
    if (EsQueueData(b, 3, "queue", types, 2, rows, 2, lengths) == NULL) goto done; /* ListType */
  }
  {
    const float floats[] = {0.5f, 1e-7f, 3.0e38f};
    if (EsBucketize(x, floats, 3, C_DT_INT64, false) == NULL) goto done; /* ListFloat */
  }
  {
    const bool mask[] = {true, false, true};
    if (EsLayerNormGradV3(x, x, sum, sum, scale, mask, 3).pd_x == NULL) goto done; /* ListBool */
  }
  {
    const int64_t counts[] = {0, 1}, indexes[] = {0, 1};
    const char *words[] = {"", "two words", "\xc3\xa9t\xc3\xa9"};
    if (EsTfIdfVectorizer(int32s, 1, 0, 1, "TF", counts, 2, indexes, 2, NULL, 0, words, 3, NULL, 0) == NULL)
      goto done; /* ListString */
  }
  {
    const int64_t row0[] = {0, 0}, row1[] = {1, 1}, *rows[] = {row0, row1};
    const int64_t lengths[] = {2, 2};
    inputs[0] = x;
    inputs[1] = h;
    if (EsGatherShapes(inputs, 2, rows, 2, lengths, C_DT_INT64) == NULL) goto done; /* ListListInt */
  }

  controls[0] = best;
  controls[1] = smooth;
  if (EsAddControlEdge(sum, controls, 2) != 0) goto done;
  if (EsSetInt64AttrForGraph(b, "_revision", -5) != 0 || EsSetStringAttrForGraph(b, "_author", "fifty.c") != 0 ||
      EsSetBoolAttrForGraph(b, "_final", true) != 0)
    goto done;
  if (EsSetInt64AttrForTensor(h, "_rank", 2) != 0 || EsSetStringAttrForTensor(h, "_what", "hidden") != 0 ||
      EsSetBoolAttrForTensor(h, "_last", false) != 0)
    goto done;
  if (EsSetInt64AttrForNode(sum, "_group", INT64_MIN) != 0 || EsSetStringAttrForNode(sum, "_label", "") != 0 ||
      EsSetBoolAttrForNode(sum, "_keep", true) != 0)
    goto done;
  {
    const int64_t wide_dims[] = {1, 2, 4, 1};
    if (EsSetShape(wide, wide_dims, 4) != 0 || EsSetFormat(wide, C_FORMAT_NCHW) != 0 ||
        EsSetDataType(wide, C_DT_FLOAT) != 0)
      goto done;
  }
  EsSetGraphOutput(h, 0);
  EsSetGraphOutput(sum, 1);
  EsSetGraphOutput(best, 2);
  EsSetGraphOutput(smooth, 3);
  EsSetGraphOutput(wide, 4);
  EsSetGraphOutput(turned, 5);
  EsSetGraphOutput(chosen.output[0], 6);
  EsSetGraphOutput(looped.output[0], 7);
  EsSetGraphOutput(looped.output[1], 8);
  result = EsBuildGraphAndReset(b);
done:
  EsDestroyGraphBuilder(b);
  return result;
}
