#include "tools/animclip/forward_clip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "libs/clipio/open_clip.h"
#include "libs/skel/interpolate_keys.h"

namespace posewire::animclip {

absl::StatusOr<ForwardClip> ForwardClip::Open(const std::string& path, const ClipFacts& facts) {
  auto input = clipio::OpenClip(path);
  if (!input.ok()) return input.status();
  return ForwardClip(*std::move(input), facts);
}

ForwardClip::ForwardClip(std::unique_ptr<recording::ClipReader> input, const ClipFacts& facts)
    : input_(std::move(input)), header_(facts.header) {
  for (int t = 0; t < kTracks; ++t) {
    const TrackFacts& track =
        t < wire::kPoseTracks ? facts.pose[t] : facts.camera[t - wire::kPoseTracks];
    last_s_[static_cast<size_t>(t)] = track.keys > 0 ? track.last_s : -1;
  }
}

bool ForwardClip::Covers(double t_s) const {
  for (size_t t = 0; t < kTracks; ++t) {
    if (last_s_[t] < 0) continue;
    if (keys_[t].empty()) return false;
    // Requires the key after `t_s`, unless the track has no more.
    if (keys_[t].back().time_code_s <= t_s && keys_[t].back().time_code_s < last_s_[t])
      return false;
  }
  return true;
}

void ForwardClip::Take(const wire::DataChunk& data) {
  for (int t = 0; t < kTracks; ++t) {
    const wire::KeyBlock& block =
        t < wire::kPoseTracks ? data.pose[t] : data.camera[t - wire::kPoseTracks];
    for (size_t i = 0; i < block.time_codes_s.size(); ++i) {
      const auto values = block.key(i);
      keys_[static_cast<size_t>(t)].push_back(
          {block.time_codes_s[i], std::vector<float>(values.begin(), values.end())});
    }
  }
}

absl::Status ForwardClip::Advance(double t_s) {
  now_s_ = t_s;
  while (!ended_ && !Covers(t_s)) {
    const absl::StatusOr<std::optional<wire::Message>> message = input_->Next();
    if (!message.ok()) return message.status();
    if (!*message) {
      ended_ = true;
    } else if (const wire::DataChunk* const data = (*message)->data()) {
      Take(*data);
    }
  }
  for (auto& keys : keys_) {
    while (keys.size() > 1 && keys[1].time_code_s <= t_s) keys.pop_front();
  }
  return absl::OkStatus();
}

absl::Span<const float> ForwardClip::Sample(int track) {
  const auto t = static_cast<size_t>(track);
  const auto& keys = keys_[t];
  if (keys.empty()) return {};
  const Key& a = keys.front();
  if (keys.size() == 1 || now_s_ <= a.time_code_s) return a.values;
  const Key& b = keys[1];
  sample_[t].resize(a.values.size());
  const auto part = static_cast<float>((now_s_ - a.time_code_s) / (b.time_code_s - a.time_code_s));
  skel::InterpolateKeys(a.values, b.values, std::min(part, 1.0f), IsRotationTrack(track),
                        absl::MakeSpan(sample_[t]));
  return sample_[t];
}

double ForwardClip::NextCode(int track) const {
  for (const Key& key : keys_[static_cast<size_t>(track)]) {
    if (key.time_code_s > now_s_) return key.time_code_s;
  }
  return std::numeric_limits<double>::infinity();
}

double ForwardClip::KeyDistance(int track) const {
  double nearest_s = std::numeric_limits<double>::infinity();
  for (const Key& key : keys_[static_cast<size_t>(track)]) {
    nearest_s = std::min(nearest_s, std::fabs(key.time_code_s - now_s_));
    if (key.time_code_s > now_s_) break;
  }
  return nearest_s;
}

}  // namespace posewire::animclip
