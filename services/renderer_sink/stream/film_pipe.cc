#include "services/renderer_sink/stream/film_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/client/connection.h"
#include "services/renderer_sink/stream/film_target.h"

namespace posewire::renderer_sink {
namespace {

constexpr size_t kMostWords = 2000;
// Size of a pipe; the system may provide less.
constexpr int kPipeBytes = 1 << 20;
// For the rest of a film, and for ffmpeg's end: by itself, and after SIGTERM.
constexpr double kRest_s = 2, kEnd_s = 3, kTerm_s = 1;

struct Pipe {
  files::Descriptor from, to;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == 0) {
    return Pipe{files::Descriptor(ends[0]), files::Descriptor(ends[1])};
  }
  return absl::UnavailableError(absl::StrCat("no pipe to ffmpeg: ", std::strerror(errno)));
}

// Returns the bytes written; 0: not writable now. Errors show when ffmpeg ends.
size_t Give(int fd, absl::Span<const uint8_t> bytes) {
  const ssize_t n = write(fd, bytes.data(), bytes.size());
  return n < 0 ? 0 : static_cast<size_t>(n);
}

int Milliseconds(double seconds) {
  return static_cast<int>(std::ceil(std::clamp(seconds, 0.0, 60.0) * 1000));
}

}  // namespace

absl::StatusOr<FilmPipe> FilmPipe::Start(std::vector<std::string> arguments) {
  Pipe pipes[3];
  for (Pipe& pipe : pipes) {
    auto made = MakePipe();
    if (!made.ok()) return made.status();
    pipe = *std::move(made);
  }
  auto& [pictures, voice, words] = pipes;
  auto process =
      ffmpeg::ChildProcess::Start(std::move(arguments), {{pictures.from.get(), STDIN_FILENO},
                                                         {words.to.get(), STDERR_FILENO},
                                                         {voice.from.get(), kVoiceDescriptor}});
  if (!process.ok()) return process.status();
  for (const int fd : {pictures.to.get(), voice.to.get(), words.from.get()}) {
    fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  fcntl(pictures.to.get(), F_SETPIPE_SZ, kPipeBytes);
  return FilmPipe(*std::move(process), std::move(pictures.to), std::move(voice.to),
                  std::move(words.from));
}

bool FilmPipe::Hear() {
  char buffer[1024];
  for (;;) {
    const ssize_t n = read(words_.get(), buffer, sizeof(buffer));
    if (n < 0) return true;  // no more for now
    if (n == 0) return false;
    last_words_.append(buffer, static_cast<size_t>(n));
    if (last_words_.size() > kMostWords) last_words_.erase(0, last_words_.size() - kMostWords);
  }
}

absl::Status FilmPipe::Words(absl::string_view what) const {
  const absl::string_view words = absl::StripAsciiWhitespace(last_words_);
  return absl::UnavailableError(
      absl::StrCat(what, words.empty() ? "" : ": ", absl::StrReplaceAll(words, {{"\n", "; "}})));
}

absl::Status FilmPipe::Pump(FilmQueue& queue, double wait_s) {
  const double until_s = client::SteadySeconds() + wait_s;
  for (;;) {
    const double now_s = client::SteadySeconds();
    if (queue.empty() || taken_s_ == 0) taken_s_ = now_s;
    if (now_s - taken_s_ > kPatience_s) return Words("ffmpeg has stopped reading");
    pollfd polled[3] = {{words_.get(), POLLIN, 0},
                        {queue.picture().empty() ? -1 : pictures_.get(), POLLOUT, 0},
                        {queue.voice().empty() ? -1 : voice_.get(), POLLOUT, 0}};
    if (poll(polled, 3, Milliseconds(until_s - now_s)) <= 0) return absl::OkStatus();
    if (polled[0].revents != 0 && !Hear()) {
      (void)ffmpeg_.Wait();
      return Words("ffmpeg has ended");
    }
    size_t taken = 0;
    if (polled[1].revents != 0) {
      taken = Give(pictures_.get(), queue.picture());
      queue.TakePicture(taken);
    }
    if (polled[2].revents != 0) {
      const size_t bytes = Give(voice_.get(), queue.voice());
      queue.TakeVoice(bytes);
      taken += bytes;
    }
    if (taken > 0) taken_s_ = now_s;
    const bool broken = ((polled[1].revents | polled[2].revents) & POLLERR) != 0;
    if (broken)
      return HearUntilEnd(now_s + kEnd_s) ? Words("ffmpeg has ended")
                                          : Words("ffmpeg has closed its input");
  }
}

bool FilmPipe::HearUntilEnd(double until_s) {
  for (;;) {
    pollfd polled{words_.get(), POLLIN, 0};
    if (poll(&polled, 1, Milliseconds(until_s - client::SteadySeconds())) <= 0) return false;
    if (!Hear()) return true;
  }
}

absl::Status FilmPipe::Finish(FilmQueue& queue) {
  const double rest_s = client::SteadySeconds() + kRest_s;
  while (!queue.empty() && client::SteadySeconds() < rest_s) {
    if (absl::Status s = Pump(queue, 0.02); !s.ok()) return s;
  }
  pictures_ = files::Descriptor();
  voice_ = files::Descriptor();
  if (HearUntilEnd(client::SteadySeconds() + kEnd_s)) {
    return ffmpeg_.Wait() ? absl::OkStatus() : Words("ffmpeg failed");
  }
  ffmpeg_.Kill(SIGTERM);
  const bool ended = HearUntilEnd(client::SteadySeconds() + kTerm_s);
  if (!ended) ffmpeg_.Kill(SIGKILL);
  (void)ffmpeg_.Wait();
  return Words("ffmpeg did not end in time");
}

}  // namespace posewire::renderer_sink
