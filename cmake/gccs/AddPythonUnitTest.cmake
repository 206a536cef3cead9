# SPDX-License-Identifier: Apache-2.0
# add_python_unit_test(NAME FILE [ARGUMENTS word...] [LABELS label...]): a test that runs a Python file with unittest's command line.
function(add_python_unit_test name file)
  cmake_parse_arguments(arg "" "" "ARGUMENTS;LABELS" ${ARGN})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${file} ${arg_ARGUMENTS} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
endfunction()
