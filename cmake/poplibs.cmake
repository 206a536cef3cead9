# SPDX-License-Identifier: Apache-2.0
# The operation libraries over libpoplar.  Each is its own shared library, which uses the public headers alone.
#
#     add_poplibs_library(popops LIBRARIES poputil [SOURCES file...])
#
# SOURCES are src/NAME/*.c unless said otherwise; LIBRARIES are those of the project that it needs besides libpoplar.  The library is installed with the
# others, has a pkg-config file, and is a target of find_package(poplar).  Its tests are tests/poplibs/test_NAME_*.c.
function(add_poplibs_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  if(NOT arg_SOURCES)
    file(GLOB arg_SOURCES CONFIGURE_DEPENDS src/${name}/*.c)
  endif()
  add_library(${name} SHARED ${arg_SOURCES})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} PUBLIC poplar ${arg_LIBRARIES} PRIVATE m)
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${name} EXPORT poplarTargets LIBRARY DESTINATION lib)
  list(JOIN arg_LIBRARIES " " needed)
  set(library ${name})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/poplibs.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION lib/pkgconfig)

  file(GLOB tests CONFIGURE_DEPENDS tests/poplibs/test_${name}_*.c)
  foreach(test IN LISTS tests)
    get_filename_component(program ${test} NAME_WE)
    add_executable(${program} ${test})
    target_link_libraries(${program} PRIVATE ${name} PkgConfig::CMOCKA)
    target_include_directories(${program} PRIVATE tests)
    add_test(NAME poplibs/${program} COMMAND ${program})
    set_tests_properties(poplibs/${program} PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  endforeach()
endfunction()
