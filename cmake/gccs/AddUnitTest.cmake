# SPDX-License-Identifier: Apache-2.0
# add_unit_test(NAME SOURCES... [LIBRARIES library...] [ARGUMENTS word...] [LABELS label...]): a program and a test of its name.
function(add_unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;ARGUMENTS;LABELS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}")
endfunction()
