#include "libs/gesture/gestures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/gesture/body.h"
#include "libs/gesture/cycle.h"
#include "libs/gesture/repertoire.h"
#include "libs/gesture/script.h"

namespace posewire::gesture {
namespace {

struct Entry {
  absl::string_view name;
  GestureKind kind;
  double (*script)(Script&) = nullptr;
  double (*cycle)(Cycle&) = nullptr;
};

std::vector<Entry> AllEntries() {
  std::vector<Entry> all;
  const auto add = [&](absl::Span<const Recipe> recipes, GestureKind kind) {
    for (const Recipe& r : recipes) all.push_back({r.name, kind, r.write, nullptr});
  };
  const auto add_cycles = [&](absl::Span<const CycleRecipe> recipes, GestureKind kind) {
    for (const CycleRecipe& r : recipes) all.push_back({r.name, kind, nullptr, r.write});
  };
  for (const auto& part :
       {HeadRecipes(), SignRecipes(), HandRecipes(), PointRecipes(), AskRecipes(), GreetRecipes(),
        MimeRecipes(), PlayRecipes(), FeelingRecipes(), SpeechRecipes()}) {
    add(part, GestureKind::kBody);
  }
  for (const auto& part : {EmotionRecipes(), FaceRecipes()}) add(part, GestureKind::kFacial);
  add_cycles(PostureRecipes(), GestureKind::kPosture);
  add_cycles(LayerRecipes(), GestureKind::kLayer);
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return all;
}

std::shared_ptr<const clip::Clip> Render(const Entry& entry, const Body& body,
                                         const std::shared_ptr<const skel::Rig>& rig) {
  const std::string name(entry.name);
  if (entry.script != nullptr) {
    Script script(body, rig);
    const double length_s = entry.script(script);
    return script.Render(name, length_s,
                         entry.kind == GestureKind::kFacial ? clip::ClipKind::kFacialGesture
                                                            : clip::ClipKind::kGesture);
  }
  Cycle cycle(body, rig,
              entry.kind == GestureKind::kLayer ? CycleBase::kDifference : CycleBase::kStance);
  const double period_s = entry.cycle(cycle);
  return cycle.Render(name, period_s);
}

std::vector<std::string> Names(std::optional<GestureKind> kind) {
  std::vector<std::string> names;
  for (const Entry& e : AllEntries()) {
    if (!kind || e.kind == *kind) names.emplace_back(e.name);
  }
  return names;
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeAll(
    const std::shared_ptr<const skel::Rig>& rig, std::optional<GestureKind> kind,
    const clip::Precision* precision) {
  const absl::StatusOr<Body> body = Body::Make(*rig);
  if (!body.ok()) return body.status();
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  for (const Entry& e : AllEntries()) {
    if (kind && e.kind != *kind) continue;
    clips.push_back(Render(e, *body, rig));
    if (precision != nullptr) clips.back() = clip::CompressedOrAsIs(clips.back(), *precision);
  }
  return std::make_shared<const clip::ClipLibrary>(std::move(clips));
}

}  // namespace

absl::string_view GestureKindName(GestureKind kind) {
  switch (kind) {
    case GestureKind::kBody:
      return "gesture";
    case GestureKind::kFacial:
      return "facial_gesture";
    case GestureKind::kPosture:
      return "posture";
    case GestureKind::kLayer:
      return "layer";
  }
  return "unknown";
}

std::vector<GestureInfo> ListGestures() {
  std::vector<GestureInfo> list;
  for (const Entry& e : AllEntries()) list.push_back({e.name, e.kind});
  return list;
}

std::vector<std::string> GestureNames() { return Names(std::nullopt); }
std::vector<std::string> GestureNames(GestureKind kind) { return Names(kind); }

absl::StatusOr<std::shared_ptr<const clip::Clip>> MakeGesture(
    absl::string_view name, std::shared_ptr<const skel::Rig> rig) {
  const absl::StatusOr<Body> body = Body::Make(*rig);
  if (!body.ok()) return body.status();
  for (const Entry& e : AllEntries()) {
    if (name == e.name) return Render(e, *body, rig);
  }
  return absl::NotFoundError(
      absl::StrCat("no gesture '", name, "'; known are ", absl::StrJoin(GestureNames(), ", ")));
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig) {
  return MakeAll(rig, std::nullopt, nullptr);
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig, GestureKind kind) {
  return MakeAll(rig, kind, nullptr);
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig, const clip::Precision& precision) {
  return MakeAll(rig, std::nullopt, &precision);
}

ClipRegions RegionsOf(const clip::Clip& clip) {
  ClipRegions regions;
  if (clip.frames() == 0) return regions;
  const absl::StatusOr<Body> body = Body::Make(*clip.rig());
  if (!body.ok()) return regions;
  const skel::PoseView pose = clip.frame(0);
  const auto has = [&](int joint) { return pose.has_t[joint] != 0 || pose.has_r[joint] != 0; };
  const auto any = [&](const std::vector<int>& joints) {
    return std::any_of(joints.begin(), joints.end(), has);
  };
  regions.face = std::any_of(pose.has_w, pose.has_w + pose.shapes, [](auto w) { return w != 0; });
  regions.head = any(body->neck) || has(body->head);
  regions.torso = any(body->lumbar) || any(body->thorax);
  const auto arm = [&](const ArmJoints& a) { return has(a.clavicle) || has(a.shoulder); };
  regions.left_arm = arm(body->arm(Side::kLeft));
  regions.right_arm = arm(body->arm(Side::kRight));
  regions.legs = has(body->root) || has(body->legs[0].hip);
  return regions;
}

}  // namespace posewire::gesture
