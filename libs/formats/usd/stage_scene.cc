#include "libs/formats/usd/stage_scene.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/formats/usd/camera.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/extents.h"
#include "libs/formats/usd/shapes.h"
#include "libs/skel/body.h"

namespace posewire::usd {
namespace {

using asset::RigidPlace;
using skel::Affine;
using skel::Vec3;

std::shared_ptr<const skel::Rig> RestOf(const Skeleton& skeleton) {
  skel::RigParts parts;
  for (size_t j = 0; j < skeleton.names.size() && j < skeleton.rest.size(); ++j) {
    parts.joint_paths.push_back(skeleton.names[j]);
    parts.rest_translations.push_back(skeleton.rest[j].translation);
    parts.rest_rotations.push_back(skeleton.rest[j].rotation);
  }
  return skel::RestRig(std::move(parts));
}

// Returns the transform of a prim from our axes and units into themselves: that of the stage,
// without the rotation from its up axis, so that an upright prim stays upright.
Affine InOurSpace(const Stage& stage, int prim, double time) {
  const Affine back = skel::Inverse(stage.to_our_space()).value_or(Affine{});
  return skel::Mul(skel::Mul(back, stage.ToStage(prim, time)), stage.to_our_space());
}

class PropFinder {
 public:
  PropFinder(const Stage& stage, StageScene& out) : stage_(stage), out_(out) {
    const size_t count = stage.nodes().size();
    keeps_out_.resize(count), has_shape_.resize(count), moves_.resize(count),
        moves_below_.resize(count);
    for (size_t i = count; i-- > 0;) {
      const Stage::Node& node = stage.nodes()[i];
      if (!node.defined) continue;
      const std::string& type = node.prim->type;
      keeps_out_[i] = keeps_out_[i] || type == "SkelRoot" || type == "Skeleton" ||
                      type == "SkelAnimation" || type == "Camera" || type == "SpatialAudio" ||
                      absl::EndsWith(type, "Light");
      has_shape_[i] = has_shape_[i] || HasSurface(type);
      moves_[i] = HasOwnTimes(static_cast<int>(i));
      if (node.parent < 0) continue;
      const auto above = static_cast<size_t>(node.parent);
      keeps_out_[above] = keeps_out_[above] || keeps_out_[i];
      has_shape_[above] = has_shape_[above] || has_shape_[i];
      moves_below_[above] = moves_below_[above] || moves_[i] || moves_below_[i];
    }
  }

  absl::Status Find() {
    // A prim's children follow it, so `inside_` of the parent is known.
    std::vector<bool> inside(stage_.nodes().size(), false);
    for (size_t i = 0; i < stage_.nodes().size(); ++i) {
      const Stage::Node& node = stage_.nodes()[i];
      const bool above = node.parent >= 0 && inside[static_cast<size_t>(node.parent)];
      inside[i] =
          above || !node.defined || node.prim->type == "SkelRoot" || node.prim->type == "Skeleton";
      if (inside[i] || keeps_out_[i] || moves_below_[i]) continue;
      const auto prim = static_cast<int>(i);
      const bool said = !stage_.Text(prim, kShapeAttribute).empty();
      if (!has_shape_[i] && !said && !moves_[i]) continue;
      const bool placed = !stage_.Texts(prim, "xformOpOrder").empty();
      if (!said && !placed && !HasSurface(node.prim->type)) continue;
      inside[i] = true;
      if (!IsShown(stage_, prim)) continue;
      if (absl::Status s = Add(prim, said); !s.ok()) return s;
    }
    if (!scenery_.empty()) {
      out_.scene.warnings.push_back(absl::StrCat(
          scenery_.size(),
          " shapes that do not move are scenery, and are not sent: ", asset::FirstFew(scenery_),
          " (an attribute ", kShapeAttribute, " in the file makes one a prop)"));
    }
    if (!left_out_.empty()) {
      out_.scene.warnings.push_back(absl::StrCat("a scene has at most ", wire::kMostProps,
                                                 " props; left out: ", asset::FirstFew(left_out_)));
    }
    return absl::OkStatus();
  }

 private:
  bool HasOwnTimes(int prim) const {
    for (absl::string_view name : stage_.Texts(prim, "xformOpOrder")) {
      absl::ConsumePrefix(&name, "!invert!");
      if (stage_.Times(prim, name).size() > 1) return true;
    }
    return false;
  }

  double Seconds(double time) const { return (time + out_.shift) / stage_.time_codes_per_second(); }

  // In our space; without the scale, which is part of the size.
  RigidPlace PlaceAt(int prim, double time) const {
    const skel::Trs place = skel::Decompose(InOurSpace(stage_, prim, time));
    return {place.translation, place.rotation};
  }

  asset::Bounds BoundsOf(int prim) const {
    asset::Bounds out;
    const RigidPlace frame = PlaceAt(prim, kEarliest);
    const skel::Quat back = skel::Conjugate(frame.turn);
    for (size_t i = static_cast<size_t>(prim); i < stage_.nodes().size(); ++i) {
      const auto below = static_cast<int>(i);
      if (!IsBelow(stage_, below, prim)) break;
      if (!HasSurface(stage_.prim(below).type) || !IsShown(stage_, below)) continue;
      const absl::StatusOr<Surface> surface = ReadSurface(stage_, below);
      if (!surface.ok()) continue;  // reported when the file is drawn
      const Affine to_ours = skel::Mul(stage_.ToStage(below, kEarliest), stage_.to_our_space());
      for (const Vec3 p : surface->points) {
        out.Add(skel::Rotate(back, skel::TransformPoint(to_ours, p) - frame.at));
      }
    }
    return out;
  }

  // Adds the places at the prim's own keys, and between those that differ.
  absl::Status AddPlaces(int prim, Vec3 origin, asset::SceneProp& prop) {
    std::vector<double> times;
    stage_.AddTimesOfPlace(prim, times);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto add = [&](double time) {
      RigidPlace place = PlaceAt(prim, time);
      place.at = place.at + skel::Rotate(place.turn, origin);
      place.turn = skel::Normalized(place.turn);
      const skel::Quat q = place.turn;
      const skel::Vec3 t = place.at;
      if (!std::isfinite(t.x + t.y + t.z + q.w + q.x + q.y + q.z)) return;
      prop.times_s.push_back(time == kEarliest ? 0 : std::max(Seconds(time), 0.0));
      prop.places.push_back(place);
    };
    if (times.size() < 2) {
      add(times.empty() ? kEarliest : times[0]);
      if (!prop.times_s.empty()) prop.times_s[0] = 0;
      return absl::OkStatus();
    }
    const auto all = asset::PlaceTimes(
        times, stage_.time_codes_per_second(), [&](double time) { return PlaceAt(prim, time); },
        stage_.path(prim), places_);
    if (!all.ok()) return all.status();
    for (const double time : *all) add(time);
    return absl::OkStatus();
  }

  absl::Status Add(int prim, bool said) {
    const std::string& name = stage_.prim(prim).name;
    asset::SceneProp prop;
    prop.shape =
        said ? asset::ValidText(stage_.Text(prim, kShapeAttribute)) : asset::ShapeOfName(name);
    std::vector<double> times;
    stage_.AddTimesOfPlace(prim, times);
    if (prop.shape.empty() && times.size() < 2) {
      scenery_.push_back(stage_.path(prim));
      return absl::OkStatus();
    }
    if (out_.scene.props.size() == wire::kMostProps) {
      left_out_.push_back(stage_.path(prim));
      return absl::OkStatus();
    }
    if (prop.shape.empty()) prop.shape = asset::SceneNames().Take(name);
    asset::Bounds bounds = BoundsOf(prim);
    if (const std::vector<double> size = stage_.Numbers(prim, kSizeAttribute); size.size() == 3) {
      bounds = {};
      prop.size = {static_cast<float>(size[0]), static_cast<float>(size[1]),
                   static_cast<float>(size[2])};
      if (prop.size.x > 0 && prop.size.y > 0 && prop.size.z > 0) {
        if (absl::Status s = AddPlaces(prim, {}, prop); !s.ok()) return s;
        return Take(std::move(prop), prim);
      }
    }
    const Vec3 origin = asset::FitShape(prop.shape, said, bounds, &prop.size);
    if (absl::Status s = AddPlaces(prim, origin, prop); !s.ok()) return s;
    return Take(std::move(prop), prim);
  }

  absl::Status Take(asset::SceneProp prop, int prim) {
    if (!(std::max({prop.size.x, prop.size.y, prop.size.z}) <= asset::kMostPropSize_m) ||
        prop.places.empty()) {
      scenery_.push_back(stage_.path(prim));
      return absl::OkStatus();
    }
    prop.name = names_.Take(stage_.prim(prim).name);
    out_.scene.props.push_back(std::move(prop));
    out_.prop_prims.push_back(prim);
    return absl::OkStatus();
  }

  const Stage& stage_;
  StageScene& out_;
  std::vector<bool> keeps_out_;  // it, or a prim below, is no prop
  std::vector<bool> has_shape_, moves_, moves_below_;
  std::vector<std::string> scenery_, left_out_;
  asset::SceneNames names_;
  size_t places_ = 0;
};

void FindCharacters(const Stage& stage, const SkeletonInstances& skeletons, StageScene& out) {
  if (!skeletons.ignored.empty()) out.scene.warnings.push_back(skeletons.ignored);
  std::vector<bool> human;
  for (const Skeleton& skeleton : skeletons.all) {
    // Instances of a Skeleton are next to each other, and alike.
    const bool again = !human.empty() && skeleton.prim == skeletons.all[human.size() - 1].prim;
    human.push_back(again ? bool{human.back()} : asset::IsCharacter(RestOf(skeleton).get()));
  }
  const bool any_human = std::find(human.begin(), human.end(), true) != human.end();
  for (size_t i = 0; i < skeletons.all.size(); ++i) {
    const Skeleton& skeleton = skeletons.all[i];
    const bool several =
        (i > 0 && skeletons.all[i - 1].prim == skeleton.prim) ||
        (i + 1 < skeletons.all.size() && skeletons.all[i + 1].prim == skeleton.prim);
    if (any_human ? !human[i] : !several) continue;
    if (skeleton.animation < 0) {
      if (skeletons.ignored.empty() && !several) {
        out.scene.warnings.push_back(
            absl::StrCat(stage.path(skeleton.prim), " has no animation, and is not played"));
      }
      continue;
    }
    const int place = skeleton.sites.empty() ? skeleton.prim : skeleton.sites[0];
    int root = SkelRootOf(stage, place);
    if (root < 0) root = skeleton.prim;
    const auto here = std::find_if(out.characters.begin(), out.characters.end(),
                                   [&](const auto& other) { return other.root == root; });
    if (here != out.characters.end()) {
      // Another Skeleton is such as one of clothes.
      if (here->skeleton.prim != skeleton.prim) continue;
      root = place;
    }
    out.characters.push_back({skeleton, root});
  }
}

// Prefers the character below defaultPrim, as for a single clip.
void PutLeadFirst(const Stage& stage, std::vector<StageScene::Character>& characters) {
  const Value* const root = FindMetadata(stage.layer().metadata, "defaultPrim");
  if (root == nullptr || root->texts.empty()) return;
  const int preferred = stage.Find(absl::StrCat("/", root->texts[0]));
  if (preferred < 0) return;
  std::stable_partition(characters.begin(), characters.end(), [&](const auto& character) {
    return IsBelow(stage, character.skeleton.prim, preferred);
  });
}

}  // namespace

absl::StatusOr<StageScene> FindScene(const Stage& stage, const BindingRules& rules) {
  StageScene out;
  absl::StatusOr<SkeletonInstances> skeletons = ReadSkeletons(stage, rules);
  if (!skeletons.ok()) return skeletons.status();
  FindCharacters(stage, *skeletons, out);
  if (absl::Status s = asset::CheckCharacterCount(out.characters.size()); !s.ok()) return s;
  PutLeadFirst(stage, out.characters);
  asset::SceneNames names;
  bool any = false;
  double last = 0;
  for (const StageScene::Character& character : out.characters) {
    const Skeleton& skeleton = character.skeleton;
    const asset::GroundPlace place = asset::OnGround(InOurSpace(stage, skeleton.prim, kEarliest));
    out.scene.characters.push_back(
        {names.Take(stage.prim(character.root).name), place,
         out.characters.size() < 2 ? asset::Bounds{}
                                   : BoundsOf(stage, *skeletons, skeleton, character.root, place)});
    const SkeletonMotion motion(stage, skeleton);
    for (const absl::string_view attribute :
         {"blendShapeWeights", "translations", "rotations", "scales"}) {
      for (const double time : motion.Times(attribute)) {
        if (time == kEarliest) continue;
        out.first = any ? std::min(out.first, time) : time;
        last = any ? std::max(last, time) : time;
        any = true;
      }
    }
  }
  out.shift = out.first < 0 ? -out.first : 0;
  out.scene.has_camera = FindCamera(stage) >= 0;
  if (absl::Status s = PropFinder(stage, out).Find(); !s.ok()) {
    if (out.characters.size() > 1) return s;
    // It is played as a clip, which has no props.
    out.scene.props.clear();
    out.prop_prims.clear();
    out.scene.warnings.emplace_back(s.message());
  }
  out.scene.last_s = (last + out.shift) / stage.time_codes_per_second();
  for (const asset::SceneProp& prop : out.scene.props) {
    out.scene.last_s = std::max(out.scene.last_s, prop.times_s.back());
  }
  return out;
}

int CharacterOf(const Stage& stage, const StageScene& scene, int prim, const Skeleton* bound) {
  int out = -1, deepest = -1;
  for (size_t c = 0; c < scene.characters.size(); ++c) {
    const StageScene::Character& one = scene.characters[c];
    const bool own = bound != nullptr && one.skeleton.prim == bound->prim &&
                     one.skeleton.animation == bound->animation;
    if (own) return static_cast<int>(c);
    if (one.root > deepest && IsBelow(stage, prim, one.root)) {
      out = static_cast<int>(c);
      deepest = one.root;
    }
  }
  return out;
}

}  // namespace posewire::usd
