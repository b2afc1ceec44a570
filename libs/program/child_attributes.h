// How this process starts others.
#ifndef POSEWIRE_LIBS_PROGRAM_CHILD_ATTRIBUTES_H_
#define POSEWIRE_LIBS_PROGRAM_CHILD_ATTRIBUTES_H_

#include <spawn.h>

namespace posewire::program {

// Attributes for posix_spawn. A program that waits for its stop signals itself blocks them, and
// ignores SIGPIPE; a child would inherit both, and then SIGTERM could not end it. This child blocks
// nothing, and SIGPIPE ends it. `more_flags`: such as POSIX_SPAWN_SETPGROUP.
class ChildAttributes {
 public:
  explicit ChildAttributes(short more_flags = 0);
  ~ChildAttributes();
  ChildAttributes(const ChildAttributes&) = delete;
  ChildAttributes& operator=(const ChildAttributes&) = delete;

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

}  // namespace posewire::program

#endif  // POSEWIRE_LIBS_PROGRAM_CHILD_ATTRIBUTES_H_
