#include "services/renderer_sink/view/film_maker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/files/read.h"
#include "libs/program/child.h"

namespace posewire::renderer_sink {
namespace {

constexpr uint64_t kMostFilm_bytes = uint64_t{256} << 20, kMostLog_bytes = 1 << 20;
constexpr std::chrono::seconds kMostTime{FilmMaker::kMost_s};
constexpr std::chrono::milliseconds kLookEvery{20};
constexpr int kNice = 5;

std::string TemporaryFolder() {
  const char* folder = ::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

// A temporary folder that is removed with its contents.
class Scratch {
 public:
  Scratch() : path_(absl::StrCat(TemporaryFolder(), "/posewire-film-XXXXXX")) {
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~Scratch() {
    std::error_code none;
    if (ok()) std::filesystem::remove_all(path_, none);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  bool ok() const { return !path_.empty(); }
  std::string File(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

 private:
  std::string path_;
};

// Returns the last error in the child's log: error="..." of its last line.
std::string LastError(const std::string& log_path) {
  const absl::StatusOr<std::string> log = files::ReadWhole(log_path, kMostLog_bytes);
  const std::string mark = "error=\"";
  const size_t at = log.ok() ? log->rfind(mark) : std::string::npos;
  if (at == std::string::npos) return "renderer_sink render failed";
  const size_t begin = at + mark.size();
  return log->substr(begin, log->find("\"\n", begin) - begin);
}

}  // namespace

bool FilmMaker::CanMake() {
  if (::access(TemporaryFolder().c_str(), W_OK) != 0) return false;
  const char* path = ::getenv("PATH");
  for (const absl::string_view folder : absl::StrSplit(path == nullptr ? "" : path, ':')) {
    if (::access(absl::StrCat(folder, "/ffmpeg").c_str(), X_OK) == 0) return true;
  }
  return false;
}

absl::StatusOr<std::string> FilmMaker::Make(absl::string_view clip, const std::string& who,
                                            const std::string& props, bool subdivide) const {
  const Scratch scratch;
  if (!scratch.ok()) {
    return absl::UnavailableError(absl::StrCat("no temporary folder can be made in ",
                                               TemporaryFolder(), ": ", std::strerror(errno)));
  }
  const std::string take = scratch.File("take.animdata"), film = scratch.File("film.mp4");
  const std::string log = scratch.File("log");
  if (absl::Status s = files::WriteWhole(take, clip); !s.ok()) return s;
  std::vector<std::string> words = {
      "/proc/self/exe", "render", take,          film,   "--avatar", who.empty() ? "woman" : who,
      "--log-format",   "text",   "--log-level", "error"};
  if (!props.empty()) words.insert(words.end(), {"--props", props});
  if (subdivide) words.push_back("--subdivide");
  const auto [error, child] = program::StartChild(
      std::move(words),
      {{.its = STDIN_FILENO, .path = "/dev/null"},
       {.its = STDOUT_FILENO, .path = "/dev/null", .flags = O_WRONLY},
       {.its = STDERR_FILENO, .path = log.c_str(), .flags = O_WRONLY | O_CREAT}},
      /*own_group=*/true);
  if (error != 0) return absl::UnavailableError("renderer_sink render cannot be started");
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(child), kNice);
  const auto end = std::chrono::steady_clock::now() + kMostTime;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const bool late = std::chrono::steady_clock::now() > end;
    if (!stopped_ && !late) {
      std::this_thread::sleep_for(kLookEvery);
      continue;
    }
    // Its ffmpeg has a group of its own, and ends when the pictures do.
    ::kill(-child, SIGKILL);
    ::waitpid(child, &status, 0);
    if (stopped_) return absl::CancelledError("the server is stopping");
    return absl::DeadlineExceededError("the film was not drawn within 10 minutes");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return absl::InternalError(LastError(log));
  }
  return files::ReadWhole(film, kMostFilm_bytes);
}

}  // namespace posewire::renderer_sink
