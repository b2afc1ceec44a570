#include "libs/gesture/gestures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
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

std::vector<GestureInfo> ListGestures() {
  std::vector<GestureInfo> list;
  for (const Entry& e : AllEntries()) list.push_back({e.name, e.kind});
  return list;
}

std::vector<std::string> GestureNames() { return Names(std::nullopt); }
std::vector<std::string> GestureNames(GestureKind kind) { return Names(kind); }

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

}  // namespace posewire::gesture
