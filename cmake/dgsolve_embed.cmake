# dgsolve_embed(TARGET NAMESPACE FUNCTION files...): compiles text files into TARGET. Declares nothing: the folder's
# header declares `std::span<const EmbeddedFile> FUNCTION();` in dgsolve::NAMESPACE, with codegen/embedded.h's type.
function(dgsolve_embed target namespace function)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${function}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${namespace} -DFUNCTION=${function}
            "-DFILES=${ARGN}" -P ${script}
    DEPENDS ${ARGN} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
