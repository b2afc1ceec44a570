// The settings that every program shares, and the beginning of every main.
//
//   int main(int argc, char** argv) {
//     service::Process process;
//     Config config;  // Has service::ShellOptions shell; service::GrpcHostOptions grpc; ...
//     service::Flags flags({.name = "anim_graph", ...});
//     config.Declare(flags);
//     const auto ended = service::ParseShell(argc, argv, flags, config.shell, config.grpc.tls);
//     if (ended) return *ended;
//     service::Logger log(flags.info().name, config.shell.log);
//     service::LogConfig(log, flags);
//     ...
#ifndef POSEWIRE_LIBS_SERVICE_SHELL_H_
#define POSEWIRE_LIBS_SERVICE_SHELL_H_

#include <optional>
#include <string>

#include "libs/rpc/tls_files.h"
#include "libs/service/flags/flags.h"
#include "libs/service/logger.h"

namespace posewire::service {

struct ShellOptions {
  LogOptions log;
  // If not empty: checks the health service at this address, prints the answer, and ends (for
  // containers).
  std::string health_check;
  void Declare(Flags& flags);  // The log's flags and --health-check ADDRESS.
};

// Runs Flags::Parse, and handles --health-check with these files (CheckHealth). Returns the exit
// code if the program must end now.
std::optional<int> ParseShell(int argc, const char* const* argv, Flags& flags,
                              const ShellOptions& options, const rpc::TlsFiles& own,
                              const rpc::TlsFiles& dialled);

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_SHELL_H_
