// Builds the stream's camera.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/camera_node.h"
#include "libs/graph_loader/build_target.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {
namespace {

template <typename List>
std::vector<std::string> NamesOf(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name());
  return names;
}

CameraSettings::Shot MakeShot(const std::string& field, const v1::CameraNode::Shot& from,
                              Builder& b) {
  CameraSettings::Shot shot;
  const auto at = [&field](const char* part) { return absl::StrCat(field, ".", part); };
  shot.is_viewpoint = !from.viewpoint().empty();
  if (shot.is_viewpoint == !from.look_at().empty()) {
    b.Error(field, "one of look_at and viewpoint must be given");
    return shot;
  }
  const BodyPlace place = shot.is_viewpoint ? PlaceOnBody(at("viewpoint"), from.viewpoint(), b)
                                            : PlaceOnBody(at("look_at"), from.look_at(), b);
  shot.look_at = {place.joint, place.offset, place.rotation};
  shot.focal_length_mm =
      PlainOr(at("focal_length_mm"), from.focal_length_mm(), shot.focal_length_mm, 5, 1000, b);
  if (shot.is_viewpoint) return shot;
  shot.distance_m = b.Plain(at("distance_m"), from.distance_m(), 0.1, 100);
  shot.height_m = b.Plain(at("height_m"), from.height_m(), -20, 20);
  shot.left_deg = b.Plain(at("left_deg"), from.left_deg(), -180, 180);
  return shot;
}

void MakeMotions(const v1::CameraNode& node, CameraSettings& settings, Builder& b) {
  for (int i = 0; i < node.motions_size(); ++i) {
    const auto& from = node.motions(i);
    const auto at = [i](const char* part) { return absl::StrCat("motions[", i, "].", part); };
    CameraSettings::Move motion;
    motion.sway_deg = b.Plain(at("sway_deg"), from.sway_deg(), 0, 45);
    motion.sway_hz = b.Plain(at("sway_hz"), from.sway_hz(), 0, 5);
    motion.push_in_m_s = b.Plain(at("push_in_m_s"), from.push_in_m_s(), 0, 5);
    motion.orbit_deg_s = b.Plain(at("orbit_deg_s"), from.orbit_deg_s(), -180, 180);
    settings.motions.push_back(motion);
  }
}

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::CameraNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  CameraSettings settings;
  for (int i = 0; i < node.shots_size(); ++i) {
    settings.shots.push_back(MakeShot(absl::StrCat("shots[", i, "]"), node.shots(i), b));
  }
  if (settings.shots.empty()) b.Error("shots", "at least one must be given");
  for (int i = 0; i < node.positions_size(); ++i) {
    settings.right_m.push_back(
        b.Plain(absl::StrCat("positions[", i, "].right_m"), node.positions(i).right_m(), -20, 20));
  }
  MakeMotions(node, settings, b);
  settings.transition_s =
      b.MakeNumber("transition_s", node.has_transition_s(), node.transition_s(), 1, 0, 60);
  const auto choose = [&](const char* field, const char* list, const std::string& name,
                          const std::vector<std::string>& names, bool none, int& variable,
                          std::vector<int>& of_choice) {
    variable = b.Variable(field, name, VariableType::kChoice);
    if (variable < 0) return;
    CheckItemNames(list, names, b);
    of_choice = IndicesOfChoice(field, variable, names, none, b);
  };
  choose("shot_variable", "shots", node.shot_variable(), NamesOf(node.shots()), false,
         settings.shot_variable, settings.shot_of_choice);
  choose("position_variable", "positions", node.position_variable(), NamesOf(node.positions()),
         true, settings.position_variable, settings.position_of_choice);
  choose("motion_variable", "motions", node.motion_variable(), NamesOf(node.motions()), true,
         settings.motion_variable, settings.motion_of_choice);
  if (node.shot_variable().empty() && node.position_variable().empty() &&
      node.motion_variable().empty()) {
    b.Error("shot_variable",
            "one of shot_variable, position_variable and motion_variable must be given: the camera "
            "is sent once it was set");
  }
  const bool placed = std::all_of(settings.shots.begin(), settings.shots.end(),
                                  [](const auto& shot) { return shot.look_at.joint >= 0; });
  if (settings.shots.empty() || !placed) return below;
  return std::make_unique<CameraNode>(b.body_parts(), std::move(below), std::move(settings));
}

}  // namespace posewire::graph
