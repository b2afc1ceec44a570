// How this process starts others.
#ifndef POSEWIRE_LIBS_PROGRAM_CHILD_H_
#define POSEWIRE_LIBS_PROGRAM_CHILD_H_

#include <fcntl.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace posewire::program {

// What a child finds as its descriptor `its`: our descriptor `ours`, which stays open here, or the
// file `path`, opened with `flags` (and made for this user alone, if they say O_CREAT).
struct ChildDescriptor {
  int ours = -1;
  int its = -1;
  const char* path = nullptr;
  int flags = O_RDONLY;
};

struct ChildStart {
  int error = 0;  // 0, or errno's number
  pid_t child = -1;
};

// Starts `words`, the first of which is found on the PATH. A program that waits for its stop
// signals itself blocks them, and ignores SIGPIPE; a child would inherit both, and then SIGTERM
// could not end it. This child blocks nothing, and SIGPIPE ends it. `own_group`: signals that a
// terminal sends, such as Ctrl-C's, do not reach it.
ChildStart StartChild(std::vector<std::string> words, absl::Span<const ChildDescriptor> descriptors,
                      bool own_group);

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_CHILD_H_
