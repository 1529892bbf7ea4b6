# dgsolve_target_options(TARGET): the warnings and sanitizers that every target of the project has.
function(dgsolve_target_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # At -O3 GCC 12 warns of "text" + std::string in its own headers (GCC bug 105651).
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Wno-restrict>)
  endif()
  if(DGSOLVE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(DGSOLVE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  # The host code takes part in "the same bits": no contraction the source does not ask for.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
endfunction()

# dgsolve_library(NAME [DEPENDS targets...]): the library of the current folder, every .cpp below it.
function(dgsolve_library name)
  cmake_parse_arguments(arg "" "" "DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)  # a folder of headers only
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp "")
    list(APPEND sources ${CMAKE_CURRENT_BINARY_DIR}/headers_only.cpp)
  endif()
  add_library(dgsolve_${name} STATIC ${sources})
  add_library(dgsolve::${name} ALIAS dgsolve_${name})
  target_include_directories(dgsolve_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/dgsolve>)
  target_link_libraries(dgsolve_${name} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  set_target_properties(dgsolve_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  dgsolve_target_options(dgsolve_${name})
endfunction()
