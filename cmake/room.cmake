# A room is a folder of src/ and a static library. What stands after USES is what its sources may include: the include
# path holds src/ as a whole, so tools/check_rooms.py compares every include with these lines.
#
#   leat_room(store USES base message redis)
function(leat_room name)
    cmake_parse_arguments(ARG "" "" "USES;LIBRARIES" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    list(TRANSFORM ARG_USES PREPEND leat_)
    set_target_properties(${name} PROPERTIES OUTPUT_NAME leat_${name})
    add_library(leat_${name} ALIAS ${name})
    target_link_libraries(${name} PUBLIC ${ARG_USES} PRIVATE ${ARG_LIBRARIES} leat_warnings)
    leat_precompile(${name})
endfunction()

# One precompiled header, compiled once with the third-party sources and used by every room.
function(leat_precompile target)
    if(LEAT_PCH)
        target_precompile_headers(${target} REUSE_FROM leat_third_party)
    endif()
endfunction()
