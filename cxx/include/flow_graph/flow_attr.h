// How the inputs of a data-flow node are put together to batches.
#ifndef INC_EXTERNAL_FLOW_GRAPH_FLOW_ATTR_H_
#define INC_EXTERNAL_FLOW_GRAPH_FLOW_ATTR_H_

#include <cstdint>

namespace ge {
namespace dflow {

enum class DataFlowAttrType { COUNT_BATCH = 0, TIME_BATCH = 1, INVALID = 2 };

/// Batches of so many messages.
struct CountBatch {
  int64_t batch_size;
  int64_t slide_stride;
  int64_t timeout;  // ms
  int64_t batch_dim;
  int32_t flag;
  bool padding;
  bool drop_remainder;
  int8_t rsv[90];
};

/// Batches of what arrives within a time.
struct TimeBatch {
  int64_t time_window;
  int64_t time_interval;
  int64_t timeout;  // ms
  int64_t batch_dim = -1;
  int32_t flag;
  bool padding;
  bool drop_remainder;
  int8_t rsv[90];
};

/// `attr_value` points to a CountBatch or a TimeBatch, which is read during the call it is passed to.
struct DataFlowInputAttr {
  DataFlowAttrType attr_type;
  void *attr_value;
};

}  // namespace dflow
}  // namespace ge

#endif
