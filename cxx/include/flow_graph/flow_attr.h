// How the inputs of a data-flow node are put together to batches.
#ifndef INC_EXTERNAL_FLOW_GRAPH_FLOW_ATTR_H_
#define INC_EXTERNAL_FLOW_GRAPH_FLOW_ATTR_H_

#include <cstdint>

namespace ge {
namespace dflow {

enum class DataFlowAttrType { COUNT_BATCH = 0, TIME_BATCH = 1, INVALID = 2 };

/// Batches of so many messages of one type and shape, which are stacked: the batch has a dimension more. The end of a
/// stream or segment closes a batch early.
struct CountBatch {
  int64_t batch_size;
  int64_t slide_stride;  // messages from one batch's first to the next one's; 0: batch_size
  int64_t timeout;       // ms after which a batch is closed as it is; 0: never
  int64_t batch_dim;     // where the new dimension is; -1 is 0
  int32_t flag;          // not used
  bool padding;          // a batch that is closed early is filled with zeros, else it is short
  bool drop_remainder;   // a batch that is closed early is dropped
  int8_t rsv[90];
};

/// Batches of what arrives within a time.
struct TimeBatch {
  int64_t time_window;     // ms from a batch's first message on; -1: until the end of a stream or segment
  int64_t time_interval;   // 0 or time_window: windows follow one another
  int64_t timeout;         // ms after which a batch is closed as it is; 0: never
  int64_t batch_dim = -1;  // messages are put side by side along it; -1: stacked in a new first dimension
  int32_t flag;            // not used
  bool padding;            // not used: a batch has as many messages as came
  bool drop_remainder;     // what the end of a stream or segment closes before its time is dropped
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
