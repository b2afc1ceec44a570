// The commands of a program. Each has its folder, with one struct of its settings that is derived
// from Command; main has the table of them.
//
//   const auto record = MakeRecord(pull);
//   const auto print = MakePrint(pull);
//   const service::Commands commands = {record.get(), print.get()};
//   service::Flags flags({.name = "renderer_sink", .examples = service::ExamplesOf(commands)});
//   service::AddCommands(commands, flags);
//   record->Declare(flags);
//   print->Declare(flags);
//   if (std::optional<int> code = flags.Parse(argc, argv)) return *code;
//   return service::ChosenOf(commands, flags).Run(process, log);
#ifndef POSEWIRE_LIBS_SERVICE_COMMAND_H_
#define POSEWIRE_LIBS_SERVICE_COMMAND_H_

#include <string>
#include <utility>
#include <vector>

#include "libs/service/flags/flags.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"

namespace posewire::service {

struct Command {
  Command(std::string name, std::string help, std::vector<std::string> examples)
      : name(std::move(name)), help(std::move(help)), examples(std::move(examples)) {}
  virtual ~Command() = default;

  // Adds its arguments, and the flags that no other command has.
  virtual void Declare(Flags& flags) = 0;
  // Runs to its end, or until the process is told to stop. Returns the exit code.
  virtual int Run(Process& process, const Logger& log) = 0;

  // For the help.
  const std::string name, help;
  const std::vector<std::string> examples;
  // Whether the log begins with the settings.
  bool logs_settings = true;
};

using Commands = std::vector<Command*>;

std::vector<std::string> ExamplesOf(const Commands& commands);
// Flags::AddCommand for each.
void AddCommands(const Commands& commands, Flags& flags);
// The command of the command line, after Flags::Parse.
Command& ChosenOf(const Commands& commands, const Flags& flags);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_COMMAND_H_
