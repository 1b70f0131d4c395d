/* Models of one Relu on float [2, 3]: an ONNX file, and a TensorFlow graph as text. */
#ifndef GE_TESTS_CAPI_SMALL_MODELS_H_
#define GE_TESTS_CAPI_SMALL_MODELS_H_

#define SMALL_ONNX                                                                                                   \
  {                                                                                                                  \
    8, 8, 18, 0, 58, 65, 10, 18, 10, 1, 120, 18, 1, 121, 26, 4, 114, 101, 108, 117, 34, 4, 82, 101, 108, 117, 18, 1, \
        103, 90, 19, 10, 1, 120, 18, 14, 10, 12, 8, 1, 18, 8, 10, 2, 8, 2, 10, 2, 8, 3, 98, 19, 10, 1, 121, 18, 14,  \
        10, 12, 8, 1, 18, 8, 10, 2, 8, 2, 10, 2, 8, 3, 66, 4, 10, 0, 16, 13                                          \
  }
#define SMALL_TENSORFLOW                                                               \
  "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }"  \
  "       attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } } }" \
  "node { name: 'y' op: 'Relu' input: 'x' }"

#endif
