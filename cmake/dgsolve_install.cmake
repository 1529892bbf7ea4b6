# What `cmake --install` leaves besides the program: the code generation toolkit as the CMake package `dgsolve` (target dgsolve::codegen).
include(CMakePackageConfigHelpers)
set(dgsolve_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dgsolve)

set_target_properties(dgsolve_codegen PROPERTIES EXPORT_NAME codegen)
target_compile_features(dgsolve_codegen PUBLIC cxx_std_20)
install(TARGETS dgsolve_codegen EXPORT dgsolve_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT codegen)
# Backends are not part of the interface.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/codegen DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dgsolve COMPONENT codegen
        FILES_MATCHING PATTERN "*.h" PATTERN "*.kernel.h" EXCLUDE PATTERN "backends" EXCLUDE)
install(EXPORT dgsolve_targets NAMESPACE dgsolve:: DESTINATION ${dgsolve_package_folder} COMPONENT codegen)

write_basic_package_version_file(${PROJECT_BINARY_DIR}/dgsolveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/dgsolveConfig.cmake ${PROJECT_BINARY_DIR}/dgsolveConfigVersion.cmake
        DESTINATION ${dgsolve_package_folder} COMPONENT codegen)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DATADIR}/dgsolve)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
