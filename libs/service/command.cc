#include "libs/service/command.h"

#include <algorithm>

namespace posewire::service {

std::vector<std::string> ExamplesOf(const Commands& commands) {
  std::vector<std::string> all;
  for (const Command* command : commands) {
    all.insert(all.end(), command->examples.begin(), command->examples.end());
  }
  return all;
}

void AddCommands(const Commands& commands, Flags& flags) {
  for (const Command* command : commands) flags.AddCommand(command->name, command->help);
}

Command& ChosenOf(const Commands& commands, const Flags& flags) {
  return **std::find_if(commands.begin(), commands.end(),
                        [&](const Command* command) { return command->name == flags.command(); });
}

}  // namespace posewire::service
