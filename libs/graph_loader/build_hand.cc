// Builds hands that reach for props.
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/hand_node.h"
#include "libs/graph_loader/build_target.h"
#include "libs/graph_loader/builder.h"

namespace posewire::graph {

std::unique_ptr<Node> BuildNode(const v1::HandNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  auto parts = b.body_parts();
  HandSettings settings;
  settings.side = node.side() == v1::HandNode::LEFT ? 0 : 1;
  std::vector<std::string> names;
  for (int i = 0; i < node.goals_size(); ++i) {
    const auto& from = node.goals(i);
    const std::string field = absl::StrCat("goals[", i, "]");
    HandSettings::Goal goal;
    goal.target = MakeTarget(absl::StrCat(field, ".target"), from.target(), false, b);
    goal.carry = from.carry();
    goal.tip_rad =
        static_cast<float>(b.Plain(absl::StrCat(field, ".tip_deg"), from.tip_deg(), -90, 120)) *
        skel::kDeg;
    if (from.tip_deg() != 0 && from.carry().empty()) {
      b.Error(absl::StrCat(field, ".tip_deg"), "only what is carried is tipped; give carry, too");
    }
    if (!from.arrived_event().empty()) {
      goal.arrived_event = b.Event(absl::StrCat(field, ".arrived_event"), from.arrived_event());
    }
    names.push_back(goal.target.name);
    settings.goals.push_back(std::move(goal));
  }
  settings.choice = MakeGoalChoice(names, node.variable(), b);
  settings.eyes_lead_s =
      node.has_eyes_lead_s() ? b.Plain("eyes_lead_s", node.eyes_lead_s(), 0, 5) : 0.2;
  settings.pace = PlainOr("pace", node.pace(), 1, 0.1, 5, b);
  if (!node.arrived_event().empty()) {
    settings.arrived_event = b.Event("arrived_event", node.arrived_event());
  }
  const auto side = static_cast<size_t>(settings.side);
  if (!parts->arms[side].complete() || !skel::GripOf(*b.rig(), settings.side).complete()) {
    b.RigLacks("side", absl::StrCat("rig ", b.rig()->name(), " lacks the ",
                                    settings.side == 0 ? "left" : "right",
                                    " arm of shoulder, elbow and hand"));
    return below;
  }
  return std::make_unique<HandNode>(b.name(), std::move(parts), std::move(below),
                                    std::move(settings));
}

}  // namespace posewire::graph
