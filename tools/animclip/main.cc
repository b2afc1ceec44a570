// animclip: looks at, checks, cuts, converts and draws animation clips.
#include <unistd.h>

#include <exception>
#include <iostream>

#include "libs/program/prepare_process.h"
#include "libs/program/standard_output.h"
#include "tools/animclip/cli.h"

int main(int argc, char** argv) {
  using namespace posewire;  // NOLINT(google-build-using-namespace)
  program::PrepareProcess();
  const animclip::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) == 1};
  int code = animclip::kNo;
  try {
    animclip::PartFiles::RemoveOnSignals(console.parts);
    code = animclip::RunCommandLine(argc, argv, console);
  } catch (const std::exception& e) {
    console.err << "animclip: " << absl::string_view(e.what()) << "\n";
  }
  return program::EndWith("animclip", code);
}
