#include "libs/program/child.h"

#include <signal.h>
#include <spawn.h>

extern char** environ;  // NOLINT: as POSIX has it

namespace posewire::program {

ChildStart StartChild(std::vector<std::string> words, absl::Span<const ChildDescriptor> descriptors,
                      bool own_group) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const ChildDescriptor& d : descriptors) {
    if (d.path != nullptr) {
      posix_spawn_file_actions_addopen(&actions, d.its, d.path, d.flags, 0600);
    } else {
      posix_spawn_file_actions_adddup2(&actions, d.ours, d.its);
    }
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  const int flags =
      POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (own_group ? POSIX_SPAWN_SETPGROUP : 0);
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ChildStart start;
  start.error = ::posix_spawnp(&start.child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return start;
}

}  // namespace posewire::program
