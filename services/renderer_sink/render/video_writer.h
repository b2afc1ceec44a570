// Writes frames to a film, through the ffmpeg program.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_VIDEO_WRITER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_VIDEO_WRITER_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/ffmpeg/process.h"
#include "libs/render/painter.h"

namespace posewire::renderer_sink {

enum class VideoKind { kMp4, kGif };

struct VideoOptions {
  VideoKind kind = VideoKind::kMp4;
  int width = 0, height = 0;  // even, for MP4
  double rate_hz = 30;
  std::string wav;  // audio of an MP4, as the bytes of a WAV; "": none
};

// Pipes frames into ffmpeg, which writes to a temporary file next to the film; it is renamed when
// it is complete. One thread. SIGPIPE must be ignored.
class VideoWriter {
 public:
  // UNAVAILABLE, with how to get it, if there is no ffmpeg on the PATH. The audio is passed in a
  // memory file, whose errors are those of service::MakeMemoryFile.
  static absl::StatusOr<std::unique_ptr<VideoWriter>> Start(const std::string& path,
                                                            const VideoOptions& options);
  // Without Finish: ends ffmpeg and leaves no file.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  // UNAVAILABLE if ffmpeg has ended; its messages are on standard error.
  absl::Status Write(const render::Picture& frame);
  absl::Status Finish();

 private:
  VideoWriter() = default;

  std::string path_, part_;
  std::optional<ffmpeg::ChildProcess> ffmpeg_;
  int pipe_ = -1;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_VIDEO_WRITER_H_
