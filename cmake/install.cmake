# SPDX-License-Identifier: Apache-2.0
# What `make install` puts under its prefix.  Everything finds the rest relative to itself, so a prefix can be moved.
include(CMakePackageConfigHelpers)

install(TARGETS poplar EXPORT poplarTargets LIBRARY DESTINATION lib)
install(DIRECTORY include/ DESTINATION include)
if(TARGET popc)
  set_target_properties(popc PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS popc RUNTIME DESTINATION bin)
endif()

configure_file(cmake/poplar.pc.in ${PROJECT_BINARY_DIR}/poplar.pc @ONLY)
configure_file(cmake/poplarConfig.cmake.in ${PROJECT_BINARY_DIR}/poplarConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/poplarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/poplar.pc DESTINATION lib/pkgconfig)
install(FILES ${PROJECT_BINARY_DIR}/poplarConfig.cmake ${PROJECT_BINARY_DIR}/poplarConfigVersion.cmake DESTINATION lib/cmake/poplar)
get_property(POPLIBS_LIBRARIES GLOBAL PROPERTY poplibs_libraries)
configure_file(cmake/poplibsConfig.cmake.in ${PROJECT_BINARY_DIR}/poplibsConfig.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/poplibsConfig.cmake DESTINATION lib/cmake/poplibs)
install(FILES ${PROJECT_BINARY_DIR}/poplarConfigVersion.cmake DESTINATION lib/cmake/poplibs RENAME poplibsConfigVersion.cmake)
install(EXPORT poplarTargets DESTINATION lib/cmake/poplar)
install(FILES docs/popc.1 DESTINATION share/man/man1)
install(FILES docs/tremula.7 DESTINATION share/man/man7)
install(FILES LICENSE DESTINATION share/doc/tremula)

# What `make install` builds: the libraries, their codelets and the commands, without tests, examples and measurements.
add_custom_target(product DEPENDS poplar popc pva pvti pva_command ${POPLIBS_LIBRARIES})
add_custom_target(uninstall COMMAND ${PROJECT_SOURCE_DIR}/scripts/uninstall ${PROJECT_BINARY_DIR}/install_manifest.txt VERBATIM)
