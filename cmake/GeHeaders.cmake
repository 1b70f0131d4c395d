# Where headers are installed.
#   include/          every header of a toolkit root: ours, and those of compat/ge that the library never calls
#   include/openge/   links to ours alone, which is what OpenGE::ge and the pkg-config files lead to
# A system folder (/usr, /usr/local) is no toolkit root: it gets ours only.
set(ge_header_folders capi/include cxx/include protos/include)
set(ge_compat_include ${CMAKE_SOURCE_DIR}/compat/ge/include)
list(TRANSFORM ge_header_folders PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE ge_header_paths)
list(TRANSFORM ge_header_paths APPEND / OUTPUT_VARIABLE ge_header_contents)
install(DIRECTORY ${ge_header_contents} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk FILES_MATCHING
        PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def")

set(GE_OWN_HEADERS all_ops.h)
if(TARGET ge_onnx_proto)
  list(APPEND GE_OWN_HEADERS proto/onnx/ge_onnx.pb.h)
endif()
foreach(folder ${ge_header_paths})
  file(GLOB_RECURSE headers RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.h ${folder}/*.hpp ${folder}/*.def)
  list(APPEND GE_OWN_HEADERS ${headers})
endforeach()
file(GLOB_RECURSE GE_COMPAT_HEADERS RELATIVE ${ge_compat_include} CONFIGURE_DEPENDS ${ge_compat_include}/*.h)
configure_file(${CMAKE_SOURCE_DIR}/cmake/install_headers.cmake.in ${CMAKE_BINARY_DIR}/toolkit/install_headers.cmake @ONLY)
install(SCRIPT ${CMAKE_BINARY_DIR}/toolkit/install_headers.cmake COMPONENT sdk)
