#include "services/renderer_sink/render/video_writer.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/service/memory_file.h"

extern char** environ;  // NOLINT: as POSIX has it

namespace posewire::renderer_sink {
namespace {

// Where the child finds the voice.
constexpr int kVoiceFd = 3;
constexpr char kVoiceInput[] = "pipe:3";

// A file's name as ffmpeg takes it whatever is in it: 12:30.mp4 would be one of a protocol.
std::string NameOf(const std::string& path) { return absl::StrCat("file:", path); }

std::vector<std::string> Arguments(const VideoOptions& options, const std::string& part) {
  std::vector<std::string> out = {"ffmpeg",     "-y",
                                  "-v",         "error",
                                  "-f",         "rawvideo",
                                  "-pix_fmt",   "rgb24",
                                  "-s",         absl::StrCat(options.width, "x", options.height),
                                  "-framerate", absl::StrFormat("%.6f", options.rate_hz),
                                  "-i",         "pipe:0"};
  const auto add = [&](std::initializer_list<const char*> more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  if (options.kind == VideoKind::kGif) {
    add({"-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse", "-f",
         "gif"});
  } else {
    if (!options.wav.empty()) {
      add({"-f", "wav", "-i", kVoiceInput, "-c:a", "aac", "-b:a", "128k"});
    }
    add({"-c:v", "libx264", "-crf", "18", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-movflags",
         "+faststart", "-f", "mp4"});
  }
  out.push_back(NameOf(part));
  return out;
}

// Starts ffmpeg with `input` as its standard input and the voice at kVoiceFd; 0, or the error's
// number. This process blocks and ignores signals (service::Process), which a child would inherit:
// then SIGTERM could not end it. In a group of its own it does not get the terminal's Ctrl-C, which
// is for us to answer.
int Spawn(int input, int voice, char* const* argv, pid_t* child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, voice, kVoiceFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

absl::StatusOr<std::unique_ptr<VideoWriter>> VideoWriter::Start(const std::string& path,
                                                                const VideoOptions& options) {
  std::unique_ptr<VideoWriter> out(new VideoWriter);
  out->path_ = path;
  out->part_ = path + ".part";
  absl::StatusOr<service::FileHandle> voice = service::MakeMemoryFile(options.wav);
  if (!voice.ok()) return voice.status();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::UnavailableError(absl::StrCat("no pipe to ffmpeg: ", std::strerror(errno)));
  }
  std::vector<std::string> words = Arguments(options, out->part_);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = Spawn(ends[0], voice->get(), argv.data(), &out->child_);
  close(ends[0]);
  out->pipe_ = ends[1];
  if (error == 0) return out;
  out->child_ = -1;
  if (error == ENOENT) {
    return absl::UnavailableError(
        absl::StrCat(path,
                     ": films need the ffmpeg program, which is not installed (Debian: "
                     "apt-get install ffmpeg); a .png needs none"));
  }
  return absl::UnavailableError(absl::StrCat("ffmpeg cannot be started: ", std::strerror(error)));
}

VideoWriter::~VideoWriter() {
  if (pipe_ >= 0) close(pipe_);
  if (child_ < 0) return;
  kill(child_, SIGTERM);
  (void)Wait();
  std::remove(part_.c_str());
}

absl::Status VideoWriter::Write(const render::Picture& frame) {
  size_t done = 0;
  while (done < frame.rgb.size()) {
    const ssize_t n = write(pipe_, frame.rgb.data() + done, frame.rgb.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return absl::UnavailableError(
          absl::StrCat(path_, ": ffmpeg takes no more frames: ", std::strerror(errno)));
    }
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::Status VideoWriter::Wait() {
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path_, ": ffmpeg failed; its words are above"));
}

absl::Status VideoWriter::Finish() {
  close(pipe_);
  pipe_ = -1;
  if (absl::Status s = Wait(); !s.ok()) {
    std::remove(part_.c_str());
    return s;
  }
  if (std::rename(part_.c_str(), path_.c_str()) == 0) return absl::OkStatus();
  const std::string why = std::strerror(errno);
  std::remove(part_.c_str());
  return absl::UnavailableError(absl::StrCat(path_, ": cannot be written: ", why));
}

}  // namespace posewire::renderer_sink
