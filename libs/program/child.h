// Starts other programs as child processes.
#ifndef POSEWIRE_LIBS_PROGRAM_CHILD_H_
#define POSEWIRE_LIBS_PROGRAM_CHILD_H_

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace posewire::program {

// A descriptor of the child, numbered `its`: our descriptor `ours`, which stays open here, or the
// file `path`, opened with `flags` (and created for this user only, if they include O_CREAT).
struct ChildDescriptor {
  int ours = -1;
  int its = -1;
  const char* path = nullptr;
  int flags = O_RDONLY;
};

struct ChildStart {
  int error = 0;  // 0, or an errno value
  pid_t child = -1;
};

// Starts `words`; the first word is looked up on the PATH. A program that waits for its stop
// signals blocks them and ignores SIGPIPE. A child would inherit both, and SIGTERM could not end
// it. This child therefore blocks no signals, and SIGPIPE ends it. `own_group`: signals from the
// terminal, such as Ctrl-C's, do not reach it.
ChildStart StartChild(std::vector<std::string> words, absl::Span<const ChildDescriptor> descriptors,
                      bool own_group);

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_CHILD_H_
