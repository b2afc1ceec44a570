#include "services/renderer_sink/stream/film_target.h"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/ffmpeg/process.h"
#include "services/renderer_sink/core/voice_line.h"

namespace posewire::renderer_sink {
namespace {

constexpr char kRtpScheme[] = "rtp://";
// Distance of the voice's port from the pictures'. Each has RTCP at the next port.
constexpr int kVoicePort = 2;
constexpr int kMostPort = 65535 - kVoicePort - 1;

// "HOST:PORT" of rtp://HOST:PORT; options behind it are not taken.
absl::StatusOr<int> RtpPort(absl::string_view address) {
  const size_t colon = address.rfind(':');
  int port = 0;
  if (colon > sizeof(kRtpScheme) - 1 && absl::SimpleAtoi(address.substr(colon + 1), &port) &&
      port >= 1 && port <= kMostPort) {
    return port;
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", address,
                                                 "\" must be rtp://HOST:PORT, with a port from 1 "
                                                 "to ",
                                                 kMostPort));
}

std::string RtpAddress(const std::string& address, int more) {
  const std::string host = address.substr(0, address.rfind(':'));
  return absl::StrCat(host, ":", *RtpPort(address) + more, "?pkt_size=1200");
}

}  // namespace

std::string FilmTarget::Shown() const {
  if (kind == kFile || kind == kRtp) return address;
  const size_t host = address.find("://") + 3;
  const size_t path = address.find_first_of("/?", host);
  const size_t at = address.substr(0, path).rfind('@');
  const size_t from = at == std::string::npos ? host : at + 1;
  return absl::StrCat(address.substr(0, host), address.substr(from, path - from),
                      path == std::string::npos ? "" : "/...");
}

absl::StatusOr<FilmTarget> ParseFilmTarget(absl::string_view text) {
  FilmTarget target{.address = std::string(text)};
  if (absl::StartsWith(text, kRtpScheme)) {
    target.kind = FilmTarget::kRtp;
    if (auto port = RtpPort(text); !port.ok()) return port.status();
    return target;
  }
  for (const auto& [scheme, kind] :
       {std::pair{"rtmp://", FilmTarget::kRtmp}, std::pair{"srt://", FilmTarget::kSrt}}) {
    target.kind = kind;
    if (absl::StartsWith(text, scheme)) return target;
  }
  target.kind = FilmTarget::kFile;
  if (absl::EndsWithIgnoreCase(text, ".mp4") && !absl::StrContains(text, "://")) return target;
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", target.Shown(),
      "\" is not a place for a film; give rtp://HOST:PORT, rtmp://..., srt://... or FILE.mp4"));
}

std::vector<std::string> FilmArguments(const FilmTarget& target, const FilmFormat& format) {
  // ffmpeg would otherwise read ahead for a while, to guess what it is told here.
  std::vector<std::string> out = {"-probesize", "32", "-analyzeduration", "0"};
  const auto add = [&out](std::initializer_list<std::string> words) {
    out.insert(out.end(), words.begin(), words.end());
  };
  const std::string rate = absl::StrCat(format.rate.num, "/", format.rate.den);
  for (std::string& word : ffmpeg::PictureInput(format.width, format.height, rate)) {
    out.push_back(std::move(word));
  }
  add({"-probesize", "32", "-analyzeduration", "0", "-f", "s16le", "-ar",
       absl::StrCat(VoiceLine::kRate_hz), "-ac", "1", "-i",
       absl::StrCat("pipe:", kVoiceDescriptor)});
  const auto add_pictures = [&] {
    // A new viewer waits two seconds at most.
    const auto group = static_cast<int>(std::lround(2 * format.rate.hz()));
    add({"-map", "0:v", "-c:v", "libx264", "-preset", "veryfast", "-tune", "zerolatency", "-crf",
         "22", "-maxrate", "4M", "-bufsize", "4M", "-g", absl::StrCat(group), "-pix_fmt",
         "yuv420p"});
  };
  const auto add_voice = [&] { add({"-map", "1:a", "-c:a", "aac", "-b:a", "128k"}); };
  add_pictures();
  if (target.kind == FilmTarget::kRtp) {
    // Otherwise each of the two would count from the time when ffmpeg opened it.
    const std::string begin =
        absl::StrCat(static_cast<int64_t>(std::llround(format.begin_s * 1e6)));
    // The SDP file needs the encoder's parameters, and players without it need them in the stream.
    add({"-flags:v", "+global_header", "-bsf:v", "dump_extra=freq=keyframe", "-start_time_realtime",
         begin, "-f", "rtp", RtpAddress(target.address, 0)});
    add_voice();
    // An encoder of AAC begins a moment before 0, and this muxer would move that to 0.
    add({"-start_time_realtime", begin, "-avoid_negative_ts", "disabled", "-f", "rtp",
         RtpAddress(target.address, kVoicePort)});
    if (!format.sdp.empty()) add({"-sdp_file", ffmpeg::FileName(format.sdp)});
    return out;
  }
  add_voice();
  if (target.kind == FilmTarget::kRtmp) {
    add({"-flvflags", "no_duration_filesize", "-f", "flv", target.address});
  } else if (target.kind == FilmTarget::kSrt) {
    add({"-muxdelay", "0", "-muxpreload", "0", "-f", "mpegts", target.address});
  } else {
    add({"-movflags", "+frag_keyframe+empty_moov+default_base_moof", "-f", "mp4",
         ffmpeg::FileName(target.address)});
  }
  return out;
}

}  // namespace posewire::renderer_sink
