# ONNX messages are decoded by protobuf-c; its code is generated here and its runtime linked statically, so that libge
# neither exports nor needs a protobuf symbol.
find_program(GE_PROTOC_C protoc-c REQUIRED)
find_library(GE_PROTOBUF_C NAMES libprotobuf-c.a REQUIRED)
set(onnx_generated ${CMAKE_BINARY_DIR}/generated/parsers/onnx)
file(MAKE_DIRECTORY ${onnx_generated})
add_custom_command(
  OUTPUT ${onnx_generated}/onnx_subset.pb-c.c ${onnx_generated}/onnx_subset.pb-c.h
  COMMAND ${GE_PROTOC_C} --c_out=${onnx_generated} --proto_path=${CMAKE_SOURCE_DIR}/parsers/onnx onnx_subset.proto
  DEPENDS ${CMAKE_SOURCE_DIR}/parsers/onnx/onnx_subset.proto
  VERBATIM)
target_sources(${target} PRIVATE ${onnx_generated}/onnx_subset.pb-c.c ${onnx_generated}/onnx_subset.pb-c.h)
target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated/parsers)
set_source_files_properties(${onnx_generated}/onnx_subset.pb-c.c PROPERTIES COMPILE_OPTIONS "-w" SKIP_PRECOMPILE_HEADERS ON)
set_target_properties(${target} PROPERTIES GE_LINK "${GE_PROTOBUF_C}")
