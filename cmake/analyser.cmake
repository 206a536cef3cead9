# SPDX-License-Identifier: Apache-2.0
# The analyser's server, which is a part of the command pva: its C, and the page's committed bundle as an array.
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
find_package(ZLIB REQUIRED)
set(analyser_needs PkgConfig::MICROHTTPD ZLIB::ZLIB PkgConfig::JANSSON Threads::Threads m)

set(page ${PROJECT_SOURCE_DIR}/analyser/page/dist)
file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${page}/*)
if(NOT page_files)
  set(page ${PROJECT_SOURCE_DIR}/analyser/page/placeholder)
  file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${page}/*)
endif()
# The documents that the page's help searches: analyser/page/data/help.ts has their names, too.
foreach(name reports/analyser reports/capturing reports/making-it-fast reports/profiling reports/pva concepts/overview concepts/memory concepts/programs
        concepts/replicas reference/ipu-model reference/options reference/report-files reference/trace-files)
  list(APPEND help_files ${PROJECT_SOURCE_DIR}/docs/${name}.md)
endforeach()
add_executable(analyser_embed analyser/server/embed.c)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/analyser/assets.c
                   COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/analyser
                   COMMAND analyser_embed ${page} ${page_files} ${help_files} > ${PROJECT_BINARY_DIR}/analyser/assets.c
                   DEPENDS analyser_embed ${page_files} ${help_files} VERBATIM)

file(GLOB analyser_sources CONFIGURE_DEPENDS analyser/server/*.c analyser/server/api/*.c)
list(FILTER analyser_sources EXCLUDE REGEX "/embed\\.c$")
add_library(analyser OBJECT ${analyser_sources} ${PROJECT_BINARY_DIR}/analyser/assets.c)
target_include_directories(analyser PRIVATE analyser/server tools/pva)
target_compile_options(analyser PRIVATE ${TREMULA_SOURCE_WARNINGS})
target_link_libraries(analyser PRIVATE ${analyser_needs})

# Calls of the server, on a report that pva_make_report makes; some make others with analyser_runs.
if(TREMULA_BUILD_TESTS)
  add_executable(analyser_runs tests/analyser/runs.cpp)
  target_link_libraries(analyser_runs PRIVATE poplar)
  add_executable(analyser_traces tests/analyser/traces.cpp)
  target_link_libraries(analyser_traces PRIVATE poplar)
  # Views of random reports against SQL: four reports, and four times TREMULA_ROUNDS in `make check-all`.
  add_executable(analyser_random_report tests/analyser/random_report.cpp)
  target_link_libraries(analyser_random_report PRIVATE poplar)
  add_test(NAME analyser/properties COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/analyser PYTHONDONTWRITEBYTECODE=1
    python3 ${PROJECT_SOURCE_DIR}/tests/analyser/properties.py ${PROJECT_BINARY_DIR}/bin/pva $<TARGET_FILE:analyser_random_report> ${PROJECT_SOURCE_DIR}/tests/pva/codelets.c)
  set_tests_properties(analyser/properties PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  foreach(group memory programs trace)
    add_test(NAME analyser/calls_${group} COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-calls ${PROJECT_BINARY_DIR} ${group}_calls.py)
    set_tests_properties(analyser/calls_${group} PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  endforeach()
  # Random programs with loops, whose steps are stored once or each
  add_test(NAME analyser/loops COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-calls ${PROJECT_BINARY_DIR} loops.py)
  set_tests_properties(analyser/loops PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  # The page in a browser, on the same report; skipped without node, its modules or Chromium.
  foreach(group access explore labels liveness memory memory_parts names nodes opening pages steps summary trace views)
    add_test(NAME analyser/page_${group} COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-page ${PROJECT_BINARY_DIR} ${group}.test.mjs)
    set_tests_properties(analyser/page_${group} PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache" SKIP_RETURN_CODE 77)
  endforeach()
  foreach(group trace_options trace_details trace_blocks trace_modes trace_host replicas)
    add_test(NAME analyser/page_${group} COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-trace ${PROJECT_BINARY_DIR} ${group}.test.mjs)
    set_tests_properties(analyser/page_${group} PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache" SKIP_RETURN_CODE 77)
  endforeach()
  add_test(NAME analyser/attacks COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-calls ${PROJECT_BINARY_DIR} server_attacks.py)
  add_test(NAME analyser/hostile_reports COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-calls ${PROJECT_BINARY_DIR} hostile_reports.py)
  add_test(NAME analyser/live_attacks COMMAND ${PROJECT_SOURCE_DIR}/tests/analyser/run-calls ${PROJECT_BINARY_DIR} live_attacks.py)
  set_tests_properties(analyser/attacks analyser/hostile_reports analyser/live_attacks PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
endif()
