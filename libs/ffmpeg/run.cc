#include "libs/ffmpeg/run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/ffmpeg/process.h"

namespace posewire::ffmpeg {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostWords = 400;
constexpr int kIn = 0, kOut = 1, kWords = 2;

// Both ends of the child's three standard descriptors; the destructor closes them. Standard input
// is a socket because send() can suppress the SIGPIPE that writing to a closed pipe raises.
class Ends {
 public:
  Ends() { ours_.fill(-1), its_.fill(-1); }
  ~Ends() {
    for (int i = 0; i < 3; ++i) CloseOurs(i);
    CloseIts();
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  absl::Status Open() {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return Fault();
    Keep(kIn, pair[0], pair[1]);
    for (const int i : {kOut, kWords}) {
      if (pipe2(pair, O_CLOEXEC) != 0) return Fault();
      Keep(i, pair[0], pair[1]);
    }
    return absl::OkStatus();
  }
  int ours(int i) const { return ours_[static_cast<size_t>(i)]; }
  int its(int i) const { return its_[static_cast<size_t>(i)]; }
  void CloseOurs(int i) { Close(ours_[static_cast<size_t>(i)]); }
  void CloseIts() {
    for (int& fd : its_) Close(fd);
  }

 private:
  static absl::Status Fault() {
    return absl::UnavailableError(absl::StrCat("no pipe to ffmpeg: ", std::strerror(errno)));
  }
  static void Close(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  void Keep(int i, int ours, int its) {
    ours_[static_cast<size_t>(i)] = ours;
    its_[static_cast<size_t>(i)] = its;
    fcntl(ours, F_SETFL, O_NONBLOCK);
  }

  std::array<int, 3> ours_, its_;
};

// Reads the bytes that are available and keeps up to `most` in `out`. Returns false at the end.
bool ReadSome(int fd, size_t most, std::string& out) {
  char buffer[64 << 10];
  const ssize_t n = read(fd, buffer, sizeof buffer);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  out.append(buffer, std::min(static_cast<size_t>(n), most - std::min(most, out.size())));
  return n > 0;
}

// Returns false when ffmpeg accepts no more. Its exit status then reports the error.
bool WriteSome(int fd, absl::string_view& in) {
  const ssize_t n = send(fd, in.data(), in.size(), MSG_NOSIGNAL);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  in.remove_prefix(static_cast<size_t>(n));
  return !in.empty();
}

}  // namespace

absl::StatusOr<std::string> Run(std::vector<std::string> arguments, absl::string_view in,
                                const RunLimits& limits) {
  const auto end = Clock::now() + std::chrono::duration<double>(limits.most_s);
  Ends ends;
  if (absl::Status s = ends.Open(); !s.ok()) return s;
  const program::ChildDescriptor descriptors[] = {{ends.its(kIn), STDIN_FILENO},
                                                  {ends.its(kOut), STDOUT_FILENO},
                                                  {ends.its(kWords), STDERR_FILENO}};
  auto process = ChildProcess::Start(std::move(arguments), descriptors);
  if (!process.ok()) return process.status();
  ends.CloseIts();
  if (!process->LimitMemory(limits.memory_bytes)) {
    return absl::UnavailableError("the memory of ffmpeg cannot be limited");
  }
  std::string out, words;
  if (in.empty()) ends.CloseOurs(kIn);
  while (ends.ours(kOut) >= 0 || ends.ours(kWords) >= 0) {
    const double left_s = std::chrono::duration<double>(end - Clock::now()).count();
    if (left_s <= 0) {
      process->Kill(SIGKILL);
      return absl::DeadlineExceededError(
          absl::StrCat("ffmpeg has not ended within ", limits.most_s, " s"));
    }
    pollfd polled[] = {
        {ends.ours(kIn), POLLOUT, 0}, {ends.ours(kOut), POLLIN, 0}, {ends.ours(kWords), POLLIN, 0}};
    if (poll(polled, 3, static_cast<int>(std::min(left_s, 60.0) * 1000) + 1) <= 0) continue;
    if (polled[kIn].revents != 0 && !WriteSome(ends.ours(kIn), in)) ends.CloseOurs(kIn);
    if (polled[kOut].revents != 0 && !ReadSome(ends.ours(kOut), limits.most_bytes + 1, out)) {
      ends.CloseOurs(kOut);
    }
    if (polled[kWords].revents != 0 && !ReadSome(ends.ours(kWords), kMostWords, words)) {
      ends.CloseOurs(kWords);
    }
    if (out.size() > limits.most_bytes) {
      process->Kill(SIGKILL);
      return absl::ResourceExhaustedError(
          absl::StrCat("ffmpeg makes more than ", limits.most_bytes, " bytes"));
    }
  }
  if (process->Wait()) return out;
  const absl::string_view said = absl::StripAsciiWhitespace(words);
  return absl::InvalidArgumentError(absl::StrCat("ffmpeg failed", said.empty() ? "" : ": ",
                                                 absl::StrReplaceAll(said, {{"\n", "; "}})));
}

}  // namespace posewire::ffmpeg
