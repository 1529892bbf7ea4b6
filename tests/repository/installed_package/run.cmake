# Installs the toolkit of BUILD below SCRATCH, builds a copy of the project PROJECT against it there, and runs its PROGRAMS.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("${output}")
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix --component codegen)
file(COPY ${PROJECT}/ DESTINATION ${SCRATCH}/project)
run(${CMAKE_COMMAND} -S ${SCRATCH}/project -B ${SCRATCH}/build -G Ninja -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -DCMAKE_CXX_COMPILER=${CXX}
    "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
foreach(program IN LISTS PROGRAMS)
  run(${CMAKE_COMMAND} -E env DGSOLVE_CACHE_DIR=${SCRATCH}/cache ${SCRATCH}/build/${program})
endforeach()
