# SPDX-License-Identifier: Apache-2.0
# What `make install` puts under its prefix.  Everything finds the rest relative to itself, so a prefix can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS poplar EXPORT poplarTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
# Headers of codelets alone have names that other projects use as well (print.h): popc finds them in a directory of their own.
set(codelet_headers print.h ipudef.h ipu_builtins.h ipu_intrinsics ipu_memory_intrinsics ipu_vector_math)
list(JOIN codelet_headers "|" pattern)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev REGEX "/include/(${pattern}|arch)$" EXCLUDE)
list(TRANSFORM codelet_headers PREPEND include/)
install(FILES ${codelet_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poplar/codelets COMPONENT dev)
install(DIRECTORY include/arch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/poplar/codelets COMPONENT dev)
if(TARGET popc)
  set_target_properties(popc PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS popc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()

configure_file(cmake/poplar.pc.in ${PROJECT_BINARY_DIR}/poplar.pc @ONLY)
configure_file(cmake/poplarConfig.cmake.in ${PROJECT_BINARY_DIR}/poplarConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/poplarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/poplar.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/poplarConfig.cmake ${PROJECT_BINARY_DIR}/poplarConfigVersion.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/poplar COMPONENT dev)
get_property(POPLIBS_LIBRARIES GLOBAL PROPERTY poplibs_libraries)
configure_file(cmake/poplibsConfig.cmake.in ${PROJECT_BINARY_DIR}/poplibsConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/poplibsConfig.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/poplibs COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/poplarConfigVersion.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/poplibs COMPONENT dev RENAME poplibsConfigVersion.cmake)
install(EXPORT poplarTargets DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/poplar COMPONENT dev)
install(FILES docs/popc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES docs/tremula.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT runtime)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${TREMULA_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${TREMULA_INSTALL_DOCDIR} COMPONENT dev FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN decisions EXCLUDE)
install(DIRECTORY examples DESTINATION ${TREMULA_INSTALL_DOCDIR} COMPONENT dev)

if(TARGET poplar_mpi)
  install(TARGETS poplar_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi)
endif()

# What `make install` builds: the libraries, their codelets and the commands, without tests, examples and measurements.
add_custom_target(product DEPENDS poplar popc pva pvti pva_command ${POPLIBS_LIBRARIES} $<TARGET_NAME_IF_EXISTS:poplar_mpi> $<TARGET_NAME_IF_EXISTS:python_package>)
add_custom_target(uninstall COMMAND ${PROJECT_SOURCE_DIR}/scripts/uninstall ${PROJECT_BINARY_DIR}/install_manifest.txt VERBATIM)
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/package.cmake)
endif()
