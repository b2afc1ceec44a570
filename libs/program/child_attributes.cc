#include "libs/program/child_attributes.h"

#include <signal.h>

namespace posewire::program {

ChildAttributes::ChildAttributes(short more_flags) {
  posix_spawnattr_init(&attributes_);
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes_, &none);
  posix_spawnattr_setsigdefault(&attributes_, &ignored);
  const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | more_flags;
  posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
}

ChildAttributes::~ChildAttributes() { posix_spawnattr_destroy(&attributes_); }

}  // namespace posewire::program
