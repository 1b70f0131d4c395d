# engines/cuda, where a CUDA compiler is found (the PATH, the environment variable CUDACXX, or CMAKE_CUDA_COMPILER):
#   lib/ge/accelerators/libge_engine_cuda.so
# A folder of its own: programs load from it what they name (docs/engines.md, "CudaEngine"). It needs a driver only when it is
# loaded; CUDA's runtime is linked into it.
option(GE_CUDA "Build engines/cuda where a CUDA compiler is found" ON)

set(ge_cuda_answer "")
if(NOT GE_CUDA)
  set(ge_cuda_answer "GE_CUDA is OFF")
elseif(GE_SANITIZE)
  set(ge_cuda_answer "sanitizers do not see what a GPU does; tests use the emulation in tests/engines/cuda")
elseif(SKBUILD)
  set(ge_cuda_answer "wheels hold the engines for processors")
else()
  include(CheckLanguage)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    set(ge_cuda_answer "no CUDA compiler was found that works")
  endif()
endif()
if(ge_cuda_answer)
  message(STATUS "engines/cuda is not built: ${ge_cuda_answer}")
  return()
endif()

set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
enable_language(CUDA)
message(STATUS "engines/cuda is built with ${CMAKE_CUDA_COMPILER} (${CMAKE_CUDA_COMPILER_VERSION}), architectures ${CMAKE_CUDA_ARCHITECTURES}")

file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/engines/cuda/*.cpp ${CMAKE_SOURCE_DIR}/engines/cuda/*.cu)
add_library(ge_engine_cuda MODULE ${sources})
target_include_directories(ge_engine_cuda PRIVATE ${CMAKE_SOURCE_DIR}/engines/cuda)
target_include_directories(ge_engine_cuda SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(ge_engine_cuda PRIVATE ge_headers)
# The options of the project are those of a C++ compiler, which the CUDA compiler calls for its part.
get_target_property(options ge_engine_cuda COMPILE_OPTIONS)
set(both "")
foreach(flag ${options} -Werror)
  list(APPEND both $<$<COMPILE_LANGUAGE:CXX>:${flag}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flag}>)
endforeach()
set_target_properties(ge_engine_cuda PROPERTIES COMPILE_OPTIONS "${both}" CXX_STANDARD 17 CUDA_STANDARD 17
                      CUDA_STANDARD_REQUIRED ON CUDA_VISIBILITY_PRESET hidden OUTPUT_NAME ge_engine_cuda
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/ge/accelerators)
target_link_options(ge_engine_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,-z,defs)
include(GNUInstallDirs)
install(TARGETS ge_engine_cuda OPTIONAL LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ge/accelerators COMPONENT sdk)
