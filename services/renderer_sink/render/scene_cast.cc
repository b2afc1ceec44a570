#include "services/renderer_sink/render/scene_cast.h"

#include <cmath>
#include <map>
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

constexpr float kFar_m = 1e4f;

// Without folder and extension.
std::string NameOfFile(const std::string& path) {
  const size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  return path.substr(name, clipio::StemLength(path) - name);
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
  float first = 0;
  const bool meant = !parts.empty() && absl::SimpleAtof(parts[0], &first);
  out.file = std::string(placed ? text.substr(0, at) : text);
  if (placed) out.place = {numbers[0], numbers[1], numbers[2]};
  if (!out.file.empty() && (placed || !meant)) return out;
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", text,
      "\" is not of the form FILE, FILE@X,Z or FILE@X,Z,DEGREES, in metres up "
      "to ",
      kFar_m, ", such as ", out.file.empty() ? "take.bvh" : text.substr(0, at), "@1.5,0"));
}

SceneCast::SceneCast(const DrawSettings& draw, service::Logger log)
    : log_(std::move(log)),
      subdivide_(draw.subdivide),
      outside_skel_root_(draw.outside_skel_root),
      companions_([this](const std::string& who, const std::string& why) {
        log_.Warning("not all of the character is subdivided", {{"character", who}, {"why", why}});
      }) {}

absl::StatusOr<std::unique_ptr<SceneCast>> SceneCast::Open(const std::string& path,
                                                           const std::vector<std::string>& with,
                                                           const DrawSettings& draw,
                                                           const skel::RigCatalog& catalog,
                                                           service::Logger log) {
  clipio::OpenOptions open;
  open.outside_skel_root = draw.outside_skel_root;
  absl::StatusOr<asset::Scene> scene = clipio::OpenScene(path, open);
  if (!scene.ok()) return scene.status();
  const bool several = scene->characters.size() > 1;
  if (!several && with.empty()) return nullptr;
  std::unique_ptr<SceneCast> out(new SceneCast(draw, std::move(log)));
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
  // One file is read once, however many it shows.
  std::map<std::string, std::shared_ptr<const character::Character>> opened;
  const auto add = [&](const std::string& file, const std::string& name, const Affine& place,
                       std::optional<size_t> number) {
    const std::string who = shown_by(name);
    std::shared_ptr<const character::Character>& character = opened[who];
    if (character == nullptr) {
      auto read = character_file::OpenCharacter(who, catalog,
                                                {.outside_skel_root = draw.outside_skel_root});
      if (!read.ok()) return read.status();
      character = *std::move(read);
    }
    Other& other = out->others_.emplace_back();
    other.character = character;
    other.file = file;
    other.number = number;
    other.place = place;
    if (number) other.bounds = all[*number].bounds;
    return absl::OkStatus();
  };
  for (size_t i = 1; i < all.size(); ++i) {
    const Affine place = FromTo(all[i].place, all[0].place);
    if (absl::Status s = add(path, all[i].name, place, i); !s.ok()) return s;
  }
  for (const std::string& text : with) {
    const absl::StatusOr<PlacedClip> clip = ParsePlacedClip(text);
    if (!clip.ok()) return clip.status();
    const absl::Status s =
        add(clip->file, NameOfFile(clip->file), FromTo(clip->place, {}), std::nullopt);
    if (!s.ok()) return s;
  }
  return out;
}

absl::Status SceneCast::Read(const skel::RigCatalog& catalog, const timecode::FrameRate& rate) {
  rate_ = rate;
  for (Other& other : others_) {
    const auto& rig = other.character->rig;
    clipio::OpenOptions open;
    open.outside_skel_root = outside_skel_root_;
    open.character = other.number;
    auto source = ReadClipSource(other.file, rig, catalog, rate, open);
    if (!source.ok()) return source.status();
    other.source = *std::move(source);
    other.pose = skel::Pose(rig->joints(), rig->shapes());
  }
  return absl::OkStatus();
}

absl::Status SceneCast::OpenOffsets(const std::vector<OffsetsAt>& found) {
  for (Other& other : others_) {
    const auto without = [&](const absl::Status& why) {
      log_.Warning("a character of the scene is drawn without offsets",
                   {{"character", other.character->name}, {"why", why.message()}});
    };
    const auto files = FilesOf(other.character, found);
    if (!files.ok()) {
      without(files.status());
      continue;
    }
    auto opened = ClipOffsets::Open(*files);
    if (!opened.ok()) return opened.status();
    if (other.source.contributions.empty()) {
      wire::Contribution& whole = other.itself.contributions.emplace_back();
      whole.clip = other.source.clip->name();
      whole.clip_hash = other.source.clip->content_hash();
      whole.weight = 1;
      if (absl::Status s = (*opened)->CheckHas(other.file, whole.clip_hash); !s.ok()) {
        without(s);
        continue;
      }
    }
    other.offsets = *std::move(opened);
  }
  return absl::OkStatus();
}

void SceneCast::Light(render::Painter& painter) const {
  render::KeyLight light;
  light.way = skel::TransformVector(asset::Into(scene_.characters[0].place), light.way);
  painter.SetLight(light);
}

void SceneCast::SetLead(ClipSource& lead) {
  for (Other& other : others_) {
    const bool known = lead.begins_s != 0 && other.source.begins_s != 0;
    // The time codes of a scene are of one time line.
    if (of_scene() && other.number) {
      other.later_s = other.source.first_s - lead.first_s;
    } else if (known) {
      other.later_s = other.source.begins_s - lead.begins_s;
    }
    MixVoice(other.source, other.later_s, lead);
  }
}

absl::Status SceneCast::PoseAt(double t_s, render::Painter& painter, bool drawn) {
  static const wire::Contributions none;
  std::vector<Companions::Member> members;
  for (Other& other : others_) {
    const double own_s = t_s - other.later_s;
    other.source.clip->Sample(own_s, other.pose.span());
    // The lead reports choices that do not exist.
    members.push_back({.id = static_cast<int>(members.size()),
                       .character = other.character,
                       .look = &look_,
                       .at_s = t_s,
                       .pose = other.pose.view(),
                       .place = other.place,
                       .subdivide = subdivide_});
    if (other.offsets == nullptr || !drawn) continue;
    const wire::Contributions* seen = &other.itself;
    if (other.source.contributions.empty()) {
      other.itself.contributions.front().time_s = own_s;
    } else if ((seen = LastBy(own_s, rate_, other.source.contributions)) == nullptr) {
      seen = &none;
    }
    const auto offsets = other.offsets->Of(other.pose.view(), *seen);
    if (!offsets.ok()) return offsets.status();
    members.back().offsets = *offsets;
  }
  return companions_.Show(members, painter, drawn);
}

render::Camera SceneCast::SeesAll(const character::Character& lead, double turn_deg,
                                  float aspect) const {
  std::vector<InPicture> all = {{{}, HeightOf(lead), scene_.characters[0].bounds}};
  for (const Other& other : others_) {
    all.push_back({other.place, HeightOf(*other.character), other.bounds});
  }
  return renderer_sink::SeesAll(all, turn_deg - scene_.characters[0].place.turn_deg, aspect);
}

}  // namespace posewire::renderer_sink
