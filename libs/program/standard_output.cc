#include "libs/program/standard_output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace posewire::program {
namespace {

bool ReaderHasGone() {
  pollfd polled{STDOUT_FILENO, POLLOUT, 0};
  return poll(&polled, 1, 0) == 1 && (polled.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

std::string FlushStandardOutput() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::ferror(stdout) == 0) return "";
  if (ReaderHasGone()) return "";
  return error != 0 ? std::strerror(error) : "a write failed";
}

int EndWith(absl::string_view program, int code) {
  const std::string why = FlushStandardOutput();
  if (why.empty()) return code;
  std::fprintf(stderr, "%.*s: standard output could not be written: %s\n",
               static_cast<int>(program.size()), program.data(), why.c_str());
  return code == 0 ? 1 : code;
}

}  // namespace posewire::program
