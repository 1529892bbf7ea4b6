# find_package(dgsolve): the target dgsolve::codegen, and what it needs.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(OpenSSL COMPONENTS Crypto)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/dgsolve_targets.cmake)
