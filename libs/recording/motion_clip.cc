#include "libs/recording/motion_clip.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "libs/recording/voice_beside.h"
#include "nvidia_ace.animation_data.v1.pb.h"

namespace posewire::recording {
namespace {

namespace ace = nvidia_ace::animation_data::v1;

void Set(absl::Span<const float> v, ace::Float3& to) {
  to.set_x(v[0]), to.set_y(v[1]), to.set_z(v[2]);
}
void Set(absl::Span<const float> q, ace::QuatF& to) {
  to.set_real(q[0]), to.set_i(q[1]), to.set_j(q[2]), to.set_k(q[3]);
}

// A key of each joint, of `width` numbers.
template <typename Keys>
void AddJoints(const wire::KeyBlock& block, size_t width, Keys& to) {
  if (block.empty()) return;
  auto& key = *to.Add();
  key.set_time_code(block.codes_s[0]);
  const absl::Span<const float> values = block.values;
  for (size_t i = 0; i < values.size(); i += width)
    Set(values.subspan(i, width), *key.add_values());
}

template <typename Keys>
void AddPlace(const wire::KeyBlock& block, Keys& to) {
  if (block.empty()) return;
  auto& key = *to.Add();
  key.set_time_code(block.codes_s[0]);
  Set(block.values, *key.mutable_value());
}

template <typename Keys>
void AddNumber(const wire::KeyBlock& block, Keys& to) {
  if (block.empty()) return;
  auto& key = *to.Add();
  key.set_time_code(block.codes_s[0]);
  key.set_value(block.values[0]);
}

bool AnyKeys(absl::Span<const wire::KeyBlock> blocks) {
  for (const wire::KeyBlock& block : blocks) {
    if (!block.empty()) return true;
  }
  return false;
}

void AddKeys(const wire::DataChunk& keys, ace::AnimationData& out) {
  if (AnyKeys(keys.camera)) {
    auto& camera = *out.mutable_camera();
    AddPlace(keys.camera[wire::kCameraPosition], *camera.mutable_position());
    AddPlace(keys.camera[wire::kCameraRotation], *camera.mutable_rotation());
    AddNumber(keys.camera[wire::kFocalLength], *camera.mutable_focal_length());
    AddNumber(keys.camera[wire::kFocusDistance], *camera.mutable_focus_distance());
  }
  if (!AnyKeys(keys.pose)) return;
  auto& pose = *out.mutable_skel_animation();
  if (const wire::KeyBlock& weights = keys.pose[wire::kWeights]; !weights.empty()) {
    auto& key = *pose.add_blend_shape_weights();
    key.set_time_code(weights.codes_s[0]);
    key.mutable_values()->Add(weights.values.begin(), weights.values.end());
  }
  AddJoints(keys.pose[wire::kTranslations], 3, *pose.mutable_translations());
  AddJoints(keys.pose[wire::kRotations], 4, *pose.mutable_rotations());
  AddJoints(keys.pose[wire::kScales], 3, *pose.mutable_scales());
}

class MotionClip : public ClipReader {
 public:
  explicit MotionClip(std::unique_ptr<asset::MotionReader> motion) : motion_(std::move(motion)) {}

  std::string place_of_last() const override { return motion_->place(); }
  int64_t size() const override { return motion_->size(); }
  std::shared_ptr<const skel::Rig> skeleton() const override { return motion_->skeleton(); }
  double unit_m() const override { return motion_->unit_m(); }
  bool moves_nodes() const override { return motion_->moves_nodes(); }
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    for (const std::string& doubt : motion_->doubts()) {
      all.push_back(absl::StrCat(motion_->name(), ": ", doubt));
    }
    all.insert(all.end(), warnings_.begin(), warnings_.end());
    return all;
  }

  absl::StatusOr<std::optional<asset::NamedVoice>> Voice() {
    absl::StatusOr<std::optional<asset::NamedVoice>> voice = motion_->Voice();
    return voice.ok() ? std::move(voice) : Named(voice.status());
  }

 private:
  enum class Part { kHeader, kKeys, kEnd };

  absl::StatusOr<std::optional<Message>> DoNext() override {
    absl::StatusOr<std::optional<Message>> message = Make();
    end_of_last_ = motion_->offset();
    return message.ok() ? std::move(message) : Named(message.status());
  }

  absl::StatusOr<std::optional<Message>> Make() {
    if (part_ == Part::kEnd) return std::nullopt;
    Message message;
    if (part_ == Part::kHeader) {
      part_ = Part::kKeys;
      const absl::StatusOr<asset::MotionNames> names = motion_->Start();
      if (!names.ok()) return names.status();
      auto& header =
          *message.mutable_animation_data_stream_header()->mutable_skel_animation_header();
      for (const std::string& joint : names->joints) header.add_joints(joint);
      for (const std::string& shape : names->shapes) header.add_blend_shapes(shape);
      return message;
    }
    wire::DataChunk keys;
    const absl::StatusOr<bool> any = motion_->Next(&keys);
    if (!any.ok()) return any.status();
    if (*any) {
      AddKeys(keys, *message.mutable_animation_data());
      return message;
    }
    part_ = Part::kEnd;
    message.mutable_status()->set_code(nvidia_ace::status::v1::Status::SUCCESS);
    return message;
  }

  absl::Status Named(const absl::Status& s) const {
    if (absl::StartsWith(s.message(), motion_->name())) return s;
    return absl::Status(s.code(), absl::StrCat(motion_->name(), ": ", s.message()));
  }

  const std::unique_ptr<asset::MotionReader> motion_;
  Part part_ = Part::kHeader;
};

}  // namespace

std::unique_ptr<ClipReader> MessagesOf(std::unique_ptr<asset::MotionReader> motion) {
  auto clip = std::make_unique<MotionClip>(std::move(motion));
  MotionClip* const of = clip.get();
  return WithNamedVoice(std::move(clip), [of] { return of->Voice(); });
}

}  // namespace posewire::recording
