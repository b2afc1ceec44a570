#include "libs/ffmpeg/process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::ffmpeg {
namespace {

constexpr int kPatience_ms = 2000;
constexpr int kLook_ms = 10;

}  // namespace

absl::StatusOr<ChildProcess> ChildProcess::Start(
    std::vector<std::string> arguments, absl::Span<const program::ChildDescriptor> descriptors) {
  arguments.insert(arguments.begin(), "ffmpeg");
  const auto [error, child] =
      program::StartChild(std::move(arguments), descriptors, /*own_group=*/true);
  if (error == 0) return ChildProcess(child);
  if (error == ENOENT) {
    return absl::UnavailableError(
        "this needs the ffmpeg program, which is not installed (Debian: apt-get install ffmpeg)");
  }
  return absl::UnavailableError(absl::StrCat("ffmpeg cannot be started: ", std::strerror(error)));
}

ChildProcess::~ChildProcess() {
  if (child_ < 0) return;
  Kill(SIGTERM);
  for (int i = 0; i < kPatience_ms / kLook_ms; ++i) {
    if (Ended()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(kLook_ms));
  }
  Kill(SIGKILL);
  (void)Wait();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : child_(std::exchange(other.child_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(child_, other.child_);
  return *this;
}

bool ChildProcess::Wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<bool> ChildProcess::Ended() {
  int status = 0;
  if (waitpid(child_, &status, WNOHANG) == 0) return std::nullopt;
  child_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void ChildProcess::Kill(int signal) const {
  if (child_ > 0) kill(child_, signal);
}

bool ChildProcess::LimitMemory(size_t bytes) const {
  const rlimit limit = {bytes, bytes};
  return child_ > 0 && prlimit(child_, RLIMIT_AS, &limit, nullptr) == 0;
}

std::vector<std::string> PictureInput(int width, int height, const std::string& rate) {
  return {"-y",         "-v",       "error",
          "-f",         "rawvideo", "-pix_fmt",
          "rgb24",      "-s",       absl::StrCat(width, "x", height),
          "-framerate", rate,       "-i",
          "pipe:0"};
}

std::string FileName(const std::string& path) { return absl::StrCat("file:", path); }

}  // namespace posewire::ffmpeg
