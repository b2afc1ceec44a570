#include "libs/stream/resume.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/wire/message.h"

namespace posewire::stream {
namespace {

constexpr double kRounding_s = 1e-6;

}  // namespace

absl::Status CheckSameHeader(const wire::StreamHeader& first, const wire::StreamHeader& now) {
  const auto differs = [](absl::string_view field) {
    return absl::InvalidArgumentError(
        absl::StrCat("a resumed push must begin with the header of the push that broke off; ",
                     field, " differs"));
  };
  if (first.shapes != now.shapes) return differs("skel_animation_header.blend_shapes");
  if (first.joints != now.joints) return differs("skel_animation_header.joints");
  if (first.audio_rate_hz != now.audio_rate_hz) return differs("audio_header");
  if (first.source_service_id != now.source_service_id) return differs("source_service_id");
  return absl::OkStatus();
}

void HeldTracks::Add(const wire::DataChunk& chunk) {
  wire::EachTrack(chunk, [this](size_t track, const wire::KeyBlock& keys) {
    held_s_[track] = std::max(held_s_[track], keys.time_codes_s.back());
  });
  if (!chunk.audio) return;
  held_s_[kAudio] = std::max(held_s_[kAudio], wire::EndOf(*chunk.audio, audio_rate_hz_));
}

bool HeldTracks::Has(const wire::DataChunk& chunk) const {
  bool any = false, all = true;
  wire::EachTrack(chunk, [&](size_t track, const wire::KeyBlock& keys) {
    any = true;
    all = all && keys.time_codes_s.back() <= held_s_[track];
  });
  if (chunk.audio) {
    any = true;
    all = all && wire::EndOf(*chunk.audio, audio_rate_hz_) <= held_s_[kAudio] + kRounding_s;
  }
  return any && all;
}

double HeldTracks::received_until_s() const {
  double received_until_s = std::numeric_limits<double>::infinity();
  for (const double track_s : held_s_) {
    if (track_s != kNothing_s) received_until_s = std::min(received_until_s, track_s);
  }
  return received_until_s == std::numeric_limits<double>::infinity() ? -1 : received_until_s;
}

}  // namespace posewire::stream
