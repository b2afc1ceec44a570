#include "libs/formats/usd/usdcat.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/program/child.h"

namespace posewire::usd {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLook_ms = 100;  // how often to check whether to stop
constexpr int kEnds_ms = 2;    // how often to check whether the program has ended
constexpr int kNoModule = 42;  // exit status of the script below
// With -c, Python would look for pxr in the working folder first and run any file of that name
// there.
constexpr char kScript[] =
    "import sys\n"
    "sys.path = [folder for folder in sys.path if folder]\n"
    "try:\n"
    "    from pxr import Usd\n"
    "except ImportError:\n"
    "    sys.exit(42)\n"
    "sys.stdout.reconfigure(encoding='utf-8')\n"
    "sys.stdout.write(Usd.Stage.Open(sys.argv[1]).ExportToString(addSourceFileComment=False))\n";

struct Run {
  int status = 0;  // as a shell reports it
  std::string out;
};

// Runs a program and returns its output and status; nothing if there is no such program.
absl::StatusOr<std::optional<Run>> Start(std::vector<std::string> words, size_t most,
                                         const std::function<bool()>& stopped, double most_s) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("no pipe can be had");
  const std::string name = words[0];
  const auto [error, child] =
      program::StartChild(std::move(words),
                          {{.ours = ends[1], .its = STDOUT_FILENO},
                           {.its = STDIN_FILENO, .path = "/dev/null"},
                           {.its = STDERR_FILENO, .path = "/dev/null", .flags = O_WRONLY}},
                          /*own_group=*/false);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return std::optional<Run>();
  }
  // Limits the child's CPU time, so that it ends even if this process is killed. OpenUSD uses all
  // processors.
  const auto processors = static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  const auto most_cpu_s = static_cast<rlim_t>(std::ceil(most_s * processors));
  const rlimit limit = {most_cpu_s, most_cpu_s};
  ::prlimit(child, RLIMIT_CPU, &limit, nullptr);
  Run run;
  absl::Status fault;
  std::vector<char> block(64 << 10);
  const Clock::time_point began = Clock::now();
  const auto look = [&] {
    if (stopped()) {
      fault = absl::CancelledError("told to stop");
    } else if (std::chrono::duration<double>(Clock::now() - began).count() > most_s) {
      fault =
          absl::DeadlineExceededError(absl::StrCat(name, " has not ended within ", most_s, " s"));
    }
  };
  while (fault.ok()) {
    pollfd polled = {ends[0], POLLIN, 0};
    const bool bytes = ::poll(&polled, 1, kLook_ms) > 0;
    const ssize_t got = bytes ? ::read(ends[0], block.data(), block.size()) : 0;
    if (bytes && got == 0) break;
    if (got > 0) run.out.append(block.data(), static_cast<size_t>(got));
    look();
    if (run.out.size() > most) {
      fault = absl::ResourceExhaustedError(absl::StrCat("its text has over ", most, " bytes"));
    }
  }
  ::close(ends[0]);
  // A program may close its output and keep running.
  int status = 0;
  while (fault.ok() && ::waitpid(child, &status, WNOHANG) == 0) {
    ::poll(nullptr, 0, kEnds_ms);
    look();
  }
  if (!fault.ok()) {
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return fault;
  }
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

}  // namespace

bool IsStageName(absl::string_view path) {
  for (const absl::string_view ending : {".usd", ".usda", ".usdc", ".usdz"}) {
    if (absl::EndsWithIgnoreCase(path, ending)) return true;
  }
  return false;
}

bool IsBinaryStage(absl::string_view bytes) {
  return absl::StartsWith(bytes, "PXR-USDC") || absl::StartsWith(bytes, "PK\x03\x04");
}

absl::StatusOr<std::string> ReadBinaryStage(const std::string& path, size_t most,
                                            const std::function<bool()>& stopped, double most_s) {
  const std::string file = absl::StartsWith(path, "-") ? absl::StrCat("./", path) : path;
  const std::vector<std::string> programs[] = {{"usdcat", "--flatten", file},
                                               {"python3", "-c", kScript, file}};
  for (const std::vector<std::string>& program : programs) {
    absl::StatusOr<std::optional<Run>> run = Start(program, most, stopped, most_s);
    if (!run.ok()) return run.status();
    const bool missing = !*run || (*run)->status == kNoModule || (*run)->status == 127;
    if (missing) continue;
    if ((*run)->status == 0) return std::move((*run)->out);
    return absl::InvalidArgumentError(
        absl::StrCat("OpenUSD cannot read it: ", program[0], " ended with ", (*run)->status));
  }
  return absl::UnimplementedError(
      "it is a binary USD file, which needs usdcat, or python3 with PyPI's usd-core, on the PATH; "
      "where there is OpenUSD, usdcat --flatten FILE -o FILE.usda makes text of it");
}

}  // namespace posewire::usd
