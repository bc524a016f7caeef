# Lua scripts become C++: flattened, hashed, with one typed function each (tools/embed_scripts).
#
#   leat_scripts(store FOLDER lua NAMESPACE leat::store)
function(leat_scripts target)
    cmake_parse_arguments(ARG "" "FOLDER;NAMESPACE" "" ${ARGN})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_FOLDER})
    file(GLOB_RECURSE lua CONFIGURE_DEPENDS ${folder}/*.lua)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/generated/${target})
    add_custom_command(
        OUTPUT ${out}/scripts.hpp ${out}/scripts.cpp
        COMMAND embed_scripts ${folder} ${out}/scripts ${ARG_NAMESPACE}
        DEPENDS embed_scripts ${lua}
        COMMENT "Embedding the scripts of ${target}"
        VERBATIM
    )
    add_custom_target(${target}_scripts DEPENDS ${out}/scripts.hpp)
    target_sources(${target} PRIVATE ${out}/scripts.cpp ${out}/scripts.hpp)
    target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()
