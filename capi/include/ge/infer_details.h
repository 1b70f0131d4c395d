/* Formats and bounds of dimensions, which an inference function may read and write beside types and shapes. */
#ifndef GE_INFER_DETAILS_H_
#define GE_INFER_DETAILS_H_

#include "ge/op.h"

/** GeInferContext.details while a graph is inferred. Elsewhere (one node in a run; the library evaluating a function at
 *  the bounds of its inputs) there is none.
 *  Members may be called during the call of the function, on its thread. A port that does not exist is passed over. */
typedef struct GeInferDetails {
  size_t struct_size;
  void *host; /* of the library */

  /** C_Format of an input: what its producer's description says, else the layout of the nearest producer that has one
   *  (operators that work element by element keep it), else C_FORMAT_ND. */
  int32_t (*input_format)(const struct GeInferDetails *details, size_t input);

  /** Bounds of an input's dimensions. `low` and `high` have room for GE_MAX_RANK; a high of GE_UNKNOWN_DIM is none. A
   *  dimension that is known is its own bounds. Returns the rank, or GE_UNKNOWN_RANK where nothing bounds a dimension.
   */
  int32_t (*input_bounds)(const struct GeInferDetails *details, size_t input, int64_t *low, int64_t *high);

  /** Sets format and origin format of an output. Passed over where the format is no C_Format, and for an output that
   *  lies in another layout than its origin's. */
  void (*set_output_format)(const struct GeInferDetails *details, size_t output, int32_t format);

  /** Sets the bounds of an output's dimensions; passed over where `rank` is not the rank that the function infers. An
   *  output that no function says this of gets the bounds that the inference function gives for those of its inputs. */
  void (*set_output_bounds)(const struct GeInferDetails *details, size_t output, int32_t rank, const int64_t *low,
                            const int64_t *high);
} GeInferDetails;

#endif
