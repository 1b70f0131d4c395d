# cmake --install: libraries, engines, headers, generated wrappers, tools, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ge_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/OpenGE)
set(ge_targets ge_headers ge)
if(TARGET es_all)
  list(APPEND ge_targets es_all)
endif()
target_include_directories(ge_headers INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# The build tree's path must not leak into the package.
set_target_properties(ge_headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
  "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/capi/include>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ge>")
if(TARGET es_all)
  set_target_properties(es_all PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${GE_GENERATED_DIR}/es_all>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/es_all>")
endif()
install(TARGETS ${ge_targets} EXPORT OpenGETargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
foreach(engine ${GE_ENGINES})
  install(TARGETS ${engine} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ge/engines COMPONENT sdk)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/capi/include/ ${CMAKE_SOURCE_DIR}/cxx/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT sdk)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/protos/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT sdk)
if(TARGET es_all)
  install(DIRECTORY ${GE_GENERATED_DIR}/es_all/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/es_all COMPONENT sdk
          FILES_MATCHING PATTERN "*.h")
endif()
install(EXPORT OpenGETargets NAMESPACE OpenGE:: DESTINATION ${ge_cmake_dir} COMPONENT sdk)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/OpenGEConfig.cmake.in ${CMAKE_BINARY_DIR}/OpenGEConfig.cmake
                              INSTALL_DESTINATION ${ge_cmake_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/OpenGEConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/OpenGEConfig.cmake ${CMAKE_BINARY_DIR}/OpenGEConfigVersion.cmake
        DESTINATION ${ge_cmake_dir} COMPONENT sdk)
file(RELATIVE_PATH GE_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/openge.pc.in ${CMAKE_BINARY_DIR}/openge.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/openge.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT sdk)
