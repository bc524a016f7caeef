# Everything we build upon. All of it is Debian's; ./dev installs it and finds Boost.
find_package(OpenSSL REQUIRED)
find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_library(RE2 re2 REQUIRED)

file(STRINGS ${LEAT_BOOST}/boost/version.hpp boost_version REGEX "#define BOOST_VERSION ")
string(REGEX MATCH "[0-9]+" boost_version "${boost_version}")
if(NOT boost_version GREATER_EQUAL 109200)
    message(FATAL_ERROR "Boost 1.92 or newer is needed, found ${boost_version} in ${LEAT_BOOST}; ./dev setup fetches it")
endif()

# Headers, beside Boost when the system's are too old (./dev fetches them).
set(valijson_places ${LEAT_BOOST}/../../../valijson/usr/include $ENV{HOME}/.cache/leat/valijson/usr/include /usr/include)
find_path(LEAT_VALIJSON valijson/validator.hpp HINTS ${valijson_places} NO_DEFAULT_PATH REQUIRED)
file(STRINGS ${LEAT_VALIJSON}/valijson/validator.hpp valijson_new REGEX "RegexEngine")
if(NOT valijson_new)
    message(FATAL_ERROR "valijson 1.0.3 or newer is needed, found an older one in ${LEAT_VALIJSON}; ./dev setup fetches it")
endif()

# Boost is used as headers; what can be compiled once is, in third_party/.
add_library(leat_boost INTERFACE)
if(NOT LEAT_BOOST STREQUAL "/usr/include")
    target_include_directories(leat_boost SYSTEM INTERFACE ${LEAT_BOOST})
endif()
target_compile_definitions(leat_boost INTERFACE BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
                           BOOST_ERROR_CODE_HEADER_ONLY)
target_link_libraries(leat_boost INTERFACE OpenSSL::SSL OpenSSL::Crypto Threads::Threads)
