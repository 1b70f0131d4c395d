// The library that holds the classes of ONNX messages (libge_onnx_proto.so), which libge does not need.
#ifndef INC_REGISTER_DETAIL_ONNX_MESSAGES_H_
#define INC_REGISTER_DETAIL_ONNX_MESSAGES_H_

#include <dlfcn.h>

#include <cstddef>
#include <string>

#include "ge/parser_plugin.h"
#include "register/detail/protobuf_name.h"

extern "C" {
/// An encoded NodeProto as a message; null when the bytes are none. Messages cross as pointers to
/// google::protobuf::Message.
__attribute__((weak)) void *ge_onnx_node_from_bytes(const void *bytes, size_t size);
__attribute__((weak)) void ge_onnx_message_free(void *message);
/// Calls `attr` with each attribute of an ONNX NodeProto or a TensorFlow NodeDef that has a plain value; 0 for other
/// messages.
__attribute__((weak)) int ge_onnx_message_attrs(const void *message, void *user,
                                                void (*attr)(void *user, const GeAttrData *attr));
}

namespace domi {
namespace detail {

struct MessageFunctions {
  decltype(&ge_onnx_node_from_bytes) make = nullptr;
  decltype(&ge_onnx_message_free) free = nullptr;
  decltype(&ge_onnx_message_attrs) visit = nullptr;
};

/// As linked, else of the library beside libge or on the loader's path; null when there is none.
inline const MessageFunctions *Messages() {
  static const MessageFunctions functions = [] {
    MessageFunctions found{&ge_onnx_node_from_bytes, &ge_onnx_message_free, &ge_onnx_message_attrs};
    if (found.make != nullptr && found.free != nullptr && found.visit != nullptr) return found;
    void *library = nullptr;
    Dl_info libge{};
    if (dladdr(reinterpret_cast<const void *>(&GeParserPluginRegister), &libge) != 0 && libge.dli_fname != nullptr) {
      const std::string path = libge.dli_fname;
      const size_t slash = path.rfind('/');
      if (slash != std::string::npos)
        library = dlopen((path.substr(0, slash) + "/libge_onnx_proto.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) library = dlopen("libge_onnx_proto.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return MessageFunctions{};
    found.make = reinterpret_cast<decltype(found.make)>(dlsym(library, "ge_onnx_node_from_bytes"));
    found.free = reinterpret_cast<decltype(found.free)>(dlsym(library, "ge_onnx_message_free"));
    found.visit = reinterpret_cast<decltype(found.visit)>(dlsym(library, "ge_onnx_message_attrs"));
    return found;
  }();
  return functions.make != nullptr && functions.free != nullptr ? &functions : nullptr;
}

/// A message for the duration of a call.
class NodeMessage {
 public:
  NodeMessage(const void *bytes, size_t size) {
    if (Messages() != nullptr) message_ = Messages()->make(bytes, size);
  }
  ~NodeMessage() {
    if (message_ != nullptr) Messages()->free(message_);
  }
  NodeMessage(const NodeMessage &) = delete;
  NodeMessage &operator=(const NodeMessage &) = delete;
  const google::protobuf::Message *get() const { return static_cast<const google::protobuf::Message *>(message_); }

 private:
  void *message_ = nullptr;
};

}  // namespace detail
}  // namespace domi

#endif
