// The destination of a live film, and ffmpeg's arguments for it.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_TARGET_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::renderer_sink {

struct FilmTarget {
  enum Kind { kFile, kRtp, kRtmp, kSrt };
  Kind kind = kFile;
  std::string address;  // the path of a file

  // Returns the target without secrets: a password, the key of an RTMP stream, SRT's options.
  std::string Shown() const;
};

// Parses "rtp://HOST:PORT", "rtmp://...", "srt://...", or a path that ends in .mp4; otherwise
// INVALID_ARGUMENT.
absl::StatusOr<FilmTarget> ParseFilmTarget(absl::string_view text);

struct FilmFormat {
  int width = 640, height = 360;  // even
  timecode::FrameRate rate{25, 1};
  std::string sdp;  // file that describes the RTP streams for players; "": none
  // Unix time of the film's beginning, by which RTP pictures and audio are synchronised.
  double begin_s = 0;
};

// Descriptor from which ffmpeg reads the audio: mono, 16 bit, at VoiceLine::kRate_hz. It reads the
// pictures from its standard input.
inline constexpr int kVoiceDescriptor = 3;

// Returns arguments for H.264 and AAC. A film file is written so that it can be played up to an
// interruption; `target.address` is then the file's name. With RTP, the audio goes to the port
// after the next.
std::vector<std::string> FilmArguments(const FilmTarget& target, const FilmFormat& format);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_TARGET_H_
