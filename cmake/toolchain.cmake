# The language, the warnings and the speed of the build.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(LEAT_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -fno-omit-frame-pointer")
endif()

find_program(LEAT_CCACHE ccache)
if(LEAT_CCACHE)
    # The precompiled header is found by content, not by time, so that a fresh clone hits the cache.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LEAT_CCACHE}
    )
    add_compile_options(-fpch-preprocess)
endif()

find_program(LEAT_MOLD mold)
if(LEAT_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

if(LEAT_SANITIZE)
    add_compile_options(-fsanitize=${LEAT_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${LEAT_SANITIZE})
endif()

add_compile_options(-Wpedantic) # everywhere: it changes predefined macros, which a precompiled header must share

# Third-party headers are SYSTEM and stay quiet; ours must be clean.
add_library(leat_warnings INTERFACE)
target_compile_options(leat_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                       -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # which takes the frames of Asio's coroutines for what they are not
    target_compile_options(leat_warnings INTERFACE -Wno-mismatched-new-delete)
endif()
option(LEAT_WERROR "Take warnings as errors" OFF) # for us; another compiler's new warning must not stop a user
if(LEAT_WERROR)
    target_compile_options(leat_warnings INTERFACE -Werror)
endif()
