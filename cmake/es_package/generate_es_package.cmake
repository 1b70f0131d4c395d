# Wrappers in C, C++ and Python for a library of operator prototypes, as part of a CMake build.
#
#   add_es_library(ES_LINKABLE_AND_ALL_TARGET es_math   the target to link, and the name of libraries and Python package
#                  OPP_PROTO_TARGET my_protos           the target with the prototypes
#                  [OUTPUT_PATH dir]                    also copies what was made to dir/include, dir/lib64 and dir/whl
#                  [EXCLUDE_OPS A,B])                   operator types to leave out
#   add_es_library_and_whl(…)                           the same, with a Python wheel
#
# OPP_PROTO_TARGET is a SHARED, MODULE, STATIC or OBJECT library of this build, or an INTERFACE library whose property
# INTERFACE_LIBRARY_OUTPUT_DIRECTORY names a folder of prototype libraries that exist. Objects of a STATIC or OBJECT library are
# compiled as position independent code, since gen_esb loads them as a shared library.
#
# History of releases: GE_ES_EXTRACT_HISTORY, GE_ES_RELEASE_VERSION, GE_ES_RELEASE_DATE and GE_ES_BRANCH_NAME, as CMake or
# environment variables. CMake 3.16 or newer.
#
# The toolkit's lib64 is a link folder of every target made here, of the directory that includes this file, and of those that
# the project adds after it: programs
# name its libraries (graph, graph_base, c_sec) beside them, also libraries of objects, which link no target of these.
get_filename_component(_ge_es_base "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET OpenGE::ge AND IS_DIRECTORY "${_ge_es_base}/lib64")
  link_directories(AFTER "${_ge_es_base}/lib64")
  # Folders of the project that come later have it from the project's own folder, also those beside this one.
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY LINK_DIRECTORIES "${_ge_es_base}/lib64")
endif()
include_guard(GLOBAL)

set_property(GLOBAL PROPERTY GE_ES_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")
# The root of the installation: this file is <base>/include/ge/cmake/generate_es_package.cmake.
set_property(GLOBAL PROPERTY GE_ES_BASE "${_ge_es_base}")
# One generator at a time: several of them would only slow one another down.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS es_gen_esb_serial=1)

function(add_es_library)
  _ge_es_library(FALSE ${ARGN})
endfunction()

function(add_es_library_and_whl)
  _ge_es_library(TRUE ${ARGN})
endfunction()

# A variable of CMake, else of the environment.
function(_ge_es_variable name out)
  if(DEFINED ${name})
    set(${out} "${${name}}" PARENT_SCOPE)
  else()
    set(${out} "$ENV{${name}}" PARENT_SCOPE)
  endif()
endfunction()

include("${CMAKE_CURRENT_LIST_DIR}/es_package_files.cmake")

# The generator: its command, the folder of its libraries ("" when it belongs to this build) and what to depend on.
function(_ge_es_generator out_command out_lib64 out_depends)
  get_property(base GLOBAL PROPERTY GE_ES_BASE)
  set(lib64 "")
  set(depends "")
  if(TARGET gen_esb)
    set(command $<TARGET_FILE:gen_esb>)
    set(depends gen_esb)
  else()
    if(TARGET OpenGE::gen_esb)
      get_target_property(command OpenGE::gen_esb LOCATION)
    else()
      execute_process(COMMAND uname -m OUTPUT_VARIABLE arch OUTPUT_STRIP_TRAILING_WHITESPACE)
      if(GE_ES_GENERATOR AND NOT EXISTS "${GE_ES_GENERATOR}")
        unset(GE_ES_GENERATOR CACHE)  # the toolkit that was found before is gone
      endif()
      find_program(GE_ES_GENERATOR gen_esb HINTS ENV PATH PATHS "${base}/bin" "${base}/${arch}-linux/bin" NO_DEFAULT_PATH)
      set(command "${GE_ES_GENERATOR}")
      if(NOT command)
        message(FATAL_ERROR "gen_esb was found neither as a target, nor in PATH, nor in ${base}/bin")
      endif()
    endif()
    get_filename_component(real "${command}" REALPATH)
    get_filename_component(bin "${real}" DIRECTORY)
    set(depends "${real}")
    foreach(name lib64 lib)
      if(NOT lib64 AND IS_DIRECTORY "${bin}/../${name}")
        get_filename_component(lib64 "${bin}/../${name}" ABSOLUTE)
      endif()
    endforeach()
  endif()
  set(${out_command} "${command}" PARENT_SCOPE)
  set(${out_lib64} "${lib64}" PARENT_SCOPE)
  set(${out_depends} "${depends}" PARENT_SCOPE)
endfunction()

# Generated code links the library that builds graphs.
function(_ge_es_base_library lib64 out)
  set(name eager_style_graph_builder_base)
  if(TARGET ${name})
    set(${out} ${name} PARENT_SCOPE)
  elseif(TARGET OpenGE::ge)
    set(${out} OpenGE::ge PARENT_SCOPE)
  elseif(lib64 AND EXISTS "${lib64}/lib${name}.so")
    set(${out} "${lib64}/lib${name}.so" PARENT_SCOPE)
  else()
    message(WARNING "lib${name}.so was not found beside gen_esb; it is linked by name")
    set(${out} ${name} PARENT_SCOPE)
  endif()
endfunction()

# Prototypes in an object or static library: a shared library of their own, which gen_esb can load.
function(_ge_es_wrap_prototypes name protos folder)
  set(wrapper ${name}__temp_proto)
  set(empty "${CMAKE_CURRENT_BINARY_DIR}/${name}_build/empty.cpp")
  _ge_es_write("${empty}" "// The prototypes come from ${protos}.\n")
  get_target_property(type ${protos} TYPE)
  get_target_property(imported ${protos} IMPORTED)
  get_target_property(position_independent ${protos} POSITION_INDEPENDENT_CODE)
  if(imported)
    # Compiled elsewhere: the linker tells when it cannot go into a shared library.
  elseif(position_independent STREQUAL "position_independent-NOTFOUND")
    set_target_properties(${protos} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  elseif(NOT position_independent)
    message(FATAL_ERROR "OPP_PROTO_TARGET ${protos}: its objects go into a shared library, which gen_esb loads, but its "
                        "property POSITION_INDEPENDENT_CODE is ${position_independent}. Write "
                        "set_target_properties(${protos} PROPERTIES POSITION_INDEPENDENT_CODE ON), or leave the property "
                        "and CMAKE_POSITION_INDEPENDENT_CODE unset")
  endif()
  add_library(${wrapper} SHARED "${empty}")
  if(NOT type STREQUAL OBJECT_LIBRARY)
    target_link_options(${wrapper} PRIVATE -Wl,--whole-archive $<TARGET_FILE:${protos}> -Wl,--no-whole-archive)
    set_property(TARGET ${wrapper} APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:${protos}>)
    add_dependencies(${wrapper} ${protos})
  endif()
  # The objects themselves, of an object library, and what the prototypes are linked with, after this call too.
  target_link_libraries(${wrapper} PRIVATE ${protos})
  # The expression keeps generators of several configurations from adding a folder of their own.
  set_target_properties(${wrapper} PROPERTIES PREFIX lib_ OUTPUT_NAME ${protos}_temp LINKER_LANGUAGE CXX
                        LIBRARY_OUTPUT_DIRECTORY "$<1:${folder}>")
endfunction()

# Where gen_esb finds the prototypes: `opp` for ASCEND_OPP_PATH, `custom` for ASCEND_CUSTOM_OPP_PATH, what to depend on, and
# a library that has to be copied into the layout first.
function(_ge_es_prototypes name protos out_opp out_custom out_depends out_copy)
  get_target_property(type ${protos} TYPE)
  set(standard "${CMAKE_CURRENT_BINARY_DIR}/${name}_build/opp_standard_path_${protos}")
  set(depends ${protos})
  set(copy "")
  set(custom "")
  if(type STREQUAL INTERFACE_LIBRARY)
    get_target_property(folder ${protos} INTERFACE_LIBRARY_OUTPUT_DIRECTORY)
    if(NOT folder)
      message(FATAL_ERROR "OPP_PROTO_TARGET ${protos} is an INTERFACE library: set its property "
                          "INTERFACE_LIBRARY_OUTPUT_DIRECTORY to the folder of the prototype libraries")
    endif()
    set(depends "")
  elseif(NOT type MATCHES "_LIBRARY$")
    message(FATAL_ERROR "OPP_PROTO_TARGET ${protos} is of type ${type}; expected a SHARED, MODULE, STATIC, OBJECT or "
                        "INTERFACE library")
  elseif(type STREQUAL OBJECT_LIBRARY OR type STREQUAL STATIC_LIBRARY)
    set(folder "${standard}/op_proto/custom")
    _ge_es_wrap_prototypes(${name} ${protos} "${folder}")
    set(depends ${name}__temp_proto)
  else()
    get_target_property(folder ${protos} LIBRARY_OUTPUT_DIRECTORY)
    if(NOT folder)
      set(folder "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    endif()
    if(NOT folder)
      set(folder "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
  endif()
  string(REGEX REPLACE "/+$" "" folder "${folder}")
  # With several configurations the library lies in a folder below, where gen_esb does not look: it is copied.
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(type MATCHES "INTERFACE|OBJECT|STATIC")
    set(several FALSE)
  endif()
  if(NOT several AND folder MATCHES "^(.*)/(op_proto/custom|built-in/op_proto|op_proto)$")
    set(opp "${CMAKE_MATCH_1}")
    if(CMAKE_MATCH_2 STREQUAL op_proto)
      set(custom "${opp}")  # gen_esb looks into <entry>/op_proto itself for these
    endif()
  elseif(type STREQUAL INTERFACE_LIBRARY)
    set(opp "${folder}")
  else()
    set(opp "${standard}")
    set(copy $<TARGET_FILE:${protos}>)
  endif()
  set(${out_opp} "${opp}" PARENT_SCOPE)
  set(${out_custom} "${custom}" PARENT_SCOPE)
  set(${out_depends} "${depends}" PARENT_SCOPE)
  set(${out_copy} "${copy}" PARENT_SCOPE)
endfunction()

# Derives from the history variables: arguments of the code run, arguments of the archive run ("" for none) and the registry
# of earlier releases ("" for none).
function(_ge_es_history module external out_code out_archive out_registry)
  get_property(base GLOBAL PROPERTY GE_ES_BASE)
  foreach(name EXTRACT_HISTORY RELEASE_VERSION RELEASE_DATE BRANCH_NAME)
    _ge_es_variable(GE_ES_${name} ${name})
  endforeach()
  if(BRANCH_NAME STREQUAL master)
    foreach(name EXTRACT_HISTORY RELEASE_VERSION RELEASE_DATE BRANCH_NAME)
      set(${name} "")
    endforeach()
  endif()
  set(registry "")
  set(code "")
  set(archive "")
  if(external)
    set(candidate "${base}/opp/history_registry/${module}")
    if(EXISTS "${candidate}/index.json" AND IS_DIRECTORY "${candidate}/registry")
      set(registry "${candidate}")
      list(APPEND code "--history_registry=${registry}")
    endif()
  endif()
  if(EXTRACT_HISTORY)
    if(NOT RELEASE_VERSION)
      message(FATAL_ERROR "GE_ES_EXTRACT_HISTORY needs GE_ES_RELEASE_VERSION, the name of the release")
    endif()
    set(known FALSE)
    if(registry)
      _ge_es_has_release("${registry}/index.json" "${RELEASE_VERSION}" known)
    endif()
    if(known)
      message(STATUS "Release ${RELEASE_VERSION} of ${module} is archived already")
    else()
      set(archive --es_mode=extract_history "--release_version=${RELEASE_VERSION}")
      if(RELEASE_DATE)
        list(APPEND archive "--release_date=${RELEASE_DATE}")
      endif()
      if(BRANCH_NAME)
        list(APPEND archive "--branch_name=${BRANCH_NAME}")
      endif()
    endif()
  endif()
  if(RELEASE_VERSION AND NOT archive)
    list(APPEND code "--release_version=${RELEASE_VERSION}")
  endif()
  set(${out_code} "${code}" PARENT_SCOPE)
  set(${out_archive} "${archive}" PARENT_SCOPE)
  set(${out_registry} "${registry}" PARENT_SCOPE)
endfunction()

function(_ge_es_library with_wheel)
  cmake_parse_arguments(ARG "" "ES_LINKABLE_AND_ALL_TARGET;OPP_PROTO_TARGET;OUTPUT_PATH;EXCLUDE_OPS" "" ${ARGN})
  foreach(required ES_LINKABLE_AND_ALL_TARGET OPP_PROTO_TARGET)
    if(NOT ARG_${required})
      message(FATAL_ERROR "add_es_library: ${required} is missing")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    string(REPLACE ";" " " unknown "${ARG_UNPARSED_ARGUMENTS}")
    message(WARNING "add_es_library: unknown arguments are left out: ${unknown}. EXCLUDE_OPS takes one list with commas")
  endif()
  set(T ${ARG_ES_LINKABLE_AND_ALL_TARGET})
  set(P ${ARG_OPP_PROTO_TARGET})
  if(NOT TARGET ${P})
    message(FATAL_ERROR "OPP_PROTO_TARGET ${P} is not a target")
  endif()
  get_target_property(aliased ${P} ALIASED_TARGET)
  if(aliased)
    set(P ${aliased})
  endif()
  if(TARGET ${T})
    message(FATAL_ERROR "ES_LINKABLE_AND_ALL_TARGET ${T} is the name of a target already")
  endif()
  if(T MATCHES "^es_(.+)$")
    set(module ${CMAKE_MATCH_1})
  else()
    set(module ${T})
    message(WARNING "ES_LINKABLE_AND_ALL_TARGET ${T} does not start with es_: ge.es looks for libes_<module>.so first")
  endif()

  get_property(base GLOBAL PROPERTY GE_ES_BASE)
  get_property(scripts GLOBAL PROPERTY GE_ES_MODULE_DIR)
  set(build "${CMAKE_CURRENT_BINARY_DIR}/${T}_build")
  set(code "${build}/generated_code")
  set(output "${ARG_OUTPUT_PATH}")
  if(output)
    get_filename_component(output "${output}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  file(MAKE_DIRECTORY "${code}")
  _ge_es_generator(generator lib64 generator_depends)
  _ge_es_base_library("${lib64}" base_library)
  _ge_es_prototypes(${T} ${P} opp custom proto_depends proto_copy)
  _ge_es_history(${module} "${lib64}" code_args archive_args registry)
  set(root "${build}")
  if(output)
    set(root "${output}")
  endif()
  if(archive_args)
    string(MAKE_C_IDENTIFIER "GE_ES_ARCHIVE_${root}" archive_of_root)
    get_property(other GLOBAL PROPERTY ${archive_of_root})
    if(other)
      message(FATAL_ERROR "${other} and ${T} would both archive their release in ${root}: give each its own OUTPUT_PATH")
    endif()
    set_property(GLOBAL PROPERTY ${archive_of_root} ${T})
  endif()

  # Everything the generator's script needs to know, in one file: command lines cannot carry lists.
  set(locked "${CMAKE_BINARY_DIR}/cmake/run_gen_esb_with_lock.sh")
  configure_file("${scripts}/run_gen_esb_with_lock.sh.in" "${locked}" @ONLY)  # run by sh: needs no permission
  if(ARG_EXCLUDE_OPS)
    list(APPEND code_args "--exclude_ops=${ARG_EXCLUDE_OPS}")
  endif()
  if(with_wheel)
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    # A package of these names would never be found, or take the place of what wrappers need.
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c
                            "import sys; print('${T}' in ('ge', *getattr(sys, 'stdlib_module_names', ())))"
                    OUTPUT_VARIABLE taken OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(taken STREQUAL "True")
      message(FATAL_ERROR "ES_LINKABLE_AND_ALL_TARGET ${T}: the Python package would have the name of a module that Python or "
                          "OpenGE has already; name it es_${T}")
    endif()
  endif()
  set(python "${Python3_EXECUTABLE}")
  set(shared_library $<TARGET_FILE:${T}_so>)
  set(static_library $<TARGET_FILE:${T}_a>)
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  set(settings "${build}/settings.cmake")
  if(several)
    set(settings "${build}/settings-$<CONFIG>.cmake")
  endif()
  set(values "")
  foreach(name T module build code generator lib64 opp custom proto_copy code_args archive_args registry root output locked
          with_wheel python shared_library static_library)
    string(APPEND values "set(${name} [==[${${name}}]==])\n")
  endforeach()
  file(GENERATE OUTPUT "${settings}" CONTENT "${values}")

  set(source "${code}/es_${module}_all_in_one.cpp")
  set(stamp "${code}/generated_code.flag")
  # Inputs that no target makes are watched as files: prototypes that exist, earlier releases.
  set(existing "")
  if(NOT proto_depends)
    get_target_property(folder ${P} INTERFACE_LIBRARY_OUTPUT_DIRECTORY)
    file(GLOB existing CONFIGURE_DEPENDS "${folder}/*.so" "${folder}/lib/*/*/*.so" "${opp}/op_proto/custom/*.so"
         "${opp}/built-in/op_proto/*.so" "${opp}/vendors/*/op_proto/*.so")
    list(REMOVE_DUPLICATES existing)
  endif()
  if(registry)
    file(GLOB releases "${registry}/index.json" "${registry}/registry/*/*.json")
    list(APPEND existing ${releases})
  endif()
  add_custom_command(
    OUTPUT "${stamp}" BYPRODUCTS "${source}"
    COMMAND "${CMAKE_COMMAND}" -D "SETTINGS=${settings}" -D STEP=generate -P "${scripts}/es_package_step.cmake"
    DEPENDS ${proto_depends} ${generator_depends} ${existing} "${settings}" "${scripts}/es_package_step.cmake"
    JOB_POOL es_gen_esb_serial COMMENT "Generating ${T}" VERBATIM)
  add_custom_target(generate_${T}_code ALL DEPENDS "${stamp}")
  # "clean" takes everything that was generated with it.
  set_property(TARGET generate_${T}_code APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${code}" "${build}/history"
               "${build}/python_package" "${build}/opp_standard_path_${P}")

  # Compiled once, for the shared and the static library.
  add_library(${T}_obj OBJECT "${source}")
  # Only what changed is compiled again: the source's own dependencies know what it includes.
  add_dependencies(${T}_obj generate_${T}_code)
  set_source_files_properties("${source}" PROPERTIES GENERATED TRUE)
  set(includes "${code}")
  if(TARGET OpenGE::ge_headers)
    list(APPEND includes $<TARGET_PROPERTY:OpenGE::ge_headers,INTERFACE_INCLUDE_DIRECTORIES>)
  else()
    list(APPEND includes "${base}/include" "${base}/include/ge" "${base}/include/external")
  endif()
  target_include_directories(${T}_obj PRIVATE ${includes})
  set_target_properties(${T}_obj PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET default)
  if(DEFINED AIR_COMMON_DYNAMIC_COMPILE_OPTION)
    target_compile_options(${T}_obj PRIVATE ${AIR_COMMON_DYNAMIC_COMPILE_OPTION})
  else()
    target_compile_options(${T}_obj PRIVATE -fPIC -Wall -fstack-protector-all -std=c++17 -O2)
    target_compile_definitions(${T}_obj PRIVATE _GLIBCXX_USE_CXX11_ABI=0)
  endif()
  add_library(${T}_so SHARED $<TARGET_OBJECTS:${T}_obj>)
  add_library(${T}_a STATIC $<TARGET_OBJECTS:${T}_obj>)
  set_target_properties(${T}_so ${T}_a PROPERTIES OUTPUT_NAME ${T} LINKER_LANGUAGE CXX)
  set_target_properties(${T}_so PROPERTIES SKIP_BUILD_RPATH TRUE LIBRARY_OUTPUT_DIRECTORY "${build}")
  set_target_properties(${T}_a PROPERTIES ARCHIVE_OUTPUT_DIRECTORY "${build}")
  target_link_options(${T}_so PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  target_link_libraries(${T}_so PRIVATE ${base_library})
  foreach(optional metadef_headers c_sec)
    if(TARGET ${optional})
      target_link_libraries(${T}_obj PRIVATE ${optional})
      target_link_libraries(${T}_so PRIVATE ${optional})
    endif()
  endforeach()

  set(wheel_stamp "${build}/wheel.flag")
  set(packing "Packing ${T} for Python")
  if(NOT with_wheel)
    set(packing "${T} has no Python wheel")
  endif()
  add_custom_command(
    OUTPUT "${wheel_stamp}"
    COMMAND "${CMAKE_COMMAND}" -D "SETTINGS=${settings}" -D STEP=wheel -P "${scripts}/es_package_step.cmake"
    DEPENDS "${stamp}" COMMENT "${packing}" VERBATIM)
  add_custom_target(generate_${T}_whl ALL DEPENDS "${wheel_stamp}")

  # A rule that two targets use could run twice at once under make, were there no order between these targets.
  add_dependencies(generate_${T}_whl generate_${T}_code)

  add_custom_target(build_${T})
  add_dependencies(build_${T} generate_${T}_code generate_${T}_whl ${T}_so ${T}_a)
  if(output)
    set(installed "${build}/install.flag")
    if(NOT several)  # then a copy that somebody deleted is made again
      list(APPEND installed "${output}/lib64/lib${T}.so" "${output}/lib64/lib${T}.a")
    endif()
    add_custom_command(
      OUTPUT ${installed}
      COMMAND "${CMAKE_COMMAND}" -D "SETTINGS=${settings}" -D STEP=install -P "${scripts}/es_package_step.cmake"
      DEPENDS "${stamp}" "${wheel_stamp}" ${T}_so ${T}_a "${settings}" COMMENT "Copying ${T} to ${output}" VERBATIM)
    add_custom_target(install_${T} ALL DEPENDS ${installed})
    add_dependencies(install_${T} generate_${T}_code generate_${T}_whl ${T}_so ${T}_a)
    add_dependencies(build_${T} install_${T})
  endif()
  # The first package of a project is built before the others, which may need it.
  get_property(first GLOBAL PROPERTY GE_ES_FIRST)
  if(first)
    add_dependencies(generate_${T}_code build_${first})
  else()
    set_property(GLOBAL PROPERTY GE_ES_FIRST ${T})
  endif()

  add_library(${T} INTERFACE)
  target_include_directories(${T} INTERFACE ${includes})
  if(output)
    target_include_directories(${T} INTERFACE "${output}/include/${T}")
  endif()
  target_link_libraries(${T} INTERFACE ${T}_so ${base_library})
  # Where other libraries come first on the link line, the weak EsAdd, EsSub, EsMul and EsDiv behind them would do for a program
  # that uses + - * / alone, and a linker that takes only what is needed would leave this library out.
  target_link_options(${T} INTERFACE LINKER:--no-as-needed)
  if(lib64)
    target_link_directories(${T} INTERFACE "${lib64}")
    foreach(target ${T}_so ${T}_a ${T}_obj ${T}__temp_proto)
      if(TARGET ${target})
        target_link_directories(${target} PUBLIC "${lib64}")
      endif()
    endforeach()
  endif()
  add_dependencies(${T} build_${T})
endfunction()
