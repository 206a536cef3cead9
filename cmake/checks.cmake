# SPDX-License-Identifier: Apache-2.0
# Tests that look at the project as a whole: its rules, headers, an installed prefix, tutorials, programs in the documents.
# Codelets that they compile go to a cache of the build directory, and never to the user's.
set(scripts ${PROJECT_SOURCE_DIR}/scripts)
# The programs of documents, examples and users are not instrumented, only linked with what the instrumented libraries need first: that halves
# the time they take to compile, and leaks and blocks of the heap are still watched.  The headers are instrumented in tests/cpp.
set(sanitize)
if(TREMULA_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(sanitize "-Wl,--no-as-needed -lasan -Wl,--as-needed")
elseif(TREMULA_SANITIZE)
  set(sanitize "-fsanitize=${TREMULA_SANITIZE}")
endif()
# Warnings of the log, which have times, are no part of a program's output.
set(environment "POPLAR_LOG_DEST=/dev/null;POPLIBS_LOG_DEST=/dev/null;CC=${CMAKE_C_COMPILER};CXX=${CMAKE_CXX_COMPILER};XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache;SANITIZE=${sanitize}")

# What scripts/test-threads runs.
get_property(thread_programs GLOBAL PROPERTY thread_programs)
add_custom_target(threads DEPENDS ${thread_programs})

# tests/lint compares the list with that of scripts/lint.
set(rules licences paths links columns words shell format budget page-budget tags state threads declarations prefixes public-names numbers calls layers options constants walks coverage headers cpp-headers)
foreach(rule IN LISTS rules)
  add_test(NAME rules/${rule} COMMAND ${scripts}/lint ${rule})
  set_tests_properties(rules/${rule} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900) # without its tool
endforeach()
set_tests_properties(rules/cpp-headers PROPERTIES COST 1000) # begins first: it takes longest
add_test(NAME rules/lint COMMAND ${PROJECT_SOURCE_DIR}/tests/lint/test_lint.py)
add_test(NAME interface/calls COMMAND ${PROJECT_SOURCE_DIR}/tests/interface/check --cxx ${CMAKE_CXX_COMPILER})
add_test(NAME cpp/eras COMMAND ${PROJECT_SOURCE_DIR}/tests/cpp/eras/run ${PROJECT_BINARY_DIR})
add_test(NAME examples/cpp COMMAND ${PROJECT_SOURCE_DIR}/tests/examples/run-cpp ${PROJECT_BINARY_DIR})
add_test(NAME cpp/programs COMMAND ${PROJECT_SOURCE_DIR}/tests/cpp/programs/run ${PROJECT_BINARY_DIR})
add_test(NAME first/run COMMAND ${PROJECT_SOURCE_DIR}/tests/first/run ${PROJECT_BINARY_DIR})
add_test(NAME cpp/modes COMMAND ${PROJECT_SOURCE_DIR}/tests/cpp/modes/run ${PROJECT_BINARY_DIR})
add_test(NAME docs/figures COMMAND ${scripts}/figures check)
add_test(NAME docs/calls COMMAND ${scripts}/calls-doc --check)
list(APPEND checks first/run cpp/eras cpp/modes cpp/programs examples/cpp)
add_test(NAME install/consumer COMMAND ${PROJECT_SOURCE_DIR}/tests/consumer/run ${PROJECT_BINARY_DIR})
file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS README.md docs/concepts/*.md docs/libraries/*.md docs/reports/*.md docs/internals/*.md)
foreach(document IN LISTS documents)
  string(REGEX REPLACE "(docs/|[.]md)" "" name ${document})
  add_test(NAME docs/${name} COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/run ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/${document})
  list(APPEND checks docs/${name})
endforeach()
set_tests_properties(install/consumer ${checks} PROPERTIES ENVIRONMENT "${environment}" TIMEOUT 600)
# Each of these keeps one processor for a minute, while the other would wait if it began last.
set_tests_properties(cpp/programs install/consumer cpp/modes examples/cpp pva/command PROPERTIES COST 100)
