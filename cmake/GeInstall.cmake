# cmake --install: libraries, engines, headers, generated wrappers, tools, a CMake package and pkg-config files.
# The package also works from the build tree: find_package(OpenGE) with OpenGE_DIR=<build>.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ge_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/OpenGE)
set(ge_targets ge_headers ge)
foreach(target es_all gen_esb ge_cli)
  if(TARGET ${target})
    list(APPEND ge_targets ${target})
  endif()
endforeach()
# The build tree's path must not leak into the package.
set_target_properties(ge_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
  "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/capi/include>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/openge>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/openge/ge>")
if(TARGET es_all)
  set_target_properties(es_all PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${GE_GENERATED_DIR}/es_all>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/es_all>")
endif()

install(TARGETS ${ge_targets} EXPORT OpenGETargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT sdk)
foreach(engine ${GE_ENGINES})
  get_target_property(level ${engine} GE_ENGINE_LEVEL)
  get_target_property(libraries ${engine} GE_ENGINE_LIBRARIES)  # that it opens when it needs them
  if(NOT libraries)
    set(libraries "")
  endif()
  install(TARGETS ${engine} ${libraries} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ge/engines/${level} COMPONENT sdk)
endforeach()
install(TARGETS ge_python_bridge LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
if(TARGET ge_static)
  install(FILES ${GE_STATIC_LIBRARY} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
endif()
if(TARGET es_all_a)
  install(FILES $<TARGET_FILE:es_all_a> DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
endif()
include(GeHeaders)
if(TARGET es_all)
  install(DIRECTORY ${GE_GENERATED_DIR}/es_all/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/es_all COMPONENT sdk
          FILES_MATCHING PATTERN "*.h")
  # es_math_ops.h and its kin, with the headers they include: include/es_math, es_nn, es_cv, es_transformer.
  install(DIRECTORY ${GE_GENERATED_DIR}/headers/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk
          FILES_MATCHING PATTERN "*.h")
endif()

# CMake package. Its targets:
#   OpenGE::ge, OpenGE::ge_static          the library with its headers (C and C++)
#   OpenGE::es_all, OpenGE::es_all_static  wrappers of the built-in operators
#   OpenGE::esb                            the builder that a C program freezes into itself
#   OpenGE::compat                         OpenGE::ge, and GE's headers that the library never calls (compat/ge)
#   OpenGE::gen_esb, OpenGE::ge_cli        programs
install(EXPORT OpenGETargets NAMESPACE OpenGE:: DESTINATION ${ge_cmake_dir} COMPONENT sdk)
export(EXPORT OpenGETargets NAMESPACE OpenGE:: FILE ${CMAKE_BINARY_DIR}/OpenGETargets.cmake)
set(config_vars OPENGE_BASE_DIR OPENGE_LIB_DIR OPENGE_ES_ALL_INCLUDE_DIR OPENGE_ES_PACKAGE_DIR
    OPENGE_COMPAT_INCLUDE_DIR)
set(OPENGE_BASE_DIR ".")
set(OPENGE_LIB_DIR ${CMAKE_INSTALL_LIBDIR})
set(OPENGE_ES_PACKAGE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/ge/cmake)
set(OPENGE_ES_ALL_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/es_all)
set(OPENGE_COMPAT_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR})
set(OPENGE_MORE_INCLUDES "")
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/OpenGEConfig.cmake.in ${CMAKE_BINARY_DIR}/installed/OpenGEConfig.cmake
                              INSTALL_DESTINATION ${ge_cmake_dir} PATH_VARS ${config_vars} NO_SET_AND_CHECK_MACRO)
# In the build tree the headers of the C++ facade and of the prototypes lie in folders of their own, which the targets of
# this build must not see.
set(OPENGE_BASE_DIR ${CMAKE_BINARY_DIR})
set(OPENGE_LIB_DIR ${CMAKE_BINARY_DIR}/lib)
set(OPENGE_ES_PACKAGE_DIR ${CMAKE_SOURCE_DIR}/cmake/es_package)
set(OPENGE_ES_ALL_INCLUDE_DIR ${GE_GENERATED_DIR}/es_all)
set(OPENGE_COMPAT_INCLUDE_DIR ${CMAKE_SOURCE_DIR}/compat/ge/include)
set(OPENGE_MORE_INCLUDES
    "${CMAKE_SOURCE_DIR}/cxx/include;${CMAKE_SOURCE_DIR}/cxx/include/ge;${CMAKE_SOURCE_DIR}/capi/include/ge;${CMAKE_SOURCE_DIR}/protos/include;${CMAKE_BINARY_DIR}/include")
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/OpenGEConfig.cmake.in ${CMAKE_BINARY_DIR}/OpenGEConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_BINARY_DIR} INSTALL_PREFIX ${CMAKE_BINARY_DIR}
                              PATH_VARS ${config_vars} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OpenGEConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/installed/OpenGEConfig.cmake ${CMAKE_BINARY_DIR}/OpenGEConfigVersion.cmake
        DESTINATION ${ge_cmake_dir} COMPONENT sdk)

# pkg-config: openge, openge-static (all of it inside the program), openge-es_all, openge-esb (the builder alone, frozen).
file(RELATIVE_PATH GE_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" GE_PC_UP "${GE_PC_UP}")
foreach(name openge openge-static openge-es_all openge-esb)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT sdk)
endforeach()

include(GeToolkit)
