# An installed prefix is at the same time a toolkit root of GE's shape (ASCEND_HOME_PATH): programs and build scripts written for
# that layout find here what they name.
#   set_env.sh                       the environment
#   lib64/, devlib/                  every library name they link; all lead to libge.so or libes_all.so
#   include/ge/cmake                 the CMake module GenerateEsPackage
#   include/external, include/all_ops.h, opp/built-in/op_proto/inc
#   python/site-packages             the Python package
set(toolkit_files ${CMAKE_BINARY_DIR}/toolkit)

# Headers: one that includes all prototypes, and the old places of others.
file(GLOB op_headers RELATIVE ${CMAKE_SOURCE_DIR}/protos/include CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/protos/include/op_proto/*.h)
list(FILTER op_headers EXCLUDE REGEX internal_ops)
set(text "/* Prototypes of all built-in operators: ge::op::Add and its kin. */\n#ifndef GE_ALL_OPS_H_\n#define GE_ALL_OPS_H_\n\n#include \"graph/operator_reg.h\"\n\n")
# The library holds these prototypes: a program that includes them does not register them a second time, which would also cost it
# minutes of compiling.
string(APPEND text "#pragma push_macro(\"OP_END_FACTORY_REG\")\n#undef OP_END_FACTORY_REG\n"
                   "#define OP_END_FACTORY_REG(x) GE_REG_END(x)\n")
foreach(header ${op_headers})
  string(APPEND text "#include \"${header}\"\n")
endforeach()
string(APPEND text "#pragma pop_macro(\"OP_END_FACTORY_REG\")\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/include/all_ops.h CONTENT "${text}\n#endif\n" @ONLY)
file(CONFIGURE OUTPUT ${toolkit_files}/ops_proto_legacy.h CONTENT "#include \"all_ops.h\"\n" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/include/all_ops.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk)
install(FILES ${CMAKE_BINARY_DIR}/include/all_ops.h ${toolkit_files}/ops_proto_legacy.h
        DESTINATION opp/built-in/op_proto/inc COMPONENT sdk)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/protos/include/op_proto DESTINATION opp/built-in/op_proto/inc COMPONENT sdk
        FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_SOURCE_DIR}/capi/include/esb_funcs.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ge COMPONENT sdk)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/cmake/es_package/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ge/cmake COMPONENT sdk)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/set_env.sh DESTINATION . COMPONENT sdk)

# Library names that programs pass to the linker. The library behind each keeps its own soname, so a program needs libge.so.1
# whatever name it was linked by.
set(GE_LIBRARY_NAMES
    acl_rt acl_mdl acl_rtc acl_cblas acl_op_executor ascendcl ascendc_runtime nnopbase opapi opapi_nn
    graph graph_base ge_common ge_common_base ge_compiler ge_executor ge_runner ge_runner_v2 gert lowering register runtime
    opp_registry fmk_parser fmk_onnx_parser flow_graph flow_func dflow_runner msprofiler eager_style_graph_builder_base)
install(TARGETS c_sec LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ge COMPONENT sdk)
set(GE_OPERATOR_LIBRARY_NAMES es_math es_nn es_cv es_transformer)
configure_file(${CMAKE_SOURCE_DIR}/cmake/install_links.cmake.in ${toolkit_files}/install_links.cmake @ONLY)
install(SCRIPT ${toolkit_files}/install_links.cmake COMPONENT sdk)

# Python: the package as it lies in a wheel, with the libraries of this prefix.
if(TARGET ge_python_module AND NOT SKBUILD)
  set(site python/site-packages)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/ge DESTINATION ${site} COMPONENT sdk
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
  install(TARGETS ${GE_PYTHON_MODULES} LIBRARY DESTINATION ${site}/ge COMPONENT sdk)
  install(CODE "set(ge_generated [[${GE_GENERATED_DIR}]])
set(ge_python [[${CMAKE_BINARY_DIR}/python]])
set(ge_site [[${site}]])" COMPONENT sdk)
  install(SCRIPT ${CMAKE_SOURCE_DIR}/cmake/install_modules.cmake COMPONENT sdk)
endif()
