# libge_python_bridge.so, beside libge.so: linked with neither of the two that it stands between.
add_library(ge_python_bridge MODULE bridge/python/bridge.cpp bridge/python/interpreter.cpp bridge/python/ask_python.cpp
                                    bridge/python/python_api.cpp)
target_include_directories(ge_python_bridge PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(ge_python_bridge PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
# An interpreter that it has started calls it at every fork, so it stays.
target_link_options(ge_python_bridge PRIVATE -Wl,-z,nodelete)
if(NOT GE_SANITIZE)
  target_link_options(ge_python_bridge PRIVATE -Wl,-z,defs)
endif()
set_target_properties(ge_python_bridge PROPERTIES CXX_STANDARD 17)
