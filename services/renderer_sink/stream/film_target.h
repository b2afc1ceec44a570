// Where a live film goes, and what ffmpeg is told to bring it there.
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

  // The same without what may be a secret: a password, the key of an RTMP stream, SRT's options.
  std::string Shown() const;
};

// "rtp://HOST:PORT", "rtmp://...", "srt://...", or a path that ends in .mp4; else INVALID_ARGUMENT.
absl::StatusOr<FilmTarget> ParseFilmTarget(absl::string_view text);

struct FilmFormat {
  int width = 640, height = 360;  // even
  timecode::FrameRate rate{25, 1};
  std::string sdp;  // file that says to players what comes by RTP; "": none
  // Unix time of the film's beginning: what RTP's pictures and voice are brought together by.
  double begin_s = 0;
};

// Descriptor at which ffmpeg finds the voice: mono, 16 bit, at VoiceLine::kRate_hz. The pictures
// come on its standard input.
inline constexpr int kVoiceDescriptor = 3;

// H.264 and AAC. A film for a file is written so that it can be played up to where it breaks off;
// `target.address` is then the file's name. By RTP the voice goes to the port behind the next.
std::vector<std::string> FilmArguments(const FilmTarget& target, const FilmFormat& format);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_TARGET_H_
