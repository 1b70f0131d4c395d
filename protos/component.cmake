find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB GE_PROTO_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/protos/include/op_proto/*.h)
set(GE_PROTO_GENERATED ${CMAKE_BINARY_DIR}/protos)
file(MAKE_DIRECTORY ${GE_PROTO_GENERATED})
add_custom_command(
  OUTPUT ${GE_PROTO_GENERATED}/prototype_table.inc ${GE_PROTO_GENERATED}/prototype_headers.inc
         ${GE_PROTO_GENERATED}/attribute_forms.inc
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/protos/table/extract_table.py
          ${GE_PROTO_GENERATED} ${GE_PROTO_HEADERS}
  DEPENDS ${GE_PROTO_HEADERS} ${CMAKE_SOURCE_DIR}/protos/table/extract_table.py
  COMMENT "Collecting operator prototypes"
  VERBATIM)
target_sources(${target} PRIVATE ${GE_PROTO_GENERATED}/prototype_table.inc ${GE_PROTO_GENERATED}/attribute_forms.inc)
# The library reads REG_OP headers with its own macros: protos/table comes before every other graph/operator_reg.h.
target_include_directories(${target} BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/protos/table ${CMAKE_SOURCE_DIR}/protos/include
                           ${GE_PROTO_GENERATED})
# tests/releases builds a libge with the table of another release in its place.
set_source_files_properties(${CMAKE_SOURCE_DIR}/protos/table/prototypes.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
