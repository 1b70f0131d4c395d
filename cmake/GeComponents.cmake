# How the folders become libraries.
#
# A component is an object library of every .cpp below its folder. libge.so, and libge.a, are made of all components.
# A folder may hold a component.cmake that adds packages, definitions and generated sources to the target of that folder.

set(GE_COMPONENTS "" CACHE INTERNAL "")
set(GE_ENGINES "" CACHE INTERNAL "")

function(ge_component name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp ${CMAKE_SOURCE_DIR}/${folder}/*.c)
  if(NOT sources)
    return()
  endif()
  set(target ge_${name})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ge_headers)
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder}/component.cmake)
    include(${CMAKE_SOURCE_DIR}/${folder}/component.cmake)
  endif()
  ge_unity(${target} 8)
  set(GE_COMPONENTS ${GE_COMPONENTS} ${target} CACHE INTERNAL "")
endfunction()

# The shared library. GE_LINK_LIBRARIES collects what components need at link time.
function(ge_library)
  set(objects "")
  foreach(component ${GE_COMPONENTS})
    list(APPEND objects $<TARGET_OBJECTS:${component}>)
  endforeach()
  add_library(ge SHARED ${objects})
  target_link_libraries(ge PUBLIC ge_headers PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  foreach(component ${GE_COMPONENTS})
    target_link_libraries(ge PRIVATE $<TARGET_PROPERTY:${component},GE_LINK>)
  endforeach()
  set_target_properties(ge PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1 BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  target_link_options(ge PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
                      -Wl,--version-script=${CMAKE_SOURCE_DIR}/capi/exports.map)
  set_property(TARGET ge APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/capi/exports.map)
  if(NOT GE_SANITIZE)
    target_link_options(ge PRIVATE -Wl,-z,defs)  # a name that nobody defines is found here, not by the user
  endif()
  # Tests that reach inside link the same objects.
  add_library(ge_internal INTERFACE)
  target_include_directories(ge_internal INTERFACE ${CMAKE_SOURCE_DIR})
  # Under the sanitizers a copy in every program would take 300 MB each time: 13 GB in all.
  set(internal STATIC)
  if(GE_SANITIZE)
    set(internal SHARED)
  endif()
  add_library(ge_internal_objects ${internal} ${objects})
  if(GE_SANITIZE)  # its own functions are called without a search for their names, which takes half a second
    target_link_options(ge_internal_objects PRIVATE -Wl,-Bsymbolic-functions)
  endif()
  target_link_libraries(ge_internal_objects PUBLIC ge_headers Threads::Threads ${CMAKE_DL_LIBS})
  foreach(component ${GE_COMPONENTS})
    target_link_libraries(ge_internal_objects PUBLIC $<TARGET_PROPERTY:${component},GE_LINK>)
  endforeach()
  set_target_properties(ge_internal_objects PROPERTIES OUTPUT_NAME ge_internal)
  target_link_libraries(ge_internal INTERFACE ge_internal_objects)
endfunction()

# engines/<name>: a plug-in for each of the levels that follow. `baseline` is any x86-64 processor and gives
# lib/ge/engines/libge_engine_<name>.so; `x86-64-v3` gives a file of the same name in the folder lib/ge/engines/x86-64-v3,
# which the library prefers where the processor is of that level and never opens elsewhere (core/placement/registry.cpp).
# Objects are also kept for libge.a.
function(ge_engine name)
  set(levels ${ARGN})
  set(everywhere "")
  if(GE_SANITIZE AND "baseline" IN_LIST levels AND "x86-64-v3" IN_LIST levels)
    set(levels baseline)  # one copy under the sanitizers, with the instructions of the usual one
    set(everywhere x86-64-v3)
  endif()
  foreach(level ${levels})
    set(target ge_engine_${name})
    if(level STREQUAL "baseline")
      ge_engine_plugin(${name} ${target} "${everywhere}" "")
    else()
      if("baseline" IN_LIST levels)
        string(APPEND target _v3)
      endif()
      ge_engine_plugin(${name} ${target} ${level} ${level})
    endif()
  endforeach()
endfunction()

function(ge_engine_plugin name target march folder)
  set(source_folder ${CMAKE_SOURCE_DIR}/engines/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${source_folder}/*.cpp)
  add_library(${target}_objects OBJECT ${sources})
  target_include_directories(${target}_objects PRIVATE ${source_folder})
  target_link_libraries(${target}_objects PUBLIC ge_headers)
  # The copies of the kit's functions that this engine's instructions are in are nobody else's (ge/engine_kit.hpp).
  target_compile_definitions(${target}_objects PRIVATE GE_ENGINE_KIT_NAMESPACE=${target})
  if(march)
    target_compile_options(${target}_objects PRIVATE -march=${march})
  endif()
  set_target_properties(${target}_objects PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
  add_library(${target} MODULE $<TARGET_OBJECTS:${target}_objects>)
  target_link_libraries(${target} PRIVATE ge_headers)
  set(up "$ORIGIN;$ORIGIN/../..")
  if(folder)
    set(up "$ORIGIN;$ORIGIN/../../..")
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ge_engine_${name} GE_ENGINE_NAME ${name} GE_ENGINE_LEVEL "${folder}"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ge/engines/${folder} BUILD_WITH_INSTALL_RPATH ON
                        INSTALL_RPATH "${up}")
  if(EXISTS ${source_folder}/component.cmake)
    include(${source_folder}/component.cmake)
  endif()
  set(GE_ENGINES ${GE_ENGINES} ${target} CACHE INTERNAL "")
endfunction()
