// Feeds a film to ffmpeg through two non-blocking pipes, and reads its messages.
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

// Pictures go to its standard input, the audio to kVoiceDescriptor. One thread at a time. SIGPIPE
// must be ignored.
class FilmPipe {
 public:
  // Errors: those of ffmpeg::ChildProcess, and UNAVAILABLE if there are no pipes.
  static absl::StatusOr<FilmPipe> Start(std::vector<std::string> arguments);
  FilmPipe() = default;  // discards everything

  // Writes as much of the queue as ffmpeg takes, for up to `wait_s`. UNAVAILABLE, with ffmpeg's
  // last messages, if it has ended, or took nothing for kPatience_s although data was queued.
  absl::Status Pump(FilmQueue& queue, double wait_s);
  // Writes the rest, and waits until ffmpeg ends by itself; otherwise it is killed, so that this
  // takes 6 seconds at most. UNAVAILABLE, with its last messages, if it failed.
  absl::Status Finish(FilmQueue& queue);

  static constexpr double kPatience_s = 10;

 private:
  FilmPipe(ffmpeg::ChildProcess process, files::Descriptor pictures, files::Descriptor voice,
           files::Descriptor words)
      : ffmpeg_(std::move(process)),
        pictures_(std::move(pictures)),
        voice_(std::move(voice)),
        words_(std::move(words)) {}
  // Returns false if it has ended.
  bool Hear();
  bool HearUntilEnd(double until_s);
  absl::Status Words(absl::string_view what) const;

  ffmpeg::ChildProcess ffmpeg_;
  files::Descriptor pictures_, voice_, words_;
  std::string last_words_;
  double taken_s_ = 0;  // when it last took something, or nothing was queued
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_PIPE_H_
