# lib/libge.a: the library and all engines in one archive that links with -lge -lstdc++ -lpthread -ldl -lm.
#
# Everything is merged into one object, so a program gets all of it without --whole-archive, and symbols that are not part of
# the C ABI become local. Engines are entered by a table: each one's GeEngineQuery is renamed, the table lists them.
# oneDNN and libgomp exist as shared libraries only; shims load them at run time.
option(GE_BUILD_STATIC "Build libge.a" ON)
if(NOT GE_BUILD_STATIC OR GE_SANITIZE)
  return()
endif()

set(folder ${CMAKE_BINARY_DIR}/static)
set(GE_STATIC_LIBRARY ${CMAKE_BINARY_DIR}/lib/libge.a)
find_program(GE_LD_BFD NAMES ld.bfd ld REQUIRED)
find_library(GE_PROTOBUF_C_ARCHIVE libprotobuf-c.a REQUIRED)

set(declarations "")
set(rows "")
set(commands "")
set(parts "")
set(depends "")
foreach(engine ${GE_ENGINES})
  string(REPLACE ge_engine_ "" name ${engine})
  string(APPEND declarations "const GeEngineTable *GeEngineQuery_${name}(uint32_t host_engine_abi);\n")
  get_target_property(plugin ${engine} GE_ENGINE_NAME)
  get_target_property(level ${engine} GE_ENGINE_LEVEL)
  if(level)
    string(PREPEND rows "    {\"${plugin}\", GeEngineQuery_${name}, GE_CPU_X86_64_V3},\n")
  else()
    string(APPEND rows "    {\"${plugin}\", GeEngineQuery_${name}, 0},\n")
  endif()
  set(objects $<FILTER:$<TARGET_OBJECTS:${engine}_objects>,INCLUDE,[.]o$>)  # a precompiled header is an object to CMake
  if(TARGET ${engine}_shim)
    list(APPEND objects $<TARGET_OBJECTS:${engine}_shim>)
  endif()
  file(GENERATE OUTPUT ${folder}/${name}.rsp CONTENT "$<JOIN:${objects},\n>\n")
  list(APPEND depends ${objects})
  list(APPEND parts ${folder}/engine_${name}.o)
  # Groups of inline functions are dissolved: a group cannot be dropped once its symbols are local.
  # Private symbols of engines are made local before they meet, so two engines may use the same names. (Unique symbols have to
  # be weak before they can be local.)
  list(APPEND commands
       COMMAND ${GE_LD_BFD} -r --force-group-allocation -o ${folder}/engine_${name}.o @${folder}/${name}.rsp
       COMMAND ${CMAKE_OBJCOPY} --weaken --redefine-sym GeEngineQuery=GeEngineQuery_${name} ${folder}/engine_${name}.o
       COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=GeEngineQuery_${name} ${folder}/engine_${name}.o)
endforeach()
file(CONFIGURE OUTPUT ${folder}/engine_table.c CONTENT [[
/* The engines that this library contains. */
#include "ge/engine.h"

@declarations@
typedef struct GeStaticEngine {
  const char *name;
  GeEngineQueryFn query;
  uint64_t cpu_features; /* needed; of two rows with one name the first that the processor has counts */
} GeStaticEngine;

const GeStaticEngine ge_static_engines[] = {
@rows@};
const size_t ge_static_engine_count = sizeof(ge_static_engines) / sizeof(ge_static_engines[0]);
]] @ONLY)
# The declared visibility of the table is hidden where it is read, and default here: hidden wins in the merged object.
add_library(ge_static_parts OBJECT ${folder}/engine_table.c ${CMAKE_SOURCE_DIR}/capi/static/gomp_shim.c)
target_link_libraries(ge_static_parts PRIVATE ge_headers)
add_library(ge_static_highway OBJECT ${CMAKE_SOURCE_DIR}/capi/static/highway_shim.cpp)

set(objects $<TARGET_OBJECTS:ge_static_parts>)
foreach(component ${GE_COMPONENTS})
  list(APPEND objects $<FILTER:$<TARGET_OBJECTS:${component}>,INCLUDE,[.]o$>)
endforeach()
file(GENERATE OUTPUT ${folder}/library.rsp CONTENT "$<JOIN:${objects},\n>\n")
list(APPEND depends ${objects} $<TARGET_OBJECTS:ge_static_highway>)

add_custom_command(
  OUTPUT ${GE_STATIC_LIBRARY}
  ${commands}
  COMMAND ${GE_LD_BFD} -r --force-group-allocation -o ${folder}/ge.o @${folder}/library.rsp $<TARGET_OBJECTS:ge_static_highway> ${parts} --whole-archive
          ${GE_PROTOBUF_C_ARCHIVE}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=_Z* ${folder}/ge.o
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden --localize-symbol=_Z* --wildcard --localize-symbol=protobuf_c_* --localize-symbol=GOMP_* --localize-symbol=omp_*
          --localize-symbol=dnnl_* --localize-symbol=GeEngineQuery_* ${folder}/ge.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${GE_STATIC_LIBRARY}
  COMMAND ${CMAKE_AR} qcs ${GE_STATIC_LIBRARY} ${folder}/ge.o
  DEPENDS ${depends}
  COMMAND_EXPAND_LISTS VERBATIM COMMENT "Merging libge.a")
add_custom_target(ge_static ALL DEPENDS ${GE_STATIC_LIBRARY})

# For programs of this build.
add_library(ge_static_import STATIC IMPORTED GLOBAL)
set_target_properties(ge_static_import PROPERTIES IMPORTED_LOCATION ${GE_STATIC_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/capi/include)
target_link_libraries(ge_static_import INTERFACE stdc++ pthread dl m)
add_dependencies(ge_static_import ge_static)
