// The command line of animclip.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLI_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLI_H_

#include "tools/animclip/console.h"

namespace posewire::animclip {

// Reads the command line, runs the subcommand and returns the process's exit code.
int RunCommandLine(int argc, const char* const* argv, const Console& console);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLI_H_
