#include "libs/recording/avatar_message.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/asset/prop_history.h"
#include "libs/recording/animdata_frames.h"
#include "libs/recording/chunk_record.h"
#include "libs/wire/chunk.h"
#include "libs/wire/edit_codes.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/props.h"

namespace posewire::recording {
namespace {

// Field 1002, of bytes.
constexpr absl::string_view kAvatarTag("\xd2\x3e", 2);
// Field 2, likewise: how a data message begins.
constexpr absl::string_view kDataTag("\x12", 1);

// Farther away, or turned farther, nothing is.
constexpr float kMost = 1e6f;

bool IsPlace(const asset::GroundPlace& place) {
  return std::abs(place.x_m) <= kMost && std::abs(place.z_m) <= kMost &&
         std::abs(place.turn_deg) <= kMost;
}

// From the space of a place to the world.
asset::RigidPlace OutOf(const asset::GroundPlace& from, const asset::RigidPlace& there) {
  const float half = from.turn_deg * 3.14159265f / 360;
  const skel::Quat turn{std::cos(half), 0, std::sin(half), 0};
  return {skel::Rotate(turn, there.at) + skel::Vec3{from.x_m, 0, from.z_m},
          skel::Mul(turn, there.turn)};
}

// Gathers the scene from the messages of a file.
class SceneGatherer {
 public:
  // Returns false if the file turns out to be of one avatar.
  absl::StatusOr<bool> Add(absl::string_view message) {
    AvatarMessage of_avatar;
    if (auto read = ReadAvatarMessage(message)) {
      of_avatar = *std::move(read);
      several_ = true;
    } else if (!several_ && (absl::StartsWith(message, kDataTag) || ++before_ > kMostBefore)) {
      return false;
    } else {
      of_avatar.message = std::string(message);
    }
    const std::optional<size_t> character = order_.CharacterOf(of_avatar);
    if (!character) return true;
    while (avatars_.size() <= *character) avatars_.emplace_back();
    Avatar& avatar = avatars_[*character];
    if (of_avatar.place) {
      avatar.moved = avatar.moved || (avatar.place && !(*avatar.place == *of_avatar.place));
      avatar.place = of_avatar.place;
    }
    if (of_avatar.message.empty()) return true;
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(of_avatar.message.data()), of_avatar.message.size()}};
    const absl::StatusOr<wire::Chunk> chunk = avatar.reader.Read(slices);
    // Faults are reported when the character is read.
    if (!chunk.ok()) return true;
    if (const auto* const header = std::get_if<wire::StreamHeader>(&*chunk)) {
      avatar.target = header->ids.target_object_id;
    } else if (const auto* const data = std::get_if<wire::DataChunk>(&*chunk)) {
      if (absl::Status s = AddData(*data, *character == 0); !s.ok()) return s;
    }
    return true;
  }

  asset::Scene Take() {
    asset::SceneNames names;
    for (size_t i = 0; i < avatars_.size() && several_; ++i) {
      const Avatar& avatar = avatars_[i];
      const std::string name =
          names.Take(avatar.target.empty() ? absl::StrCat("avatar ", i + 1) : avatar.target);
      scene_.characters.push_back({name, avatar.place.value_or(asset::GroundPlace{})});
      if (!avatar.moved) continue;
      scene_.warnings.push_back(absl::StrCat(
          name, " was placed elsewhere during the recording; it is where it was last"));
    }
    scene_.props = asset::PropsOver(props_);
    if (scene_.props.size() > wire::kMostProps) scene_.props.resize(wire::kMostProps);
    return std::move(scene_);
  }

 private:
  // A recorder writes the first place with the header; a file of one avatar may be endless.
  static constexpr int kMostBefore = 64;

  struct Avatar {
    wire::FrameReader reader{asset::FileLimits()};
    std::string target;
    std::optional<asset::GroundPlace> place;
    bool moved = false;
  };

  absl::Status AddData(const wire::DataChunk& data, bool lead) {
    const wire::ChunkTimes times = wire::TimesOf(data, 0);
    if (!times.empty()) scene_.last_s = std::max(scene_.last_s, times.latest_s);
    if (!lead) return absl::OkStatus();
    scene_.has_camera = scene_.has_camera || !data.camera[wire::kCameraPosition].empty();
    auto props = wire::PropsIn(data.metadata);
    const double at_s = times.empty() ? scene_.last_s : times.earliest_s;
    return props ? AddProps(at_s, *std::move(props)) : absl::OkStatus();
  }

  absl::Status AddProps(double at_s, std::vector<wire::Prop> props) {
    if ((places_ += props.size()) > asset::kMostPropPlaces) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the props have more than ", asset::kMostPropPlaces, " places"));
    }
    for (wire::Prop& prop : props) {
      const asset::RigidPlace place =
          OutOf(avatars_[0].place.value_or(asset::GroundPlace{}), {prop.position, prop.rotation});
      prop.position = place.at;
      prop.rotation = place.turn;
    }
    props_.emplace_back(at_s, std::move(props));
    return absl::OkStatus();
  }

  AvatarOrder order_;
  std::vector<Avatar> avatars_;  // by character
  bool several_ = false;
  int before_ = 0;  // messages before it was known
  asset::Scene scene_;
  std::vector<std::pair<double, std::vector<wire::Prop>>> props_;  // in the world
  size_t places_ = 0;                                              // in props_
};

}  // namespace

std::string WrapAvatarMessage(const AvatarMessage& message) {
  clip::v1::AvatarMessage out;
  out.set_avatar(message.avatar);
  out.set_message(message.message);
  if (message.place) {
    out.mutable_place()->set_x_m(static_cast<double>(message.place->x_m));
    out.mutable_place()->set_z_m(static_cast<double>(message.place->z_m));
    out.mutable_place()->set_turn_deg(static_cast<double>(message.place->turn_deg));
  }
  std::string wrapped(kAvatarTag);
  AppendVarint(out.ByteSizeLong(), &wrapped);
  out.AppendToString(&wrapped);
  return wrapped;
}

std::optional<AvatarMessage> ReadAvatarMessage(absl::string_view message) {
  if (!absl::StartsWith(message, kAvatarTag)) return std::nullopt;
  message.remove_prefix(kAvatarTag.size());
  const std::optional<Framing> framing = ReadFraming(message);
  if (!framing || framing->bytes() != message.size()) return std::nullopt;
  message.remove_prefix(framing->length_bytes);
  clip::v1::AvatarMessage read;
  if (!read.ParseFromArray(message.data(), static_cast<int>(message.size()))) return std::nullopt;
  AvatarMessage out{read.avatar(), std::move(*read.mutable_message()), std::nullopt};
  if (!read.has_place()) return out;
  const asset::GroundPlace place{static_cast<float>(read.place().x_m()),
                                 static_cast<float>(read.place().z_m()),
                                 static_cast<float>(read.place().turn_deg())};
  if (IsPlace(place)) out.place = place;
  return out;
}

std::optional<size_t> AvatarOrder::CharacterOf(const AvatarMessage& message) {
  const auto known = std::find(avatars_.begin(), avatars_.end(), message.avatar);
  if (known != avatars_.end()) return static_cast<size_t>(known - avatars_.begin());
  // Its first message is its header.
  if (message.message.empty() || avatars_.size() == asset::kMostCharacters) return std::nullopt;
  avatars_.push_back(message.avatar);
  return avatars_.size() - 1;
}

absl::StatusOr<asset::Scene> ReadAnimDataScene(std::unique_ptr<files::ByteSource> source,
                                               const asset::ReadOptions& options) {
  AnimDataFrames frames(std::move(source), options.limits.message_bytes);
  SceneGatherer scene;
  while (true) {
    const absl::StatusOr<bool> more = frames.Next();
    // Faults are reported when the clip is read.
    if (!more.ok() || !*more) return scene.Take();
    if (IsRecord(frames.message())) continue;
    const absl::StatusOr<bool> several = scene.Add(frames.message());
    if (!several.ok()) return several.status();
    if (!*several) return asset::Scene();
  }
}

}  // namespace posewire::recording
