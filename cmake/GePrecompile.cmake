# Headers that most sources of a part include are read once for it and not once for each source, which halves the compiling.
# The order is that of the list; a source still includes what it uses: the preset "fuzz" compiles without this.
option(GE_PRECOMPILE "Precompile the headers that most sources include" ON)

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
