#include "libs/gesture_loader/gestures.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/gesture/body.h"
#include "libs/gesture_loader/builtin_files.h"
#include "libs/gesture_loader/choreography.h"

namespace posewire::gesture {
namespace {

namespace v1 = choreography::v1;

constexpr const char* kGroups[] = {"head",    "signs", "hand",    "point",   "ask",
                                   "greet",   "mime",  "play",    "feeling", "speech",
                                   "emotion", "face",  "posture", "layer"};

GestureKind KindOf(const v1::Gesture& gesture) {
  switch (gesture.kind()) {
    case v1::Gesture::FACIAL:
      return GestureKind::kFacial;
    case v1::Gesture::POSTURE:
      return GestureKind::kPosture;
    case v1::Gesture::LAYER:
      return GestureKind::kLayer;
    default:
      return GestureKind::kBody;
  }
}

// In alphabetical order; parsed once and kept.
const std::vector<v1::Gesture>& All() {
  static const auto& all = *new std::vector<v1::Gesture>([] {
    std::vector<v1::Gesture> out;
    for (const char* group : kGroups) {
      const std::string name = absl::StrCat(group, kGestureFileEnding);
      const auto file = ParseChoreography(BuiltinGestureFile(name), name);
      // Tests parse each file, so this does not fail.
      if (file.ok()) out.insert(out.end(), file->gestures().begin(), file->gestures().end());
    }
    std::sort(out.begin(), out.end(),
              [](const auto& a, const auto& b) { return a.name() < b.name(); });
    return out;
  }());
  return all;
}

std::vector<std::string> Names(std::optional<GestureKind> kind) {
  std::vector<std::string> names;
  for (const v1::Gesture& g : All()) {
    if (!kind || KindOf(g) == *kind) names.push_back(g.name());
  }
  return names;
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeAll(
    const std::shared_ptr<const skel::Rig>& rig, std::optional<GestureKind> kind,
    const clip::Precision* precision) {
  const absl::StatusOr<Body> body = Body::Make(*rig);
  if (!body.ok()) return body.status();
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  for (const v1::Gesture& g : All()) {
    if (kind && KindOf(g) != *kind) continue;
    clips.push_back(MakeClip(g, *body, rig));
    if (precision != nullptr) clips.back() = clip::CompressedOrAsIs(clips.back(), *precision);
  }
  return std::make_shared<const clip::ClipLibrary>(std::move(clips));
}

}  // namespace

std::vector<GestureInfo> ListGestures() {
  std::vector<GestureInfo> list;
  for (const v1::Gesture& g : All()) list.push_back({g.name(), KindOf(g)});
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
