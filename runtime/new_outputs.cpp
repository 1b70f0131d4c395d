#include "runtime/new_outputs.h"

namespace gec {

std::vector<std::shared_ptr<Tensor>> RunToNewOutputs(RunContext &context, const GeTensorData *inputs,
                                                     size_t input_count, const RunInto &run) {
  const size_t count = context.model().outputs().size();
  std::vector<GeTensorData> out(count, GeTensorData{});
  std::vector<std::shared_ptr<Tensor>> made(count);
  context.Prepare(inputs, input_count, out.data(), count);
  for (size_t i = 0; i < count; ++i) {
    TensorDesc desc = TensorDesc::From(out[i]);
    out[i].data = nullptr;
    out[i].size = 0;
    if (!desc.known()) continue;
    made[i] = std::make_shared<Tensor>(desc, Buffer::Allocate(desc.bytes()));
    out[i].data = made[i]->buffer->data();
    out[i].size = made[i]->buffer->size();
  }
  if (run) run(out.data(), count);
  else context.Run(inputs, input_count, out.data(), count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    if (made[i]) continue;
    TensorDesc desc = TensorDesc::From(out[i]);
    made[i] = std::make_shared<Tensor>(desc, Buffer::Copy(out[i].data, out[i].size));
  }
  return made;
}

}  // namespace gec
