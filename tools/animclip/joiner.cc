#include "tools/animclip/joiner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose_mapper.h"
#include "libs/timecode/audio_position.h"
#include "tools/animclip/clip_time.h"
#include "tools/animclip/key_between.h"
#include "tools/animclip/rig_choice.h"
#include "tools/animclip/track_fields.h"

namespace posewire::animclip {
namespace {

namespace pb = nvidia_ace::animation_data::v1;

// Readers treat audio that starts within this time after the previous audio as its continuation.
constexpr double kContiguous_s = 0.02;
// The distance between clips without a frame rate.
constexpr double kUnratedStep_s = 1 / 30.0;

std::vector<std::string> Leaves(const std::vector<std::string>& paths) {
  std::vector<std::string> leaves;
  for (const std::string& path : paths) {
    leaves.push_back(absl::AsciiStrToLower(skel::LastPathElement(path)));
  }
  return leaves;
}

skel::PoseMapper MapJoints(const std::vector<std::string>& from,
                           const std::vector<std::string>& to) {
  return skel::PoseMapper::ByPath(from, to);
}

skel::PoseMapper MapShapes(const std::vector<std::string>& from,
                           const std::vector<std::string>& to) {
  return skel::PoseMapper::ByPath(Leaves(from), Leaves(to));
}

using Mapping = skel::PoseMapper (*)(const std::vector<std::string>&,
                                     const std::vector<std::string>&);

void AddMissing(const std::vector<std::string>& names, Mapping map, std::vector<std::string>* all) {
  const skel::PoseMapper places = map(names, *all);
  for (size_t i = 0; i < names.size(); ++i) {
    if (places.TargetOf(static_cast<int>(i)) < 0) all->push_back(names[i]);
  }
}

std::vector<int> PlacesIn(const std::vector<std::string>& all,
                          const std::vector<std::string>& names, Mapping map) {
  const skel::PoseMapper places = map(names, all);
  std::vector<int> out;
  for (size_t i = 0; i < names.size(); ++i) out.push_back(places.TargetOf(static_cast<int>(i)));
  return out;
}

// Moves the keys' values to their positions among `count`. `rest` returns the values of all other
// positions.
template <typename Keys, typename Rest>
void Spread(const std::vector<int>& places, size_t count, Rest rest, Keys* keys) {
  for (auto& key : *keys) {
    auto values = std::move(*key.mutable_values());
    key.clear_values();
    for (size_t i = 0; i < count; ++i) key.mutable_values()->Add(rest(i));
    for (int i = 0; i < values.size(); ++i) {
      (*key.mutable_values())[places[static_cast<size_t>(i)]] = values[i];
    }
  }
}

pb::Float3 ToFloat3(const skel::Vec3& v) {
  pb::Float3 out;
  out.set_x(v.x), out.set_y(v.y), out.set_z(v.z);
  return out;
}

double FirstKey(const ClipFacts& facts) {
  double first = std::numeric_limits<double>::infinity();
  for (const TrackFacts& t : facts.pose) first = t.keys > 0 ? std::min(first, t.first_s) : first;
  return std::isfinite(first) ? first : facts.start_s;
}

double LastKey(const ClipFacts& facts) {
  double last = facts.start_s;
  for (const TrackFacts& t : facts.pose) last = t.keys > 0 ? std::max(last, t.last_s) : last;
  for (const TrackFacts& t : facts.camera) last = t.keys > 0 ? std::max(last, t.last_s) : last;
  return last;
}

}  // namespace

absl::StatusOr<Joiner> Joiner::Make(absl::Span<const ClipFacts> clips, std::optional<double> gap_s,
                                    const std::string& rig) {
  Joiner joiner(clips, gap_s);
  for (const ClipFacts& clip : clips) {
    AddMissing(clip.header.joints, MapJoints, &joiner.joints_);
    AddMissing(clip.header.shapes, MapShapes, &joiner.shapes_);
    if (clip.audio.samples == 0) continue;
    const int rate_hz = *clip.header.audio_rate_hz;
    if (joiner.audio_rate_hz_ != 0 && joiner.audio_rate_hz_ != rate_hz) {
      return absl::InvalidArgumentError(absl::StrCat("voices of ", joiner.audio_rate_hz_, " and ",
                                                     rate_hz, " Hz cannot be one stream"));
    }
    joiner.audio_rate_hz_ = rate_hz;
  }
  if (absl::Status s = joiner.FindRest(rig); !s.ok()) return s;
  return joiner;
}

Joiner::Joiner(absl::Span<const ClipFacts> clips, std::optional<double> gap_s)
    : clips_(clips), rate_(RateOf(clips[0])), gap_s_(gap_s) {}

absl::Status Joiner::FindRest(const std::string& rig_name) {
  wire::StreamHeader names;
  names.joints = joints_;
  const auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto rig = ChooseRig(rig_name, names, *catalog);
  if (!rig.ok()) return rig.status();
  std::vector<skel::PathIndex> of_clips(clips_.size());
  for (size_t c = 0; c < clips_.size(); ++c) {
    for (const std::string& path : clips_[c].header.joints) of_clips[c].Add(path);
  }
  for (const std::string& path : joints_) {
    const int j = (*rig)->FindJoint(path);
    const bool everywhere =
        std::all_of(of_clips.begin(), of_clips.end(),
                    [&](const skel::PathIndex& clip) { return clip.Find(path).index >= 0; });
    if (j < 0 && !everywhere) {
      return absl::InvalidArgumentError(
          absl::StrCat("joint \"", path, "\" is in some of the clips only, and rig ",
                       (*rig)->name(), " does not say how it is at rest"));
    }
    rest_at_.push_back(j < 0 ? skel::Vec3{} : (*rig)->rest().translation(j));
    rest_turn_.push_back(j < 0 ? skel::Quat{} : (*rig)->rest().rotation(j));
  }
  return absl::OkStatus();
}

void Joiner::ChangeHeader(pb::AnimationDataStreamHeader& header) const {
  auto& names = *header.mutable_skel_animation_header();
  names.mutable_joints()->Assign(joints_.begin(), joints_.end());
  names.mutable_blend_shapes()->Assign(shapes_.begin(), shapes_.end());
  if (audio_rate_hz_ == 0) return;
  header.mutable_audio_header()->set_channel_count(1);
  header.mutable_audio_header()->set_bits_per_sample(16);
  header.mutable_audio_header()->set_samples_per_second(static_cast<uint32_t>(audio_rate_hz_));
}

void Joiner::Next() {
  const ClipFacts& clip = clips_[next_];
  joint_places_ = PlacesIn(joints_, clip.header.joints, MapJoints);
  shape_places_ = PlacesIn(shapes_, clip.header.shapes, MapShapes);
  const double first_s = FirstKey(clip);
  if (next_ == 0) {
    start_s_ = first_s;
  } else if (gap_s_) {
    start_s_ = end_s_ + *gap_s_;
  } else if (rate_) {
    const auto sound = static_cast<int64_t>(std::ceil(end_s_ * rate_->hz() - 1e-3));
    start_s_ = rate_->SecondsAt(std::max(rate_->NearestTick(keys_end_s_) + 1, sound));
  } else {
    start_s_ = end_s_ + kUnratedStep_s;
  }
  offset_s_ = start_s_ - first_s;
  keys_end_s_ = LastKey(clip) + offset_s_;
  end_s_ = clip.end_s + offset_s_;
  ++next_;
}

double Joiner::Moved(double time_code_s) const {
  if (offset_s_ == 0) return time_code_s;
  const double moved_s = std::max(0.0, time_code_s + offset_s_);
  if (!rate_) return moved_s;
  const double tick_s = rate_->SecondsAt(rate_->NearestTick(moved_s));
  return std::fabs(tick_s - moved_s) < kSameInstant_s ? tick_s : moved_s;
}

// Fills a short pause with silence, because readers would close it.
void Joiner::PlaceAudio(pb::AudioWithTimeCode& audio) {
  const double rate_hz = audio_rate_hz_;
  double time_code_s = std::max(0.0, audio.time_code() + offset_s_);
  const int64_t pause = timecode::SampleAt(time_code_s, audio_rate_hz_) - sound_end_;
  if (sound_end_ > 0 && pause > 0 && static_cast<double>(pause) < kContiguous_s * rate_hz) {
    audio.mutable_audio_buffer()->insert(0, static_cast<size_t>(2 * pause), '\0');
    time_code_s = static_cast<double>(sound_end_) / rate_hz;
  }
  audio.set_time_code(time_code_s);
  sound_end_ = std::max(sound_end_, timecode::SampleAt(time_code_s, audio_rate_hz_) +
                                        static_cast<int64_t>(audio.audio_buffer().size() / 2));
}

void Joiner::Place(Message& message) {
  pb::AnimationData& data = *message.mutable_animation_data();
  EditTracks(data, [&](auto, auto& keys) {
    for (auto& key : keys) key.set_time_code(Moved(key.time_code()));
  });
  if (data.has_skel_animation()) {
    pb::SkelAnimation& skel = *data.mutable_skel_animation();
    const size_t shapes = shapes_.size(), joints = joints_.size();
    const auto at_rest = [&](size_t i) { return ToFloat3(rest_at_[i]); };
    const auto turned_as_at_rest = [&](size_t i) { return FromQuat(rest_turn_[i]); };
    const auto one = [](size_t) { return ToFloat3({1, 1, 1}); };
    const auto zero = [](size_t) { return 0.0f; };
    Spread(shape_places_, shapes, zero, skel.mutable_blend_shape_weights());
    Spread(joint_places_, joints, at_rest, skel.mutable_translations());
    Spread(joint_places_, joints, turned_as_at_rest, skel.mutable_rotations());
    Spread(joint_places_, joints, one, skel.mutable_scales());
  }
  if (data.has_audio()) PlaceAudio(*data.mutable_audio());
}

}  // namespace posewire::animclip
