#include "libs/usd/usdcat.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace posewire::usd {
namespace {

constexpr int kNoModule = 42;  // what the script below ends with
// With -c, Python would look for pxr in the working folder first and run whatever lies there.
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
  int status = 0;  // as a shell has it
  std::string out;
};

// What a program writes, and how it ended; nothing if there is no such program.
absl::StatusOr<std::optional<Run>> Start(std::vector<std::string> words, size_t most) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::UnavailableError("no pipe can be had");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Run run;
  bool over = false;
  std::vector<char> block(64 << 10);
  while (error == 0 && !over) {
    const ssize_t got = ::read(ends[0], block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    run.out.append(block.data(), static_cast<size_t>(got));
    over = run.out.size() > most;
  }
  ::close(ends[0]);
  if (error != 0) return std::optional<Run>();
  if (over) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (over) return absl::ResourceExhaustedError(absl::StrCat("its text has over ", most, " bytes"));
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

absl::StatusOr<std::string> ReadBinaryStage(const std::string& path, size_t most) {
  const std::string file = absl::StartsWith(path, "-") ? absl::StrCat("./", path) : path;
  const std::vector<std::string> programs[] = {{"usdcat", "--flatten", file},
                                               {"python3", "-c", kScript, file}};
  for (const std::vector<std::string>& program : programs) {
    absl::StatusOr<std::optional<Run>> run = Start(program, most);
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
