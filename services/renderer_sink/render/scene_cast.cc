#include "services/renderer_sink/render/scene_cast.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/mesh/extent.h"
#include "libs/wire/appearance.h"

namespace posewire::renderer_sink {
namespace {

using skel::Affine;
using skel::Vec3;

// Room for arms on both sides of those in the picture, and above and below the tallest.
constexpr float kFar_m = 1e4f;
constexpr float kRoomForArms_m = 0.9f, kOfHeight = 1.25f;
// A camera that sees all does not follow motion farther from a character's place.
constexpr float kFarthestSeen_m = 5;

// Without folder and extension.
std::string NameOfFile(const std::string& path) {
  const size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  return path.substr(name, clipio::StemLength(path) - name);
}

Affine OutOf(const asset::GroundPlace& place) {
  return skel::Inverse(asset::Into(place)).value_or(Affine{});
}

}  // namespace

absl::StatusOr<PlacedClip> ParsePlacedClip(absl::string_view text) {
  PlacedClip out;
  const size_t at = text.rfind('@');
  const std::vector<std::string> parts =
      at == absl::string_view::npos
          ? std::vector<std::string>()
          : std::vector<std::string>(absl::StrSplit(text.substr(at + 1), ','));
  float numbers[3] = {};
  bool placed = parts.size() == 2 || parts.size() == 3;
  for (size_t i = 0; placed && i < parts.size(); ++i) {
    placed = absl::SimpleAtof(parts[i], &numbers[i]) && std::fabs(numbers[i]) <= kFar_m;
  }
  out.file = std::string(placed ? text.substr(0, at) : text);
  out.place = {numbers[0], numbers[1], numbers[2]};
  if (!placed) out.place = {};
  if (!out.file.empty()) return out;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not of the form FILE or FILE@X,Z,DEGREES"));
}

absl::StatusOr<std::unique_ptr<SceneCast>> SceneCast::Open(const std::string& path,
                                                           const std::vector<std::string>& with,
                                                           const DrawSettings& draw,
                                                           const skel::RigCatalog& catalog,
                                                           const timecode::FrameRate& rate) {
  clipio::OpenOptions open;
  open.outside_skel_root = draw.outside_skel_root;
  absl::StatusOr<asset::Scene> scene = clipio::OpenScene(path, open);
  if (!scene.ok()) return scene.status();
  const bool several = scene->characters.size() > 1;
  if (!several && with.empty()) return nullptr;
  std::unique_ptr<SceneCast> out(new SceneCast());
  const AvatarChoice avatars = draw.Avatars();
  if (several) {
    out->scene_ = *std::move(scene);
  } else {
    out->scene_.characters.emplace_back();
  }
  const std::vector<asset::SceneCharacter>& all = out->scene_.characters;
  // A character that its own scene shows is that character alone.
  const auto shown_by = [&](const std::string& name) {
    const std::string& who = avatars.Of("", name);
    return several && who == path ? character_file::OneOf(who, name) : who;
  };
  out->lead_ = shown_by(all[0].name);
  if (auto look = wire::ParseLook(draw.look); look.ok()) out->look_ = *std::move(look);
  const auto add = [&](const std::string& file, const std::string& name, const Affine& place,
                       std::optional<size_t> character) {
    auto who = character_file::OpenCharacter(shown_by(name), catalog,
                                             {.outside_skel_root = draw.outside_skel_root});
    if (!who.ok()) return who.status();
    const auto& rig = (*who)->rig;
    open.character = character;
    auto source = ReadClipSource(file, rig, catalog, rate, open);
    if (!source.ok()) return source.status();
    out->others_.push_back({*std::move(who), *std::move(source), 0, place,
                            skel::Pose(rig->joints(), rig->shapes()),
                            character ? all[*character].bounds : asset::Bounds{}});
    return absl::OkStatus();
  };
  const Affine into_lead = asset::Into(all[0].place);
  for (size_t i = 1; i < all.size(); ++i) {
    const Affine place = skel::Mul(OutOf(all[i].place), into_lead);
    if (absl::Status s = add(path, all[i].name, place, i); !s.ok()) return s;
  }
  for (const std::string& text : with) {
    const absl::StatusOr<PlacedClip> clip = ParsePlacedClip(text);
    if (!clip.ok()) return clip.status();
    const absl::Status s =
        add(clip->file, NameOfFile(clip->file), OutOf(clip->place), std::nullopt);
    if (!s.ok()) return s;
  }
  return out;
}

void SceneCast::Light(render::Painter& painter) const {
  render::KeyLight light;
  light.way = skel::TransformVector(asset::Into(scene_.characters[0].place), light.way);
  painter.SetLight(light);
}

void SceneCast::SetLead(ClipSource& lead) {
  for (Other& other : others_) {
    const bool known = lead.begins_s != 0 && other.source.begins_s != 0;
    if (known && !of_scene()) other.later_s = other.source.begins_s - lead.begins_s;
    MixVoice(other.source, other.later_s, lead);
  }
}

absl::Status SceneCast::PoseAt(double t_s, render::Painter& painter, bool drawn) {
  std::vector<size_t>& numbers = numbers_[&painter];
  while (numbers.size() < others_.size()) {
    const absl::StatusOr<size_t> number = painter.AddCompanion(others_[numbers.size()].character);
    if (!number.ok()) return number.status();
    for (const auto& [part, choice] : look_) {
      // The lead reports choices that do not exist.
      (void)painter.ChooseOfCompanion(*number, part, choice);
    }
    numbers.push_back(*number);
  }
  for (size_t i = 0; i < others_.size(); ++i) {
    Other& other = others_[i];
    other.source.clip->Sample(t_s - other.later_s, other.pose.span());
    const absl::Status s =
        painter.PoseCompanion(numbers[i], t_s, other.pose.view(), other.place, drawn);
    if (!s.ok()) return s;
  }
  return absl::OkStatus();
}

render::Camera SceneCast::SeesAll(const character::Character& lead, double turn_deg,
                                  float aspect) const {
  const float turn = (static_cast<float>(turn_deg) - scene_.characters[0].place.turn_deg) *
                     std::numbers::pi_v<float> / 180;
  const Vec3 back{std::sin(turn), 0, std::cos(turn)}, right{back.z, 0, -back.x};
  const auto height_of = [](const character::Character& c) {
    return c.framing.extent.high.y - c.framing.extent.low.y;
  };
  float tall = height_of(lead), low = 0, high = 0;
  Vec3 sum;
  const auto include = [&](const Affine& place, const asset::Bounds& moves) {
    const float at = skel::Dot(place.row[3], right);
    low = std::min(low, at - kRoomForArms_m), high = std::max(high, at + kRoomForArms_m);
    sum = sum + place.row[3];
    if (!moves.any) return;
    const mesh::Extent box = mesh::Transformed({moves.low, moves.high}, place);
    for (const float x : {box.low.x, box.high.x}) {
      for (const float z : {box.low.z, box.high.z}) {
        const float across = skel::Dot(Vec3{x, 0, z}, right);
        low = std::min(low, std::max(across, at - kFarthestSeen_m));
        high = std::max(high, std::min(across, at + kFarthestSeen_m));
      }
    }
    tall = std::max(tall, std::min(moves.high.y, kFarthestSeen_m));
  };
  include({}, scene_.characters[0].bounds);
  for (const Other& other : others_) {
    include(other.place, other.bounds);
    tall = std::max(tall, height_of(*other.character));
  }
  const Vec3 mean = sum * (1 / static_cast<float>(others_.size() + 1));
  render::Camera camera;
  camera.target = right * ((low + high) / 2) + back * skel::Dot(mean, back);
  camera.target.y = 0.52f * tall;
  camera.height_m = std::max(kOfHeight * tall, (high - low) / aspect);
  const float far = camera.height_m / 2 / std::tan(camera.view_rad / 2);
  camera.eye = camera.target + back * far + Vec3{0, 0.04f * far, 0};
  return camera;
}

}  // namespace posewire::renderer_sink
