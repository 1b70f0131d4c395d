# Headers that most sources of a part include are read once for it and not once for each source, which halves the compiling.
# The order is that of the list; a source still includes what it uses: the preset "fuzz" compiles without this.
option(GE_PRECOMPILE "Precompile the headers that most sources include" ON)

# Sources of a library are compiled several at a time, which halves the compiling of a clean build. For work on single files
# -DGE_UNITY=OFF compiles them one by one; the preset "fuzz" does, so that a missing include shows.
option(GE_UNITY "Compile several sources of a library at a time" ON)

# ge_unity(target most): its C++ sources, at most so many to a translation unit, but for those with the property
# SKIP_UNITY_BUILD_INCLUSION or flags of their own. CMake's UNITY_BUILD writes absolute paths, which no compiler cache finds
# again in another copy of this tree, so the units are written here.
function(ge_unity target most)
  if(NOT GE_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(together "")
  foreach(source ${sources})
    get_source_file_property(skip ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(flags ${source} COMPILE_OPTIONS)
    if(source MATCHES "[.]cpp$" AND NOT skip AND NOT flags AND NOT source MATCHES "^${CMAKE_BINARY_DIR}")
      list(APPEND together ${source})
    else()
      list(APPEND alone ${source})
    endif()
  endforeach()
  set(folder ${CMAKE_BINARY_DIR}/unity/${target})
  list(LENGTH together count)
  math(EXPR units "(${count} + ${most} - 1) / ${most}")
  set(number 0)
  while(number LESS units)
    # Units of about the same size.
    math(EXPR first "${count} * ${number} / ${units}")
    math(EXPR size "${count} * (${number} + 1) / ${units} - ${first}")
    list(SUBLIST together ${first} ${size} batch)
    set(text "")
    foreach(source ${batch})
      get_filename_component(source ${source} ABSOLUTE)
      file(RELATIVE_PATH source ${folder} ${source})
      string(APPEND text "#include \"${source}\"\n")
    endforeach()
    file(CONFIGURE OUTPUT ${folder}/${number}.cpp CONTENT "${text}" @ONLY)
    list(APPEND alone ${folder}/${number}.cpp)
    math(EXPR number "${number} + 1")
  endwhile()
  set_target_properties(${target} PROPERTIES SOURCES "${alone}")
endfunction()

set(GE_STANDARD_HEADERS
    <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <functional> <initializer_list> <limits> <map> <memory> <mutex>
    <optional> <set> <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector>)

# ge_precompile(target headers…): these headers, for C++ sources of the target only.
function(ge_precompile target)
  if(NOT GE_PRECOMPILE)
    return()
  endif()
  # In angle brackets the text that is compiled names no folder of this machine, so that the compiler cache knows it again.
  list(TRANSFORM ARGN REPLACE "^<(.*)>$" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>" OUTPUT_VARIABLE headers)
  target_precompile_headers(${target} PRIVATE ${headers})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()

# ge_precompiled(name headers…): these headers for several targets that compile with the same flags. The target that owns
# them compiles nothing else, because users of precompiled headers wait for their owner.
function(ge_precompiled name)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled/${name}.cpp)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ge_headers)
  ge_precompile(${name} ${ARGN})
endfunction()

# Its users are programs, which are compiled a little differently from libraries.
function(ge_precompiled_for_programs name)
  target_compile_options(${name} PRIVATE -fPIE)
endfunction()

# ge_precompile_as(target other): what was precompiled for the other target.
function(ge_precompile_as target other)
  if(NOT GE_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${other})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()
