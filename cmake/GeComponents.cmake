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
  set_target_properties(ge PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1 BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  target_link_options(ge PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
                      -Wl,--version-script=${CMAKE_SOURCE_DIR}/capi/exports.map)
  set_property(TARGET ge APPEND PROPERTY LINK_DEPENDS ${CMAKE_SOURCE_DIR}/capi/exports.map)
  if(NOT GE_SANITIZE)
    target_link_options(ge PRIVATE -Wl,-z,defs)  # a name that nobody defines is found here, not by the user
  endif()
  # Tests that reach inside link the same objects.
  add_library(ge_internal INTERFACE)
  target_include_directories(ge_internal INTERFACE ${CMAKE_SOURCE_DIR})
  add_library(ge_internal_objects STATIC ${objects})
  target_link_libraries(ge_internal_objects PUBLIC ge_headers Threads::Threads ${CMAKE_DL_LIBS})
  foreach(component ${GE_COMPONENTS})
    target_link_libraries(ge_internal_objects PUBLIC $<TARGET_PROPERTY:${component},GE_LINK>)
  endforeach()
  set_target_properties(ge_internal_objects PROPERTIES OUTPUT_NAME ge_internal)
  target_link_libraries(ge_internal INTERFACE ge_internal_objects)
endfunction()

# engines/<name>: one plug-in lib/ge/engines/libge_engine_<name>.so; its objects are also kept for libge.a.
function(ge_engine name)
  set(folder engines/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    return()
  endif()
  set(target ge_engine_${name})
  add_library(${target}_objects OBJECT ${sources})
  target_include_directories(${target}_objects PRIVATE ${CMAKE_SOURCE_DIR}/engines/${name})
  target_link_libraries(${target}_objects PUBLIC ge_headers)
  add_library(${target} MODULE $<TARGET_OBJECTS:${target}_objects>)
  target_link_libraries(${target} PRIVATE ge_headers)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ge/engines
                        BUILD_RPATH "$ORIGIN;$ORIGIN/../.." INSTALL_RPATH "$ORIGIN;$ORIGIN/../..")
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder}/component.cmake)
    include(${CMAKE_SOURCE_DIR}/${folder}/component.cmake)
  endif()
  set(GE_ENGINES ${GE_ENGINES} ${target} CACHE INTERNAL "")
endfunction()
