# The work of one target of generate_es_package.cmake, at build time:
#   cmake -D SETTINGS=<build>/settings.cmake -D STEP=generate|wheel|install -P es_package_step.cmake
cmake_minimum_required(VERSION 3.16)
include("${SETTINGS}")

include("${CMAKE_CURRENT_LIST_DIR}/es_package_files.cmake")

# gen_esb with these arguments; its output goes to the log.
function(run_generator)
  set(environment "ASCEND_OPP_PATH=${opp}" "ASCEND_CUSTOM_OPP_PATH=${custom}")
  if(lib64)
    list(APPEND environment "LD_LIBRARY_PATH=${lib64}:$ENV{LD_LIBRARY_PATH}")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env ${environment} sh "${locked}" "${generator}" ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  file(APPEND "${code}/.gen_esb_debug.log" "${generator} ${ARGN}\n${text}\n")
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "gen_esb failed for ${T} (${result}); the whole output is in ${code}/.gen_esb_debug.log\n${text}")
  endif()
endfunction()

# Names of the operators that were generated, from the aggregate header.
function(generated_operators out)
  set(names "")
  file(STRINGS "${code}/es_${module}_ops_c.h" lines REGEX "^#include \"es_.*_c\\.h\"")
  foreach(line ${lines})
    if(line MATCHES "\"es_(.*)_c\\.h\"")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# The archive in the output folder, as it was before this build first wrote the release it makes.
function(save_earlier_releases folder)
  string(REGEX REPLACE "^.*--release_version=([^;]*).*$" "\\1" version "${archive_args}")
  _ge_es_has_release("${root}/index.json" "${version}" written)
  if(NOT written OR NOT EXISTS "${folder}")
    file(REMOVE_RECURSE "${folder}")
    file(MAKE_DIRECTORY "${folder}")
    if(EXISTS "${root}/index.json")
      file(COPY "${root}/index.json" "${root}/registry" DESTINATION "${folder}")
    endif()
  endif()
endfunction()

if(STEP STREQUAL generate)
  file(MAKE_DIRECTORY "${code}")
  file(WRITE "${code}/.gen_esb_debug.log" "")
  if(proto_copy)
    file(MAKE_DIRECTORY "${opp}/op_proto/custom")
    get_filename_component(real "${proto_copy}" REALPATH)
    foreach(file "${proto_copy}" "${real}")  # else file(COPY) keeps a copy of the same second
      get_filename_component(name "${file}" NAME)
      file(REMOVE "${opp}/op_proto/custom/${name}")
    endforeach()
    file(COPY "${proto_copy}" DESTINATION "${opp}/op_proto/custom" FOLLOW_SYMLINK_CHAIN)
  endif()
  run_generator("--output_dir=${code}" "--module_name=${module}" ${code_args})
  generated_operators(names)
  if(NOT names)
    message(FATAL_ERROR "${T}: no operator was found below ${opp}; see ${code}/.gen_esb_debug.log")
  endif()
  set(text "// Every generated source, compiled at once.\n")
  foreach(name ${names})
    string(APPEND text "#include \"es_${name}.cpp\"\n")
  endforeach()
  _ge_es_write("${code}/es_${module}_all_in_one.cpp" "${text}")

  # The archive of releases: made aside, so that a second build of a release starts from what was there before the first one:
  # the installed archive, else the one in the output folder.
  if(registry OR archive_args)
    set(history "${build}/history")
    set(before "${build}/history_before")
    file(REMOVE_RECURSE "${history}")
    file(MAKE_DIRECTORY "${history}")
    if(registry)
      get_filename_component(real "${registry}" REALPATH)  # it may be a link
      file(COPY "${real}/index.json" "${real}/registry" DESTINATION "${history}")
    else()
      save_earlier_releases("${before}")
      file(COPY "${before}/" DESTINATION "${history}")
    endif()
    if(archive_args)
      run_generator("--output_dir=${history}" ${archive_args})
    endif()
    # Not file(COPY), to which two files of one second are the same file.
    execute_process(COMMAND "${CMAKE_COMMAND}" -E copy_directory "${history}" "${root}" RESULT_VARIABLE result ERROR_VARIABLE text)
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "${text}")
    endif()
  endif()
  file(WRITE "${code}/generated_code.flag" "${T}\n")
endif()

if(STEP STREQUAL wheel)
  set(folder "${build}/python_package")
  file(REMOVE_RECURSE "${folder}")
  if(with_wheel)
    # An import statement takes identifiers only: for other targets the package has such a name, too.
    string(MAKE_C_IDENTIFIER "${T}" package)
    string(MAKE_C_IDENTIFIER "x${module}" entry)
    string(SUBSTRING "${entry}" 1 -1 entry)
    set(home "${T}")
    if(T MATCHES "[.]")  # a dot is for packages inside of packages
      set(home "${package}")
    endif()
    set(packages "\"${home}\"")
    set(entries "\"${module} = ${package}:get_module\"")
    if(NOT entry STREQUAL module)
      string(APPEND entries ", \"${entry} = ${package}:get_module\"")
    endif()
    file(MAKE_DIRECTORY "${folder}/${home}")
    generated_operators(names)
    # The package as it was generated: it loads an operator when its name is first used.
    set(files "${code}/__init__.py" "${code}/__init__.pyi" "${code}/es_${module}_ops.py" "${code}/es_${module}_ops.pyi")
    foreach(name ${names})
      list(APPEND files "${code}/es_${name}.py")
    endforeach()
    file(COPY ${files} DESTINATION "${folder}/${home}")
    if(NOT home STREQUAL package)
      string(APPEND packages ", \"${package}\"")
      file(WRITE "${folder}/${package}/__init__.py" "\"\"\"The package ${T} under a name that programs can import.\"\"\"

import importlib
import sys

sys.modules[__name__] = importlib.import_module(\"${T}\")
")
      file(COPY "${code}/__init__.pyi" DESTINATION "${folder}/${package}")
    endif()
    file(WRITE "${folder}/setup.py" "from setuptools import setup

setup(
    name=\"${T}\",
    version=\"1.0.0\",
    description=\"Graph building functions of the operator module ${module}\",
    packages=[${packages}],
    package_data={\"\": [\"*.pyi\"]},
    python_requires=\">=3.7\",
    entry_points={\"ge.es.plugins\": [${entries}]},
)
")
    # With what is installed, since a build must not need a network; else pip fetches what is missing.
    set(log "")
    foreach(isolation --no-build-isolation "")
      execute_process(COMMAND "${python}" -m pip wheel . --no-deps ${isolation} --disable-pip-version-check
                      WORKING_DIRECTORY "${folder}" RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
      string(APPEND log "${text}")
      if(result EQUAL 0)
        break()
      endif()
    endforeach()
    if(NOT result EQUAL 0)
      message(FATAL_ERROR "The wheel of ${T} could not be made with ${python}, which needs pip, setuptools and wheel:\n${log}")
    endif()
  endif()
  file(WRITE "${build}/wheel.flag" "${T}\n")
endif()

if(STEP STREQUAL install)
  file(GLOB headers "${code}/*.h")
  # Headers of operators that are gone go too; those that somebody wrote stay.
  file(GLOB copied RELATIVE "${output}/include/${T}" "${output}/include/${T}/es_*.h")
  foreach(name ${copied})
    if(NOT EXISTS "${code}/${name}")
      file(STRINGS "${output}/include/${T}/${name}" ours LIMIT_COUNT 1 REGEX "This file is GENERATED by bin/gen_esb")
      if(ours)
        file(REMOVE "${output}/include/${T}/${name}")
      endif()
    endif()
  endforeach()
  _ge_es_copy("${output}/include/${T}" ${headers})
  _ge_es_copy("${output}/lib64" "${shared_library}" "${static_library}")
  # Copies count as made now: they are newer than everything they come from.
  file(TOUCH "${output}/lib64/lib${T}.so" "${output}/lib64/lib${T}.a")
  file(MAKE_DIRECTORY "${output}/whl")
  file(GLOB wheels "${build}/python_package/*.whl")
  if(wheels)
    _ge_es_copy("${output}/whl" ${wheels})
  endif()
  file(WRITE "${build}/install.flag" "${T}\n")
endif()
