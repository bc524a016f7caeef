// completion: what a shell needs to complete leat's words, made from the same declarations that parse them.
#include "cli/command_words.hpp"
#include "cli/program.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <iostream>
#include <set>

namespace leat::cli {
namespace {

std::string path_of(const command_words& command) {
    return fmt::format("{}", fmt::join(command.path, " "));
}

// The first sentence, harmless in any quotes.
std::string short_doc(const std::string& doc) {
    auto text = doc.substr(0, doc.find(". "));
    std::erase_if(text, [](char each) { return each == '\'' || each == '"' || each == '\\' || each == '$'; });
    for (char& each : text) {
        each = each == '`' || each == '[' || each == ']' || each == ':' || each == '\n' ? ' ' : each;
    }
    return text;
}

std::vector<std::string> option_names(const command_words& command) {
    std::vector<std::string> names;
    for (const auto& each : command.options) {
        names.insert(names.end(), each.names.begin(), each.names.end());
    }
    return names;
}

bool takes_file(const command_words& command) {
    for (const auto& each : command.arguments) {
        if (each.file) {
            return true;
        }
    }
    return false;
}

// Those that a value stands after.
std::set<std::string> value_options(const std::vector<command_words>& all) {
    std::set<std::string> names;
    for (const auto& command : all) {
        for (const auto& each : command.options) {
            if (!each.value.empty()) {
                names.insert(each.names.begin(), each.names.end());
            }
        }
    }
    return names;
}

// What its arguments may be, when that is known.
std::vector<std::string> argument_choices(const command_words& command) {
    std::vector<std::string> all;
    for (const auto& each : command.arguments) {
        all.insert(all.end(), each.choices.begin(), each.choices.end());
    }
    return all;
}

// Of a case: the option where it stands.
std::string pattern(const command_words& command, const option_words& option) {
    std::vector<std::string> patterns;
    patterns.reserve(option.names.size());
    for (const auto& name : option.names) {
        patterns.push_back("\"" + path_of(command) + ":" + name + "\"");
    }
    return fmt::format("{}", fmt::join(patterns, "|"));
}

void print_bash(const std::vector<command_words>& all) {
    std::cout
        << R"(# leat completion bash: put it where bash looks, as /etc/bash_completion.d/leat, or: source <(leat completion bash)
_leat() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path="" i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$path:${COMP_WORDS[i]}" in
)";
    for (const auto& command : all) {
        auto path = path_of(command);
        for (const auto& option : command.options) {
            if (!option.value.empty()) { // the word after it is not a command
                std::cout << "        " << pattern(command, option) << ") ((i++)) ;;\n";
            }
        }
        for (const auto& each : command.commands) {
            std::cout << "        \"" << path << ":" << each << "\") path=\"" << path << (path.empty() ? "" : " ")
                      << each << "\" ;;\n";
        }
    }
    std::cout << "        esac\n    done\n    local words=\"\" files=\"\"\n    case \"$path:$before\" in\n";
    for (const auto& command : all) {
        for (const auto& option : command.options) {
            if (option.value.empty()) {
                continue;
            }
            auto reply = option.file              ? std::string{"mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"}
                         : option.choices.empty() ? std::string{":"}
                                                  : fmt::format(
                                                        "mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$word\")",
                                                        fmt::join(option.choices, " "));
            std::cout << "    " << pattern(command, option) << ") " << reply << "; return ;;\n";
        }
    }
    std::cout << "    esac\n    case \"$path\" in\n";
    for (const auto& command : all) {
        std::cout << "    \"" << path_of(command) << "\") words=\""
                  << fmt::format(
                         "{} {} {}", fmt::join(command.commands, " "), fmt::join(argument_choices(command), " "),
                         fmt::join(option_names(command), " "))
                  << "\"" << (takes_file(command) ? " files=1" : "") << " ;;\n";
    }
    std::cout << R"(    esac
    if [[ $word != -* ]]; then # options only when they are asked for
        local each plain=""
        for each in $words; do [[ $each == -* ]] || plain+=" $each"; done
        words=$plain
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [[ -n $files && $word != -* ]] && compgen -f -- "$word")
}
complete -o filenames -F _leat leat
)";
}

void print_zsh(const std::vector<command_words>& all) {
    std::cout << R"(#compdef leat
# leat completion zsh: put it into a folder of $fpath as _leat
_leat() {
    local at="" before=${words[CURRENT-1]} i
    local -a commands options
    for ((i = 2; i < CURRENT; i++)); do
        case "$at:${words[i]}" in
)";
    for (const auto& command : all) {
        auto path = path_of(command);
        for (const auto& option : command.options) {
            if (!option.value.empty()) {
                for (const auto& name : option.names) {
                    std::cout << "        ('" << path << ":" << name << "') ((i++)) ;;\n";
                }
            }
        }
        for (const auto& each : command.commands) {
            std::cout << "        ('" << path << ":" << each << "') at='" << path << (path.empty() ? "" : " ") << each
                      << "' ;;\n";
        }
    }
    std::cout << "        esac\n    done\n    case \"$at:$before\" in\n";
    for (const auto& command : all) {
        for (const auto& option : command.options) {
            for (const auto& name : option.names) {
                if (!option.value.empty()) {
                    auto reply = option.file ? std::string{"_files"}
                                 : option.choices.empty()
                                     ? std::string{"_message value"}
                                     : fmt::format("compadd -- {}", fmt::join(option.choices, " "));
                    std::cout << "    ('" << path_of(command) << ":" << name << "') " << reply << "; return ;;\n";
                }
            }
        }
    }
    std::cout << "    esac\n    case \"$at\" in\n";
    for (const auto& command : all) {
        std::cout << "    ('" << path_of(command) << "')\n        commands=(";
        for (const auto& below : all) {
            if (below.path.size() == command.path.size() + 1 &&
                std::equal(command.path.begin(), command.path.end(), below.path.begin())) {
                std::cout << " '" << below.path.back() << ":" << short_doc(below.doc) << "'";
            }
        }
        for (const auto& each : argument_choices(command)) {
            std::cout << " '" << each << "'";
        }
        std::cout << ")\n        options=(";
        for (const auto& option : command.options) {
            for (const auto& name : option.names) {
                std::cout << " '" << name << ":" << short_doc(option.doc) << "'";
            }
        }
        std::cout << ")\n        " << (takes_file(command) ? "[[ $PREFIX == -* ]] || _files" : "") << "\n        ;;\n";
    }
    std::cout << R"(    esac
    if [[ $PREFIX == -* ]]; then
        _describe option options
    elif (( $#commands )); then
        _describe command commands
    fi
}
if [[ ${funcstack[1]} == _leat ]]; then _leat "$@"; else compdef _leat leat; fi
)";
}

void print_fish(const std::vector<command_words>& all) {
    std::cout << R"(# leat completion fish: put it into ~/.config/fish/completions/leat.fish
function __leat_at
    set -l path
    set -l skip
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
        else if contains -- $word $__leat_values
            set skip 1
        else
            string match -q -- '-*' $word; or set -a path $word
        end
    end
    test "$path" = "$argv"; and return 0
    # what is behind a whole command are its arguments
    test (count $argv) -gt 0; and string match -q -- "$argv *" "$path"; and not contains -- "$argv" $__leat_groups
end
)";
    std::vector<std::string> groups;
    for (const auto& command : all) {
        if (!command.commands.empty() && !command.path.empty()) {
            groups.push_back("'" + path_of(command) + "'");
        }
    }
    std::cout << "set -g __leat_groups " << fmt::format("{}", fmt::join(groups, " ")) << "\nset -g __leat_values "
              << fmt::format("{}", fmt::join(value_options(all), " ")) << "\ncomplete -c leat -f\n";
    for (const auto& command : all) {
        auto at = fmt::format("-n '__leat_at {}'", path_of(command));
        for (const auto& below : all) {
            if (below.path.size() == command.path.size() + 1 &&
                std::equal(command.path.begin(), command.path.end(), below.path.begin())) {
                std::cout << "complete -c leat " << at << " -a " << below.path.back() << " -d '" << short_doc(below.doc)
                          << "'\n";
            }
        }
        for (const auto& each : argument_choices(command)) {
            std::cout << "complete -c leat " << at << " -a " << each << "\n";
        }
        if (takes_file(command)) {
            std::cout << "complete -c leat " << at << " -F\n";
        }
        for (const auto& option : command.options) {
            std::cout << "complete -c leat " << at;
            for (const auto& name : option.names) {
                std::cout << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
            }
            if (option.file) {
                std::cout << " -r -F";
            } else if (!option.choices.empty()) {
                std::cout << fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
            } else if (!option.value.empty()) {
                std::cout << " -x";
            }
            std::cout << " -d '" << short_doc(option.doc) << "'\n";
        }
    }
}

} // namespace

void add_completion(CLI::App& app, program& /*shared*/) {
    auto shell = std::make_shared<std::string>();
    auto* command = app.add_subcommand("completion", "Print the completion of leat's words for a shell");
    command->footer("bash: source <(leat completion bash)\n"
                    "zsh:  leat completion zsh > a folder of $fpath/_leat\n"
                    "fish: leat completion fish > ~/.config/fish/completions/leat.fish");
    command->add_option("SHELL", *shell, "bash, zsh or fish")
        ->required()
        ->type_name("bash|zsh|fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->callback([&app, shell] {
        auto all = all_commands(app);
        if (*shell == "bash") {
            print_bash(all);
        } else if (*shell == "zsh") {
            print_zsh(all);
        } else {
            print_fish(all);
        }
    });
}

} // namespace leat::cli
