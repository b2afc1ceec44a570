#include "libs/service/shell.h"

#include <cstdio>
#include <string>

#include "libs/program/terminal_text.h"
#include "libs/service/grpc_host.h"
#include "libs/service/process.h"

namespace posewire::service {

void ShellOptions::Declare(Flags& flags) {
  log.Declare(flags);
  flags.Group("Help");
  flags.Add("health-check", &health_check,
            "Asks the server at this address for its health, and ends: 0 when it serves.",
            {.value_name = "HOST:PORT|unix:PATH", .exclusive = true});
}

std::optional<int> ParseShell(int argc, const char* const* argv, Flags& flags,
                              const ShellOptions& options, const rpc::TlsFiles& own,
                              const rpc::TlsFiles& dialled) {
  if (std::optional<int> code = flags.Parse(argc, argv)) return code;
  if (options.log.format == "json") WriteGrpcErrorsAsJson();
  if (!options.health_check.empty()) {
    if (const absl::Status s = rpc::CheckTlsFiles(own); !s.ok()) {
      std::fprintf(stderr, "%s\n", program::TerminalLines(s.message()).c_str());
      return 2;
    }
    return CheckHealth(options.health_check, own, dialled);
  }
  return std::nullopt;
}

}  // namespace posewire::service
