// Builds looks, and turns and walks of the whole avatar.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/look_at_node.h"
#include "libs/graph/turn_to_node.h"
#include "libs/graph/walk_to_node.h"
#include "libs/graph_loader/build_target.h"
#include "libs/graph_loader/builder.h"
#include "libs/graph_loader/quoted.h"
#include "libs/names/known_names.h"
#include "libs/skel/two_bone_ik_job.h"

namespace posewire::graph {
namespace {

std::vector<LookAtSettings::Group> MakeGroups(const v1::LookAtNode& node, const BodyParts& parts,
                                              Builder& b) {
  if (node.joints().empty()) return UsualLookGroups(parts);
  std::vector<LookAtSettings::Group> groups;
  for (int i = 0; i < node.joints_size(); ++i) {
    const auto& from = node.joints(i);
    const std::string field = absl::StrCat("joints[", i, "]");
    const int joint = b.Joint(absl::StrCat(field, ".joint"), from.joint());
    LookAtSettings::Group group;
    group.joints = {joint};
    group.share = b.Plain(absl::StrCat(field, ".share"), from.share(), 0, 1);
    group.limit_deg = PlainOr(absl::StrCat(field, ".limit_deg"), from.limit_deg(), 30, 0, 180, b);
    group.speed_deg_s =
        PlainOr(absl::StrCat(field, ".speed_deg_s"), from.speed_deg_s(), 90, 1, 2000, b);
    if (joint < 0) continue;
    if (!skel::IsAbove(*b.rig(), joint, parts.head)) {
      b.Error(absl::StrCat(field, ".joint"),
              absl::StrCat("\"", from.joint(), "\" does not carry the head; only the head and ",
                           "joints below it on the spine can turn it"));
      continue;
    }
    if (std::any_of(groups.begin(), groups.end(),
                    [joint](const auto& g) { return g.joints[0] == joint; })) {
      b.Error(absl::StrCat(field, ".joint"), absl::StrCat("\"", from.joint(), "\" is given twice"));
      continue;
    }
    groups.push_back(std::move(group));
  }
  // Parents come first in a rig.
  std::sort(groups.begin(), groups.end(),
            [](const auto& x, const auto& y) { return x.joints[0] < y.joints[0]; });
  return groups;
}

void MakeContact(const v1::LookAtNode& node, const std::vector<std::string>& names,
                 LookAtSettings& settings, Builder& b) {
  using LookedBack = EyeContactSettings::LookedBack;
  EyeContactSettings& contact = settings.contact;
  contact.hold_s = b.Plain("contact.hold_s", node.contact().hold_s(), 0, 600);
  contact.pause_s = b.Plain("contact.pause_s", node.contact().pause_s(), 0, 600);
  contact.natural = node.contact().natural();
  contact.darts_deg = b.Plain("contact.darts_deg", node.contact().darts_deg(), 0, 10);
  contact.look_back_s = b.Plain("look_back_s", node.look_back_s(), 0, 60);
  if (contact.hold_s > 0 && contact.pause_s == 0) {
    b.Error("contact.pause_s", "it must be above 0 where hold_s is");
  }
  switch (node.looked_back()) {
    case v1::LookAtNode::HOLD:
      contact.looked_back = LookedBack::kHold;
      break;
    case v1::LookAtNode::PAUSE:
      contact.looked_back = LookedBack::kPause;
      break;
    case v1::LookAtNode::LEAD:
      contact.looked_back = LookedBack::kLead;
      break;
    default:
      b.Error("looked_back", absl::StrCat(static_cast<int>(node.looked_back()),
                                          " is not one of HOLD, PAUSE, LEAD"));
  }
  if (node.looked_back() != v1::LookAtNode::HOLD && contact.look_back_s == 0) {
    b.Error("look_back_s", "seconds above 0 must be given, after which looked_back happens");
  }
  const bool leads = node.looked_back() == v1::LookAtNode::LEAD;
  if (leads != !node.lead_to().empty()) {
    b.Error("lead_to", leads ? "the name of a target must be given for LEAD"
                             : "it means something with looked_back: LEAD only");
  } else if (leads) {
    const auto it = std::find(names.begin(), names.end(), node.lead_to());
    settings.lead_to = it == names.end() ? -1 : static_cast<int>(it - names.begin());
    if (it == names.end()) {
      b.Error("lead_to", absl::StrCat("there is no target ", Quoted(node.lead_to()),
                                      KnownNames(node.lead_to(), names)));
    }
  }
}

// Distance at which people stop before others (Hall, "The Hidden Dimension", 1966: personal
// distance), and before objects that they take by hand.
double UsualStop(Target::Kind kind) {
  using enum Target::Kind;
  if (kind == kProp) return 0.7;
  return kind == kPoint || kind == kVariable ? 0 : 1;
}

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::LookAtNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  auto parts = b.body_parts();
  LookAtSettings settings;
  std::vector<std::string> names;
  for (int i = 0; i < node.targets_size(); ++i) {
    Target target = MakeTarget(absl::StrCat("targets[", i, "]"), node.targets(i), false, b, true);
    const bool for_each = target.who == "*";
    for (int k = 0; k < (for_each ? kMostOfAll : 1); ++k) {
      target.nth = for_each ? k : -1;
      settings.targets.push_back(target);
      names.push_back(target.name);
    }
  }
  if (names.empty()) b.Error("targets", "at least one must be given");
  settings.variable = b.Variable("variable", node.variable(), VariableType::kChoice);
  if (settings.variable >= 0) {
    // Targets with the same name are one choice.
    std::vector<std::string> choices;
    std::vector<int> first;
    for (size_t i = 0; i < names.size(); ++i) {
      if (std::find(choices.begin(), choices.end(), names[i]) != choices.end()) continue;
      choices.push_back(names[i]);
      first.push_back(static_cast<int>(i));
    }
    CheckItemNames("targets", choices, b);
    settings.target_of_choice = IndicesOfChoice("variable", settings.variable, choices, true, b);
    for (int& target : settings.target_of_choice) {
      if (target >= 0) target = first[static_cast<size_t>(target)];
    }
  }
  settings.weight = b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1);
  settings.eye_joints = node.eyes() == v1::LookAtNode::JOINTS;
  settings.eye_limit_deg = PlainOr("eye_limit_deg", node.eye_limit_deg(), 30, 1, 60, b);
  settings.eye_speed_deg_s = PlainOr("eye_speed_deg_s", node.eye_speed_deg_s(), 450, 10, 2000, b);
  MakeContact(node, names, settings, b);
  for (int i = 0; i < node.poses_size(); ++i) {
    const auto& from = node.poses(i);
    const std::string field = absl::StrCat("poses[", i, "]");
    const clip::Clip* clip = b.Clip(absl::StrCat(field, ".clip"), from.clip());
    const double left = b.Plain(absl::StrCat(field, ".left_deg"), from.left_deg(), -180, 180);
    const double up = b.Plain(absl::StrCat(field, ".up_deg"), from.up_deg(), -90, 90);
    if (left == 0 && up == 0)
      b.Error(field, "straight ahead needs no pose; give left_deg or up_deg");
    if (clip != nullptr) settings.poses.push_back({clip, left, up});
  }
  settings.authored_at = MakeTarget("authored_at", node.authored_at(), true, b);
  settings.authored_at_cameras = node.authored_at_cameras();
  const std::string rig = absl::StrCat("rig ", b.rig()->name());
  if (parts->head < 0) {
    b.RigLacks("kind", absl::StrCat(rig, " has no head that could turn"));
    return below;
  }
  const Eyes eyes(parts.get());
  if (settings.eye_joints ? !eyes.has_joints() : !eyes.has_shapes()) {
    b.RigLacks("eyes", settings.eye_joints
                           ? absl::StrCat(rig, " has no eye joints; use SHAPES")
                           : absl::StrCat(rig, " has no eyeLook shapes; use JOINTS"));
    return below;
  }
  settings.groups = MakeGroups(node, *parts, b);
  return std::make_unique<LookAtNode>(std::move(parts), std::move(below), std::move(settings));
}

std::unique_ptr<Node> BuildNode(const v1::TurnToNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  TurnToSettings settings;
  settings.target = MakeTarget("target", node.target(), false, b);
  if (settings.target.kind == Target::Kind::kSite) {
    b.Error("target.site", "a site turns with the avatar; give a user, an avatar or a place");
  }
  settings.weight = b.MakeNumber("weight", node.has_weight(), node.weight(), 1, 0, 1);
  settings.limit_deg = PlainOr("limit_deg", node.limit_deg(), 180, 1, 180, b);
  settings.speed_deg_s = PlainOr("speed_deg_s", node.speed_deg_s(), 90, 1, 1000, b);
  return std::make_unique<TurnToNode>(b.body_parts(), std::move(below), std::move(settings));
}

std::unique_ptr<Node> BuildNode(const v1::WalkToNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  WalkToSettings settings;
  std::vector<std::string> names;
  for (int i = 0; i < node.goals_size(); ++i) {
    const auto& from = node.goals(i);
    const std::string field = absl::StrCat("goals[", i, "]");
    WalkToSettings::Goal goal;
    goal.target = MakeTarget(absl::StrCat(field, ".target"), from.target(), false, b);
    if (goal.target.kind == Target::Kind::kSite) {
      b.Error(absl::StrCat(field, ".target.site"),
              "a site goes with the avatar; give a user, an avatar, a prop or a place");
    }
    goal.stop_m = from.has_stop_m() ? b.Plain(absl::StrCat(field, ".stop_m"), from.stop_m(), 0, 100)
                                    : UsualStop(goal.target.kind);
    names.push_back(goal.target.name);
    settings.goals.push_back(std::move(goal));
  }
  settings.choice = MakeGoalChoice(names, node.variable(), b);
  settings.face = MakeTarget("face", node.face(), true, b);
  settings.speed_m_s = b.MakeNumber("speed_m_s", node.has_speed_m_s(), node.speed_m_s(), 1.2, 0, 3);
  if (!node.arrived_event().empty()) {
    settings.arrived_event = b.Event("arrived_event", node.arrived_event());
  }
  return std::make_unique<WalkToNode>(b.name(), b.body_parts(), std::move(below),
                                      std::move(settings));
}

}  // namespace posewire::graph
