#include "services/renderer_sink/render/video_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/service/memory_file.h"

namespace posewire::renderer_sink {
namespace {

// The child's descriptor of the voice.
constexpr int kVoiceFd = 3;
constexpr char kVoiceInput[] = "pipe:3";

std::vector<std::string> Arguments(const VideoOptions& options, const std::string& part) {
  std::vector<std::string> out =
      ffmpeg::PictureInput(options.width, options.height, absl::StrFormat("%.6f", options.rate_hz));
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
  out.push_back(ffmpeg::FileName(part));
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<VideoWriter>> VideoWriter::Start(const std::string& path,
                                                                const VideoOptions& options) {
  std::unique_ptr<VideoWriter> out(new VideoWriter);
  out->path_ = path;
  out->part_ = path + ".part";
  absl::StatusOr<files::Descriptor> voice = service::MakeMemoryFile(options.wav);
  if (!voice.ok()) return voice.status();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::UnavailableError(absl::StrCat("no pipe to ffmpeg: ", std::strerror(errno)));
  }
  auto process = ffmpeg::ChildProcess::Start(Arguments(options, out->part_),
                                             {{ends[0], STDIN_FILENO}, {voice->get(), kVoiceFd}});
  close(ends[0]);
  out->pipe_ = ends[1];
  if (!process.ok()) {
    return absl::Status(
        process.status().code(),
        absl::StrCat(path, ": ", process.status().message(), "; a .png needs none"));
  }
  out->ffmpeg_ = *std::move(process);
  return out;
}

VideoWriter::~VideoWriter() {
  if (pipe_ >= 0) close(pipe_);
  if (!ffmpeg_) return;
  ffmpeg_.reset();
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

absl::Status VideoWriter::Finish() {
  close(pipe_);
  pipe_ = -1;
  const bool whole = ffmpeg_->Wait();
  ffmpeg_.reset();
  if (!whole) {
    std::remove(part_.c_str());
    return absl::UnavailableError(absl::StrCat(path_, ": ffmpeg failed; its messages are above"));
  }
  if (std::rename(part_.c_str(), path_.c_str()) == 0) return absl::OkStatus();
  const std::string why = std::strerror(errno);
  std::remove(part_.c_str());
  return absl::UnavailableError(absl::StrCat(path_, ": cannot be written: ", why));
}

}  // namespace posewire::renderer_sink
