#include "libs/program/prepare_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace posewire::program {
namespace {

void OpenStandardDescriptors(int, char**, char**) {
  // In this order, open returns exactly the number that is closed.
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    (void)!open("/dev/null", O_RDWR);
  }
}

// gRPC opens an eventfd when its library is loaded, long before main. Functions in this section run
// before the constructors of all libraries.
[[maybe_unused, gnu::used,
  gnu::section(".preinit_array")]] void (*g_first)(int, char**, char**) = OpenStandardDescriptors;

}  // namespace

void PrepareProcess() {
  OpenStandardDescriptors(0, nullptr, nullptr);
  signal(SIGXFSZ, SIG_IGN);
}

}  // namespace posewire::program
