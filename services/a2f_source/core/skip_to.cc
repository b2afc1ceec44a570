#include "services/a2f_source/core/skip_to.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/open_clip.h"
#include "libs/timecode/key_spacing.h"
#include "libs/timecode/smpte.h"
#include "libs/wire/edit_codes.h"
#include "services/a2f_source/core/split_message.h"

namespace posewire::a2f_source {
namespace {

// Time codes closer than this are the same instant.
constexpr double kSame_s = 1e-6;
// A track without keys for this long has ended. Other tracks soon have another key.
constexpr double kSilent_s = 0.5;

template <typename Chunk, typename Use>
void ForBlocks(Chunk& a, const wire::DataChunk& b, Use use) {
  for (size_t t = 0; t < wire::kPoseTracks; ++t) use(a.pose[t], b.pose[t]);
  for (size_t t = 0; t < wire::kCameraTracks; ++t) use(a.camera[t], b.camera[t]);
}

}  // namespace

void SkipTo::Hold(const wire::DataChunk& before) {
  ForBlocks(held_, before, [](wire::KeyBlock& held, const wire::KeyBlock& block) {
    if (block.empty()) return;
    const auto last = block.key(block.time_codes_s.size() - 1);
    held = {block.width, {block.time_codes_s.back()}, {last.begin(), last.end()}};
  });
}

void SkipTo::AddHeld(wire::DataChunk& first) const {
  ForBlocks(first, held_, [this](wire::KeyBlock& block, const wire::KeyBlock& held) {
    if (!block.empty() || held.empty() || held.time_codes_s[0] > from_s_ - kSilent_s) return;
    block = {held.width, {from_s_}, held.values};
  });
}

bool SkipTo::Cut(wire::Message& message) {
  if (message.data() == nullptr) return true;
  if (!began_ || wire::TimesOf(*message.data(), 0).earliest_s < from_s_ - kSame_s) {
    wire::DataChunk before = std::get<wire::DataChunk>(std::move(message.chunk));
    wire::DataChunk rest = TakeFrom(from_s_ - kSame_s, audio_rate_hz_, before);
    Hold(before);
    if (wire::TimesOf(rest, audio_rate_hz_).empty()) return false;
    rest.metadata = std::move(before.metadata);
    if (!std::exchange(began_, true)) AddHeld(rest);
    message = wire::MakeMessage(std::move(rest));
  }
  message = wire::ShiftCodes(std::move(message), -from_s_);
  return true;
}

absl::StatusOr<double> TimeInClip(absl::string_view text, const std::string& path,
                                  absl::FunctionRef<bool()> stopped,
                                  const std::optional<timecode::FrameRate>& fps) {
  std::array<timecode::KeySpacing, wire::kPoseTracks> tracks;
  if (absl::StrContains(text, ':')) {
    if (path == "-") {
      return absl::InvalidArgumentError(
          "a time code needs the clip to be read twice, which standard input cannot be; give "
          "seconds");
    }
    clipio::OpenOptions read;
    read.fps = fps;
    auto reader = clipio::OpenClip(path, read);
    if (!reader.ok()) return reader.status();
    while (true) {
      if (stopped()) return absl::CancelledError("told to stop");
      const auto message = (*reader)->Next();
      if (!message.ok()) return message.status();
      if (!*message) break;
      const wire::DataChunk* const data = (*message)->data();
      for (size_t t = 0; data != nullptr && t < tracks.size(); ++t) {
        for (const double time_code_s : data->pose[t].time_codes_s) tracks[t].Add(time_code_s);
      }
    }
  }
  const auto longest = std::max_element(
      tracks.begin(), tracks.end(), [](const auto& a, const auto& b) { return a.keys < b.keys; });
  const absl::StatusOr<double> time_s = timecode::ParseTime(text, longest->Rate());
  if (time_s.ok() && *time_s < 0) {
    return absl::InvalidArgumentError(absl::StrCat("time \"", text, "\" is before 0"));
  }
  return time_s;
}

}  // namespace posewire::a2f_source
