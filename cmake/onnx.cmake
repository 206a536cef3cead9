# SPDX-License-Identifier: Apache-2.0
# libtremula_onnx and the command tremula: ONNX models over the operation libraries.  They need protobuf-c and ONNX's published schema; where one of these is
# missing, they are not built.
pkg_check_modules(PROTOBUF_C IMPORTED_TARGET QUIET libprotobuf-c)
find_program(PROTOC_C protoc-c)
find_file(ONNX_PROTO onnx/onnx.proto PATHS /usr/include)
if(NOT PROTOBUF_C_FOUND OR NOT PROTOC_C OR NOT ONNX_PROTO)
  message(STATUS "libtremula_onnx is not built: it needs libprotobuf-c-dev, protobuf-c-compiler and libonnx-dev")
  return()
endif()

# The schema as C, made while building.
get_filename_component(onnx_proto_dir ${ONNX_PROTO} DIRECTORY)
set(onnx_generated ${PROJECT_BINARY_DIR}/onnx)
file(MAKE_DIRECTORY ${onnx_generated})
add_custom_command(OUTPUT ${onnx_generated}/onnx.pb-c.c ${onnx_generated}/onnx.pb-c.h
                   COMMAND ${PROTOC_C} --c_out=${onnx_generated} -I ${onnx_proto_dir} ${ONNX_PROTO} DEPENDS ${ONNX_PROTO} VERBATIM)
add_library(onnx_schema OBJECT ${onnx_generated}/onnx.pb-c.c)
target_include_directories(onnx_schema SYSTEM PUBLIC ${onnx_generated})
target_link_libraries(onnx_schema PUBLIC PkgConfig::PROTOBUF_C)
target_compile_options(onnx_schema PRIVATE -w)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/onnx/*.c)
add_library(tremula_onnx SHARED ${sources} $<TARGET_OBJECTS:onnx_schema>)
target_compile_options(tremula_onnx PRIVATE ${TREMULA_SOURCE_WARNINGS})
target_include_directories(tremula_onnx SYSTEM PRIVATE ${onnx_generated})
add_dependencies(tremula_onnx onnx_schema)
target_link_libraries(tremula_onnx PUBLIC popnn PRIVATE PkgConfig::PROTOBUF_C m)
set_target_properties(tremula_onnx PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "$ORIGIN")

file(GLOB sources CONFIGURE_DEPENDS tools/tremula/*.c)
add_executable(tremula_command ${sources})
target_compile_options(tremula_command PRIVATE ${TREMULA_SOURCE_WARNINGS})
target_link_libraries(tremula_command PRIVATE tremula_onnx m)
set_target_properties(tremula_command PROPERTIES OUTPUT_NAME tremula RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin
                      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

if(TREMULA_BUILD_TESTS)
  add_executable(onnx_backend tests/onnx/backend.c tools/tremula/session.c)
  target_include_directories(onnx_backend PRIVATE tools/tremula tests/onnx)
  target_link_libraries(onnx_backend PRIVATE tremula_onnx m)
  # A sample of ONNX's backend tests; scripts/check-all runs all of them.
  find_path(ONNX_TESTDATA data/node PATHS /usr/share/libonnx-testdata)
  if(ONNX_TESTDATA)
    add_test(NAME onnx/backend COMMAND onnx_backend ${ONNX_TESTDATA}/data --every 12)
    set_tests_properties(onnx/backend PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache" TIMEOUT 600 COST 500)
  endif()
  add_test(NAME onnx/command COMMAND ${PROJECT_SOURCE_DIR}/tests/onnx/run-command ${PROJECT_BINARY_DIR})
  set_tests_properties(onnx/command PROPERTIES ENVIRONMENT "XDG_CACHE_HOME=${PROJECT_BINARY_DIR}/cache")
endif()
