// A film on its way into ffmpeg: two pipes that are never waited for, and ffmpeg's own words.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_PIPE_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_PIPE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/ffmpeg/process.h"
#include "libs/files/descriptor.h"
#include "services/renderer_sink/core/film_queue.h"

namespace posewire::renderer_sink {

// Pictures on its standard input, the voice at kVoiceDescriptor. One thread at a time. SIGPIPE must
// be ignored.
class FilmPipe {
 public:
  // Errors: of ffmpeg::Process, and UNAVAILABLE without pipes.
  static absl::StatusOr<FilmPipe> Start(std::vector<std::string> arguments);
  FilmPipe() = default;  // into nothing

  // Gives to ffmpeg what it takes of the queue, for up to `wait_s`. UNAVAILABLE, with ffmpeg's last
  // words, when it has ended, or took nothing for kPatience_s though something waited.
  absl::Status Pump(FilmQueue& queue, double wait_s);
  // Gives it the rest, and waits until it has ended by itself; one that does not is made to, so
  // that all takes 6 seconds at most. UNAVAILABLE with its last words when it did not end well.
  absl::Status Finish(FilmQueue& queue);

  static constexpr double kPatience_s = 10;

 private:
  FilmPipe(ffmpeg::Process process, files::Descriptor pictures, files::Descriptor voice,
           files::Descriptor words)
      : ffmpeg_(std::move(process)),
        pictures_(std::move(pictures)),
        voice_(std::move(voice)),
        words_(std::move(words)) {}
  // False: it has ended.
  bool Hear();
  bool HearUntilEnd(double until_s);
  absl::Status Words(absl::string_view what) const;

  ffmpeg::Process ffmpeg_;
  files::Descriptor pictures_, voice_, words_;
  std::string last_words_;
  double taken_s_ = 0;  // when it took something last, or nothing waited
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_PIPE_H_
