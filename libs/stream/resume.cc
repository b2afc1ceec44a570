#include "libs/stream/resume.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::stream {
namespace {

constexpr double kRounding_s = 1e-6;

// `visit(track, last code)` of each key block that has keys.
template <typename Visit>
void VisitBlocks(const wire::DataChunk& chunk, const Visit& visit) {
  size_t track = 0;
  const auto look = [&](const wire::KeyBlock& block) {
    if (!block.empty()) visit(track, block.codes_s.back());
    ++track;
  };
  for (const wire::KeyBlock& block : chunk.pose) look(block);
  for (const wire::KeyBlock& block : chunk.camera) look(block);
}

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

double HeldTracks::AudioEnd(const wire::AudioBuffer& audio) const {
  const double samples = static_cast<double>(audio.samples.size());
  return audio_rate_hz_ > 0 ? audio.code_s + samples / audio_rate_hz_ : audio.code_s;
}

void HeldTracks::Add(const wire::DataChunk& chunk) {
  VisitBlocks(chunk, [this](size_t track, double last_s) {
    held_s_[track] = std::max(held_s_[track], last_s);
  });
  if (chunk.audio) held_s_[kAudio] = std::max(held_s_[kAudio], AudioEnd(*chunk.audio));
}

bool HeldTracks::Has(const wire::DataChunk& chunk) const {
  bool any = false, all = true;
  VisitBlocks(chunk, [&](size_t track, double last_s) {
    any = true;
    all = all && last_s <= held_s_[track];
  });
  if (chunk.audio) {
    any = true;
    all = all && AudioEnd(*chunk.audio) <= held_s_[kAudio] + kRounding_s;
  }
  return any && all;
}

double HeldTracks::held_s() const {
  double held_s = std::numeric_limits<double>::infinity();
  for (const double track_s : held_s_) {
    if (track_s != kNothing_s) held_s = std::min(held_s, track_s);
  }
  return held_s == std::numeric_limits<double>::infinity() ? -1 : held_s;
}

}  // namespace posewire::stream
