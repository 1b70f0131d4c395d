# lib/libesb.a: the builder, its serialiser and the wrappers of all operators for programs that freeze them into themselves:
#   cc app.c -lesb -lm -lpthread -ldl
#
# The builder is one object: core/ir, the ES part of capi/src and what they use of the C++ library, linked relocatably with
# everything but capi/esb/exported_symbols.txt made local. It needs no C++ library, neither when a program is linked nor when
# it runs, and meets no other copy in a process, because all its names are hidden (capi/esb/hidden.h).
# Wrappers are objects of a few operators each, so that a program holds little more than those it calls.
option(GE_BUILD_ESB "Build libesb.a" ON)
if(NOT GE_BUILD_ESB OR GE_SANITIZE OR NOT TARGET es_generate)
  return()
endif()

set(esb_dir ${CMAKE_BINARY_DIR}/esb)
set(GE_ESB_LIBRARY ${CMAKE_BINARY_DIR}/lib/libesb.a)
set(esb_exports ${CMAKE_SOURCE_DIR}/capi/esb/exported_symbols.txt)
find_program(GE_LD_BFD NAMES ld.bfd ld REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
foreach(archive libstdc++.a libgcc_eh.a libgcc.a)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${archive} OUTPUT_VARIABLE path
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${path}")
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} has no ${archive}")
  endif()
  list(APPEND esb_runtime ${path})
endforeach()

add_executable(ge_write_installed_ir capi/esb/write_installed_ir.cpp)
target_link_libraries(ge_write_installed_ir PRIVATE ge)
add_custom_command(OUTPUT ${esb_dir}/installed_ir.inc
  COMMAND ge_write_installed_ir ${esb_dir}/installed_ir.inc.new
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${esb_dir}/installed_ir.inc.new ${esb_dir}/installed_ir.inc
  COMMAND ${CMAKE_COMMAND} -E touch ${esb_dir}/installed_ir.inc
  DEPENDS ge_write_installed_ir ge VERBATIM COMMENT "Freezing the prototypes of the builder's own nodes")
file(MAKE_DIRECTORY ${esb_dir})

file(GLOB esb_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/support/*.cpp ${CMAKE_SOURCE_DIR}/core/ir/*.cpp
     ${CMAKE_SOURCE_DIR}/capi/src/es_*.cpp)
list(REMOVE_ITEM esb_sources ${CMAKE_SOURCE_DIR}/capi/src/es_hooks.cpp ${CMAKE_SOURCE_DIR}/capi/src/es_installed_ir.cpp)
foreach(file core/serialize/air_write core/serialize/file_writer core/serialize/node_names capi/src/esb capi/src/guard capi/src/handles
        capi/src/graph capi/src/tensor capi/src/data capi/src/log capi/esb/installed_ir capi/esb/terminate)
  list(APPEND esb_sources ${CMAKE_SOURCE_DIR}/${file}.cpp)
endforeach()
add_library(ge_esb_objects OBJECT ${esb_sources} ${esb_dir}/installed_ir.inc)
ge_unity(ge_esb_objects 10)
target_include_directories(ge_esb_objects BEFORE PRIVATE ${CMAKE_SOURCE_DIR}/capi/esb/include ${CMAKE_SOURCE_DIR}/capi/include
                           ${CMAKE_SOURCE_DIR} ${esb_dir})
target_compile_options(ge_esb_objects PRIVATE -include ${CMAKE_SOURCE_DIR}/capi/esb/hidden.h
                       -ffunction-sections -fdata-sections -fno-gnu-unique)
target_compile_definitions(ge_esb_objects PRIVATE GE_HANDLE_SALT=0x657362)
# Roots of what stays; the rest is dropped section by section.
file(STRINGS ${esb_exports} names)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${esb_exports})
list(TRANSFORM names PREPEND "-u\n")
file(GENERATE OUTPUT ${esb_dir}/builder.rsp CONTENT "$<JOIN:${names},\n>\n$<JOIN:$<TARGET_OBJECTS:ge_esb_objects>,\n>\n")

add_custom_command(OUTPUT ${esb_dir}/esb_builder.o
  # Groups of inline functions are dissolved: a group cannot be dropped once its symbols are local.
  COMMAND ${GE_LD_BFD} -r --gc-sections --force-group-allocation -o ${esb_dir}/esb_builder.o @${esb_dir}/builder.rsp
          --start-group ${esb_runtime} --end-group
  # Names that only dropped sections used go first; unique symbols have to be weak before they can be local.
  COMMAND ${CMAKE_OBJCOPY} --strip-unneeded ${esb_dir}/esb_builder.o
  COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=_Z* --strip-debug ${esb_dir}/esb_builder.o
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${esb_exports} ${esb_dir}/esb_builder.o
  COMMAND ${CMAKE_OBJCOPY} --strip-unneeded --remove-section=.comment ${esb_dir}/esb_builder.o
  DEPENDS ge_esb_objects $<TARGET_OBJECTS:ge_esb_objects> ${esb_exports}
  COMMAND_EXPAND_LISTS VERBATIM COMMENT "Linking the frozen builder")

add_custom_command(OUTPUT ${GE_ESB_LIBRARY}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/esb_archive.py --compiler ${CMAKE_CXX_COMPILER} --ar ${CMAKE_AR} --objcopy ${CMAKE_OBJCOPY}
          --sources ${GE_GENERATED_DIR}/es_all --objects ${esb_dir}/wrappers --builder ${esb_dir}/esb_builder.o
          --output ${GE_ESB_LIBRARY} --first ${CMAKE_SOURCE_DIR}/capi/esb/hidden.h
          --include ${CMAKE_SOURCE_DIR}/capi/include
  DEPENDS ${esb_dir}/esb_builder.o ${GE_GENERATED_DIR}/es_all.stamp ${CMAKE_SOURCE_DIR}/capi/esb/hidden.h
          ${CMAKE_SOURCE_DIR}/cmake/esb_archive.py
  VERBATIM COMMENT "Merging libesb.a")
add_custom_target(ge_esb ALL DEPENDS ${GE_ESB_LIBRARY})
include(GNUInstallDirs)
install(FILES ${GE_ESB_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
