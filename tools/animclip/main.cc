// animclip: looks at, checks, cuts, converts and draws animation clips.
#include <unistd.h>

#include <exception>
#include <iostream>

#include "tools/animclip/cli.h"

int main(int argc, char** argv) {
  using posewire::animclip::Console;
  const Console console{std::cout, std::cerr, isatty(STDERR_FILENO) == 1};
  try {
    return posewire::animclip::RunCommandLine(argc, argv, console);
  } catch (const std::exception& e) {
    std::cerr << "animclip: " << e.what() << "\n";
    return posewire::animclip::kNo;
  }
}
