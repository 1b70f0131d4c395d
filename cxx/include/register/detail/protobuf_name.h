// google::protobuf::Message by name only: this needs no protobuf header. Programs that rename the namespace by a macro
// (`-Dgoogle=ascend_private`, as builds against GE's toolkit do) mean the same classes.
#ifndef INC_REGISTER_DETAIL_PROTOBUF_NAME_H_
#define INC_REGISTER_DETAIL_PROTOBUF_NAME_H_

#ifdef google
#pragma push_macro("google")
#undef google
namespace google {
namespace protobuf {
class Message;
}
}  // namespace google
namespace ge_protobuf_root = ::google;
#pragma pop_macro("google")
namespace google = ::ge_protobuf_root;  // under the macro's name
#else
namespace google {
namespace protobuf {
class Message;
}
}  // namespace google
#endif

#endif
