// Front ends that graphs come from.
#ifndef INC_REGISTER_REGISTER_FMK_TYPES_H_
#define INC_REGISTER_REGISTER_FMK_TYPES_H_

namespace domi {
enum FrameworkType {
  CAFFE = 0,
  MINDSPORE = 1,
  TENSORFLOW = 3,
  ANDROID_NN = 4,
  ONNX = 5,
  FRAMEWORK_RESERVED = 6,
};
}  // namespace domi

#endif
