# Writes the header that protoc made, so that a macro called google does not touch it: programs that are built with
# -Dgoogle=ascend_private mean the classes of protobuf all the same.
file(READ ${FROM} text)
file(WRITE ${TO} "#ifdef google\n#define GE_ONNX_GOOGLE_RENAMED\n#pragma push_macro(\"google\")\n#undef google\n#endif\n"
  "${text}"
  "#ifdef GE_ONNX_GOOGLE_RENAMED\n#undef GE_ONNX_GOOGLE_RENAMED\n#pragma pop_macro(\"google\")\n#endif\n"
  "#include \"register/detail/protobuf_name.h\"\n")
