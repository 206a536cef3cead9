# SPDX-License-Identifier: Apache-2.0
# The operation libraries over libpoplar.  Each is its own shared library, which uses the public headers alone.
#
#     add_poplibs_library(popops LIBRARIES poputil)
#
# Its sources are src/NAME/**/*.c, file names unique in NAME; LIBRARIES are those of the project that it needs besides libpoplar.  The library is installed with the others, has a
# pkg-config file, and is a target of find_package(poplar).  Its tests are tests/poplibs/NAME/*.c.
#
# A source named *_vertices.c holds codelets too (where __POPC__ is defined): popc makes NAME.gp of them beside the library, for the first of
# TREMULA_CODELET_LEVELS, NAME.LEVEL.gp for the others, and NAME.behaving.gp, which obeys the floating-point behaviour that programs set.  All of them have the
# sizes of code on devices that were measured for NAME.gp.  All builds of a checkout share what was compiled.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(levels "x86-64-v3;x86-64-v4")
  set(variants behaving)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(levels "armv8-a") # its conversions to half round to nearest in hardware: no code obeys another rounding
  set(variants)
else()
  message(FATAL_ERROR "Tremula compiles codelets for x86-64 and aarch64, and this is ${CMAKE_SYSTEM_PROCESSOR} (src/popc/module/machine.h has the table of machines)")
endif()
set(TREMULA_CODELET_LEVELS "${levels}" CACHE STRING "Instruction sets for which the libraries' codelets are compiled, the lowest first")
set(TREMULA_CODELET_VARIANTS "${variants}")
set(TREMULA_CODELET_OPTIMISATION -O3 CACHE STRING "How the libraries' codelets are optimised")
# For `make demo`, which needs a quarter of them.
set(TREMULA_CODELET_SOURCES "" CACHE STRING "Sources of codelets that are compiled, without .c (reduce_vertices;fill_vertices); empty: all")

# popc while the project is built; where that is for another machine, under an emulator, with the compiler for that machine.
set(TREMULA_POPC ${CMAKE_COMMAND} -E env TREMULA_CACHE_DIR=${PROJECT_SOURCE_DIR}/build/codelets)
if(TREMULA_SANITIZE) # as the tests: otherwise LeakSanitizer sometimes reads thread-local storage that is gone, and the build stops
  list(APPEND TREMULA_POPC ASAN_OPTIONS=allocator_may_return_null=1:intercept_tls_get_addr=0)
endif()
if(CMAKE_CROSSCOMPILING)
  list(APPEND TREMULA_POPC TREMULA_CC=${CMAKE_C_COMPILER} TREMULA_CXX=${CMAKE_CXX_COMPILER})
endif()
list(APPEND TREMULA_POPC ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:popc>)

# What they share (src/poplibs), in each what it uses.  In them POP_HERE is the place of the user's call (src/poplibs/call.h), except in *_vertices.c, whose
# functions are not called for a call.
function(set_call_place)
  set(sources ${ARGN})
  list(FILTER sources EXCLUDE REGEX "_vertices\\.c$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_DEFINITIONS "POP_HERE=(call->where)")
endfunction()
file(GLOB shared CONFIGURE_DEPENDS src/poplibs/*.c)
add_library(poplibs STATIC ${shared})
target_compile_options(poplibs PRIVATE ${TREMULA_SOURCE_WARNINGS})
set_call_place(${shared})

function(add_poplibs_codelets name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${name}/*_vertices.c)
  if(TREMULA_CODELET_SOURCES)
    list(JOIN TREMULA_CODELET_SOURCES "|" chosen)
    list(FILTER sources INCLUDE REGEX "/(${chosen})\\.c$")
  endif()
  if(NOT sources)
    return()
  endif()
  list(SORT sources COMPARE FILE_BASENAME) # a .gp's bytes do not depend on sub-directories
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS src/${name}/*.h src/${name}/*.def include/${name}/*.h include/${name}/*.def src/poplibs/*.h src/poplibs/*.def
       include/popops/*.h include/popops/*.def include/popfloat/*.h) # of other libraries: functions of elements
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/codelets/${name})
  list(GET TREMULA_CODELET_LEVELS 0 first)
  set(measured ${PROJECT_BINARY_DIR}/${name}.gp)
  foreach(level IN LISTS TREMULA_CODELET_LEVELS ITEMS ${TREMULA_CODELET_VARIANTS})
    set(flags ${TREMULA_CODELET_OPTIMISATION} -march=${level})
    if(level STREQUAL behaving)
      set(flags -O1 -march=${first} -ffloat-behaviour)
    elseif(level STREQUAL first) # -Os: the code on devices, of which only the sizes are kept
      list(APPEND flags -Os --target ipu1,ipu2,ipu21 --sizes-only)
    endif()
    set(parts)
    foreach(source IN LISTS sources)
      get_filename_component(stem ${source} NAME_WE)
      set(part ${PROJECT_BINARY_DIR}/codelets/${name}/${stem}.${level}.gp)
      file(RELATIVE_PATH name_of_source ${PROJECT_SOURCE_DIR} ${source}) # the same bytes, and the same entry of the cache, in every checkout
      add_custom_command(OUTPUT ${part} COMMAND ${TREMULA_POPC} ${flags} -I src -I include ${name_of_source} -o ${part}
                         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                         DEPENDS ${source} ${headers} popc include/poplar/vertex.h COMMENT "popc ${name}/${stem} ${level}" VERBATIM)
      list(APPEND parts ${part})
    endforeach()
    set(whole ${measured})
    set(sizes)
    if(NOT level STREQUAL first)
      set(whole ${PROJECT_BINARY_DIR}/${name}.${level}.gp)
      set(sizes --code-of ${measured})
    endif()
    add_custom_command(OUTPUT ${whole} COMMAND ${TREMULA_POPC} ${parts} ${sizes} -o ${whole} DEPENDS ${parts} popc COMMENT "popc ${name} ${level}" VERBATIM)
    if(sizes)
      add_custom_command(OUTPUT ${whole} DEPENDS ${measured} APPEND)
    endif()
    list(APPEND files ${whole})
  endforeach()
  # A program runs with those of the first level; `make demo` builds no others.
  add_custom_target(${name}_codelets ALL DEPENDS ${files})
  add_custom_target(${name}_first_codelets DEPENDS ${PROJECT_BINARY_DIR}/${name}.gp)
  add_dependencies(${name} ${name}_first_codelets)
  add_dependencies(${name}_codelets ${name}_first_codelets) # one after the other: they make the same files
  install(FILES ${files} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
endfunction()

function(add_poplibs_library name)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/${name}/*.c)
  if(NOT sources)
    return()
  endif()
  foreach(library IN LISTS arg_LIBRARIES) # one without sources yet is no target
    if(NOT TARGET ${library})
      list(REMOVE_ITEM arg_LIBRARIES ${library})
    endif()
  endforeach()
  add_library(${name} SHARED ${sources})
  target_compile_options(${name} PRIVATE ${TREMULA_SOURCE_WARNINGS})
  string(TOUPPER ${name} upper)
  target_compile_definitions(${name} PRIVATE POPLIBS_LIBRARY=POP_LOG_${upper})
  set_call_place(${sources})
  set_property(GLOBAL APPEND PROPERTY poplibs_libraries ${name})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC poplar ${arg_LIBRARIES} PRIVATE poplibs m ${CMAKE_DL_LIBS})
  add_poplibs_codelets(${name})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${name} EXPORT poplarTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
  list(JOIN arg_LIBRARIES " " needed)
  set(library ${name})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/poplibs.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

  if(NOT TREMULA_BUILD_TESTS)
    return()
  endif()
  file(GLOB tests CONFIGURE_DEPENDS tests/poplibs/${name}/*.c)
  foreach(test IN LISTS tests)
    get_filename_component(program ${test} NAME_WE)
    add_executable(${program} ${test})
    target_link_libraries(${program} PRIVATE ${name} PkgConfig::CMOCKA m)
    target_include_directories(${program} PRIVATE tests)
    target_compile_definitions(${program} PRIVATE SOURCE_DIR="${PROJECT_SOURCE_DIR}" BINARY_DIR="${PROJECT_BINARY_DIR}")
    add_test(NAME poplibs/${program} COMMAND ${program})
    set_tests_properties(poplibs/${program} PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
  endforeach()
endfunction()
