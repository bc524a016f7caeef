// Plays the kept inputs to a target, in a build that has no fuzzer: each file of the folders that are named.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
    std::size_t played = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto& each : std::filesystem::directory_iterator{argv[i]}) {
            std::ifstream file{each.path(), std::ios::binary};
            std::vector<char> bytes{std::istreambuf_iterator<char>{file}, {}};
            std::vector<std::uint8_t> input{bytes.begin(), bytes.end()};
            LLVMFuzzerTestOneInput(input.data(), input.size());
            ++played;
        }
    }
    std::cout << played << " inputs\n";
    return played > 0 ? 0 : 1;
}
