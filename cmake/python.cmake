# SPDX-License-Identifier: Apache-2.0
# The Python package tremula: its sources, and the table that python/declarations.py makes of the C headers.
find_program(PYTHON3 python3)
if(NOT PYTHON3)
  message(STATUS "python3 was not found: the Python package tremula is not built")
  return()
endif()
set(package ${PROJECT_BINARY_DIR}/python/tremula)
file(GLOB package_sources CONFIGURE_DEPENDS python/tremula/*.py)
file(GLOB_RECURSE package_headers CONFIGURE_DEPENDS include/pop*/*.h include/pop*/*.def include/gcl/*.h)
add_custom_command(OUTPUT ${package}/_table.py
  COMMAND ${CMAKE_COMMAND} -E make_directory ${package}
  COMMAND ${CMAKE_COMMAND} -E copy ${package_sources} ${package}
  COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/python/declarations.py ${PROJECT_SOURCE_DIR}/include ${package}/_table.py ${CMAKE_C_COMPILER}
  COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${PYTHON3} ${PROJECT_SOURCE_DIR}/python/stubs.py ${package}
  DEPENDS ${package_sources} ${package_headers} python/declarations.py python/stubs.py
  COMMENT "Python package tremula" VERBATIM)
add_custom_target(python_package ALL DEPENDS ${package}/_table.py)
install(DIRECTORY ${package} DESTINATION ${TREMULA_INSTALL_PYTHONDIR} COMPONENT runtime PATTERN __pycache__ EXCLUDE)
