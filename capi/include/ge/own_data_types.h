/* Data types of ONNX that GE's list does not have. Their numbers lie far above GE's (C_DT_MAX), so that GE may add
 * some. */
#ifndef GE_OWN_DATA_TYPES_H_
#define GE_OWN_DATA_TYPES_H_

#include "graph/c_types.h"

typedef enum GeOwnDataType {
  C_DT_UINT4 = 60,           /* two in a byte, low bits first */
  C_DT_FLOAT8_E4M3FNUZ = 61, /* no infinities, no negative zero: that code is NaN; bias 8 */
  C_DT_FLOAT8_E5M2FNUZ = 62, /* likewise; bias 16 */
  GE_DATA_TYPE_END = 63      /* above every data type */
} GeOwnDataType;

#endif
