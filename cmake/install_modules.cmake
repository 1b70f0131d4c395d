# Python packages of the built-in operators, as far as the build has made them.
file(GLOB modules LIST_DIRECTORIES TRUE "${ge_generated}/es_*")
foreach(module ${modules})
  if(EXISTS "${module}/__init__.py")
    get_filename_component(name "${module}" NAME)
    file(GLOB files "${module}/*.py" "${module}/*.pyi")
    file(INSTALL ${files} DESTINATION "${CMAKE_INSTALL_PREFIX}/${ge_site}/${name}")
  endif()
endforeach()
