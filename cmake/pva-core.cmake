# SPDX-License-Identifier: Apache-2.0
# pva.pva_core, the Python module pva over pybind11 (docs/decisions/0027): for the first Python that has headers, where pybind11 is installed. Without
# it the module pva reads with ctypes.
option(TREMULA_PVA_CORE "Build pva.pva_core, where pybind11 and a Python with headers are there" ON)
set(TREMULA_PYTHON "" CACHE FILEPATH "The Python of pva.pva_core, with its headers; empty: python3 of the PATH, then /usr/bin/python3")
set(pva_package ${PROJECT_BINARY_DIR}/python/pva)
file(GLOB pva_sources CONFIGURE_DEPENDS python/pva/*.py)
add_custom_command(OUTPUT ${pva_package}/__init__.py
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pva_package}
  COMMAND ${CMAKE_COMMAND} -E copy ${pva_sources} ${pva_package}
  DEPENDS ${pva_sources} COMMENT "Python package pva" VERBATIM)
add_custom_target(pva_package ALL DEPENDS ${pva_package}/__init__.py)
if(NOT TREMULA_PVA_CORE OR CMAKE_CROSSCOMPILING) # the Python that runs here is not the one of another machine
  return()
endif()

set(ask "import os, sysconfig; d = sysconfig.get_path('include'); print(sysconfig.get_config_var('EXT_SUFFIX'), d, sep=';') if os.path.exists(d + '/Python.h') else None")
foreach(candidate ${TREMULA_PYTHON} python3 /usr/bin/python3)
  execute_process(COMMAND ${candidate} -c "${ask}" OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(answer)
    break()
  endif()
endforeach()
find_path(PYBIND11_INCLUDE_DIR pybind11/pybind11.h)
if(NOT answer OR NOT PYBIND11_INCLUDE_DIR)
  message(STATUS "pybind11, or a Python with headers, was not found: the Python module pva reads with ctypes (scripts/install-dependencies python)")
  return()
endif()
list(POP_FRONT answer PYTHON_EXTENSION_SUFFIX PYTHON_HEADERS)

# An extension module of pybind11 in a directory below the build's.
function(add_python_extension name directory source)
  add_library(${name} MODULE ${source})
  target_include_directories(${name} SYSTEM PRIVATE ${PYBIND11_INCLUDE_DIR} ${PYTHON_HEADERS})
  target_link_libraries(${name} PRIVATE pva)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "${PYTHON_EXTENSION_SUFFIX}" CXX_STANDARD 14 CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/${directory})
endfunction()
add_python_extension(pva_core pva python/pva_core/module.cpp)
target_compile_options(pva_core PRIVATE ${TREMULA_ALL_CHECKS})
add_dependencies(pva_core pva_package)
file(RELATIVE_PATH to_libraries /${TREMULA_INSTALL_PYTHONDIR}/pva /${CMAKE_INSTALL_LIBDIR})
set_target_properties(pva_core PROPERTIES INSTALL_RPATH "$ORIGIN/${to_libraries}")
install(TARGETS pva_core LIBRARY DESTINATION ${TREMULA_INSTALL_PYTHONDIR}/pva COMPONENT runtime)
