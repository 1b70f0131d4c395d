# find_package(GenerateEsPackage REQUIRED) with <prefix>/include/ge/cmake on CMAKE_MODULE_PATH: the functions of
# generate_es_package.cmake.
include("${CMAKE_CURRENT_LIST_DIR}/generate_es_package.cmake")
set(GenerateEsPackage_VERSION 1.0.0)
set(GenerateEsPackage_FUNCTIONS add_es_library add_es_library_and_whl)
set(GenerateEsPackage_FOUND TRUE)
