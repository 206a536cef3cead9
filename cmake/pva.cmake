# SPDX-License-Identifier: Apache-2.0
# Readers of report files and traces, which link without compiler and engine: libpva, libpvti, the command pva, the Python modules, their tests.

# What a library exports is what its version script names: base and value have public functions of libpoplar's, too.
function(add_reader_library name)
  cmake_parse_arguments(arg "" "" "OBJECTS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS src/${name}/*.c)
  add_library(${name} SHARED ${sources} ${arg_OBJECTS})
  target_compile_options(${name} PRIVATE ${TREMULA_SOURCE_WARNINGS})
  add_library(${name}_static STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PRIVATE PkgConfig::SQLITE ${arg_LIBRARIES} m)
  target_link_libraries(${name}_static PUBLIC PkgConfig::SQLITE ${arg_LIBRARIES} m)
  set(script ${PROJECT_SOURCE_DIR}/src/${name}/${name}.map)
  target_link_options(${name} PRIVATE -Wl,--version-script=${script} -Wl,-Bsymbolic-functions)
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${script})
  install(TARGETS ${name} EXPORT poplarTargets LIBRARY DESTINATION lib)
  set(library ${name})
  configure_file(cmake/reader.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION lib/pkgconfig)
endfunction()

add_reader_library(pva OBJECTS $<TARGET_OBJECTS:room_base> $<TARGET_OBJECTS:room_value> LIBRARIES PkgConfig::CBOR PkgConfig::JANSSON Threads::Threads)
add_reader_library(pvti OBJECTS $<TARGET_OBJECTS:room_base> LIBRARIES PkgConfig::JANSSON Threads::Threads)

add_executable(pva_test_trace tests/pva/test_trace.cpp)
target_link_libraries(pva_test_trace PRIVATE pva pvti Threads::Threads)
add_test(NAME pva/trace COMMAND pva_test_trace)

file(GLOB sources CONFIGURE_DEPENDS tools/pva/*.c)
add_executable(pva_command ${sources} src/base/text.c) # libpva exports nothing but its own
set_target_properties(pva_command PROPERTIES OUTPUT_NAME pva RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin INSTALL_RPATH "$ORIGIN/../lib")
target_link_libraries(pva_command PRIVATE pva)
install(TARGETS pva_command RUNTIME DESTINATION bin)
install(FILES docs/pva.1 DESTINATION share/man/man1)
install(DIRECTORY python/ DESTINATION python PATTERN __pycache__ EXCLUDE)

# The report that tests read, and their programs.
add_executable(pva_make_report tests/pva/make_report.cpp)
target_link_libraries(pva_make_report PRIVATE poplar)
add_executable(pva_usages_c tests/pva/usages.c)
add_executable(pva_usages_cpp tests/pva/usages.cpp)
target_link_libraries(pva_usages_c PRIVATE pva)
target_link_libraries(pva_usages_cpp PRIVATE pva)
add_test(NAME pva/languages COMMAND ${PROJECT_SOURCE_DIR}/tests/pva/run ${PROJECT_BINARY_DIR})
set_tests_properties(pva/languages PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
add_executable(pva_get_report tests/pva/get_report.cpp)
target_link_libraries(pva_get_report PRIVATE pva poplar)
add_test(NAME pva/get_report COMMAND pva_get_report ${PROJECT_SOURCE_DIR}/tests/pva/codelets.c)
set_tests_properties(pva/get_report PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
add_executable(pva_slow tests/pva/slow.cpp)
target_link_libraries(pva_slow PRIVATE poplar)
add_test(NAME pva/command COMMAND ${PROJECT_SOURCE_DIR}/tests/pva/run-command ${PROJECT_BINARY_DIR})
set_tests_properties(pva/command PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
