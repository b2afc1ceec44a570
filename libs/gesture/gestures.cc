#include "libs/gesture/gestures.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/gesture/body.h"
#include "libs/gesture/repertoire.h"
#include "libs/gesture/script.h"

namespace posewire::gesture {
namespace {

std::vector<Recipe> AllRecipes() {
  std::vector<Recipe> all;
  for (const auto& part : {HeadRecipes(), SignRecipes(), PointRecipes(), SpeechRecipes()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end(), [](const Recipe& a, const Recipe& b) {
    return absl::string_view(a.name) < absl::string_view(b.name);
  });
  return all;
}

std::shared_ptr<const clip::Clip> Render(const Recipe& recipe, const Body& body,
                                         const std::shared_ptr<const skel::Rig>& rig) {
  Script script(body, rig);
  const double length_s = recipe.write(script);
  return script.Render(recipe.name, length_s);
}

}  // namespace

std::vector<std::string> GestureNames() {
  std::vector<std::string> names;
  for (const Recipe& r : AllRecipes()) names.emplace_back(r.name);
  return names;
}

absl::StatusOr<std::shared_ptr<const clip::Clip>> MakeGesture(
    absl::string_view name, std::shared_ptr<const skel::Rig> rig) {
  const absl::StatusOr<Body> body = Body::Make(*rig);
  if (!body.ok()) return body.status();
  for (const Recipe& r : AllRecipes()) {
    if (name == r.name) return Render(r, *body, rig);
  }
  return absl::NotFoundError(
      absl::StrCat("no gesture '", name, "'; known are ", absl::StrJoin(GestureNames(), ", ")));
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> MakeGestures(
    std::shared_ptr<const skel::Rig> rig) {
  const absl::StatusOr<Body> body = Body::Make(*rig);
  if (!body.ok()) return body.status();
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  for (const Recipe& r : AllRecipes()) clips.push_back(Render(r, *body, rig));
  return std::make_shared<const clip::ClipLibrary>(std::move(clips));
}

}  // namespace posewire::gesture
