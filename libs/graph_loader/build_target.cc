#include "libs/graph_loader/build_target.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/graph_loader/quoted.h"
#include "libs/names/known_names.h"
#include "libs/skel/humanoid.h"

namespace posewire::graph {
namespace {

std::string KnownPlaces(const skel::Rig& rig, const std::string& name) {
  std::vector<std::string> names;
  for (const skel::Site& site : rig.sites()) names.push_back(site.name);
  for (const std::string& joint : rig.joint_names()) names.push_back(joint);
  return KnownNames(name, names);
}

// Returns the joint of "head", "chest" or "hips", whatever its name in the rig; -1 if there is
// none.
int PartOfAnyBody(const skel::Rig& rig, absl::string_view name) {
  using enum skel::HumanBone;
  const skel::Humanoid& bones = rig.humanoid();
  if (name == "head") return bones.joint(kHead);
  if (name == "chest") return bones.FirstOf({kUpperChest, kChest, kSpine});
  return name == "hips" ? bones.joint(kHips) : -1;
}

}  // namespace

BodyPlace PlaceOnBody(absl::string_view field, const std::string& name, Builder& b) {
  const skel::Rig& rig = *b.rig();
  for (const skel::Site& site : rig.sites()) {
    if (site.name == name) return {site.joint, site.offset, site.rotation};
  }
  if (name == "mouth") {
    const auto parts = b.body_parts();
    if (parts->head >= 0) {
      // Below the eyes, and in front of them by as much as the lips protrude.
      const float scale = parts->height_m / 1.7f;
      const skel::Quat back = Conjugate(parts->rest_turn[static_cast<size_t>(parts->head)]);
      const skel::Vec3 down = skel::Vec3{0, -0.068f, 0.022f} * scale;
      return {parts->head, parts->between_eyes + Rotate(back, down), std::nullopt};
    }
  }
  int joint = PartOfAnyBody(rig, name);
  if (joint < 0) joint = rig.FindJoint(name);
  if (joint < 0) {
    b.RigLacks(field, absl::StrCat("rig ", rig.name(), " has no site or joint ", Quoted(name),
                                   KnownPlaces(rig, name)));
  }
  return {joint, {}, {}};
}

Target MakeTarget(absl::string_view field, const v1::Target& from, bool optional, Builder& b,
                  bool takes_each) {
  using Kind = Target::Kind;
  Target t;
  t.name = from.name();
  t.weight =
      b.MakeNumber(absl::StrCat(field, ".weight"), from.has_weight(), from.weight(), 1, 0, 1);
  switch (from.what_case()) {
    case v1::Target::kUserHead:
      t.kind = Kind::kUserHead, t.who = from.user_head();
      break;
    case v1::Target::kUserLeftHand:
      t.kind = Kind::kUserLeftHand, t.who = from.user_left_hand();
      break;
    case v1::Target::kUserRightHand:
      t.kind = Kind::kUserRightHand, t.who = from.user_right_hand();
      break;
    case v1::Target::kUserHips:
      t.kind = Kind::kUserHips, t.who = from.user_hips();
      break;
    case v1::Target::kUserLeftFoot:
      t.kind = Kind::kUserLeftFoot, t.who = from.user_left_foot();
      break;
    case v1::Target::kUserRightFoot:
      t.kind = Kind::kUserRightFoot, t.who = from.user_right_foot();
      break;
    case v1::Target::kUserPoint: {
      t.kind = Kind::kUserPoint;
      const size_t slash = from.user_point().rfind('/');
      if (slash != std::string::npos) t.who = from.user_point().substr(0, slash);
      t.part = from.user_point().substr(slash == std::string::npos ? 0 : slash + 1);
      if (t.part.empty()) {
        b.Error(absl::StrCat(field, ".user_point"),
                absl::StrCat(Quoted(from.user_point()),
                             " names no point; write its name, or a user and its name: \"mouth\", "
                             "\"ann/mouth\""));
      }
      break;
    }
    case v1::Target::kUserGaze:
      t.kind = Kind::kUserGaze, t.who = from.user_gaze();
      break;
    case v1::Target::kAvatar:
      t.kind = Kind::kAvatar, t.who = from.avatar();
      if (t.who.empty()) {
        b.Error(absl::StrCat(field, ".avatar"), "the target object id of the other must be given");
      }
      break;
    case v1::Target::kSite: {
      const BodyPlace place = PlaceOnBody(absl::StrCat(field, ".site"), from.site(), b);
      // A site that this rig lacks never exists.
      t.kind = Kind::kSite, t.joint = place.joint, t.offset = place.offset;
      break;
    }
    case v1::Target::kVariable:
      t.variable =
          b.Variable(absl::StrCat(field, ".variable"), from.variable(), VariableType::kVector);
      if (from.variable().empty()) {
        b.Error(absl::StrCat(field, ".variable"), "a vector must be named here");
      }
      if (t.variable >= 0) t.kind = Kind::kVariable;
      break;
    case v1::Target::kPoint: {
      const std::string where = absl::StrCat(field, ".point");
      t.kind = Kind::kPoint;
      t.point = {static_cast<float>(b.Plain(where, from.point().x(), -1e4, 1e4)),
                 static_cast<float>(b.Plain(where, from.point().y(), -1e4, 1e4)),
                 static_cast<float>(b.Plain(where, from.point().z(), -1e4, 1e4))};
      break;
    }
    case v1::Target::kProp: {
      t.kind = Kind::kProp;
      const size_t slash = from.prop().find('/');
      t.who = from.prop().substr(0, slash);
      if (slash != std::string::npos) t.part = from.prop().substr(slash + 1);
      if (t.who.empty() || (slash != std::string::npos && t.part.empty())) {
        b.Error(absl::StrCat(field, ".prop"),
                absl::StrCat(Quoted(from.prop()),
                             " is no prop; write its name, or its name and a site: \"cup\", "
                             "\"cup/handle\""));
      }
      break;
    }
    case v1::Target::WHAT_NOT_SET:
      if (!optional) {
        b.Error(field,
                "one of user_head, user_left_hand, user_right_hand, user_hips, user_left_foot, "
                "user_right_foot, user_point, user_gaze, avatar, site, variable, point, prop must "
                "be given");
      }
      break;
  }
  if (t.who == "*" && !takes_each) {
    b.Error(field, "\"*\" is for looks; a user or an avatar must be named here");
  }
  return t;
}

std::vector<int> IndicesOfChoice(absl::string_view field, int variable,
                                 absl::Span<const std::string> names, bool none_is_one,
                                 Builder& b) {
  std::vector<int> indices;
  if (variable < 0) return indices;
  const VariableSpec& spec = b.stock().variables->spec(variable);
  for (const std::string& value : spec.values) {
    const auto it = std::find(names.begin(), names.end(), value);
    indices.push_back(it == names.end() ? -1 : static_cast<int>(it - names.begin()));
    if (it != names.end() || (none_is_one && value == "none")) continue;
    b.Error(field, absl::StrCat("value ", Quoted(value), " of variable ", Quoted(spec.name),
                                " names nothing here", KnownNames(value, names)));
  }
  return indices;
}

GoalChoice MakeGoalChoice(absl::Span<const std::string> goals, const std::string& variable,
                          Builder& b) {
  GoalChoice choice;
  if (goals.empty()) b.Error("goals", "at least one must be given");
  choice.variable = b.Variable("variable", variable, VariableType::kChoice);
  if (choice.variable >= 0) {
    CheckItemNames("goals", goals, b);
    choice.of_choice = IndicesOfChoice("variable", choice.variable, goals, true, b);
  }
  return choice;
}

void CheckItemNames(absl::string_view field, absl::Span<const std::string> names, Builder& b) {
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string where = absl::StrCat(field, "[", i, "].name");
    if (names[i].empty()) {
      b.Error(where, "a name must be given, so that the variable can choose it");
    } else if (std::find(names.begin(), names.begin() + static_cast<long>(i), names[i]) !=
               names.begin() + static_cast<long>(i)) {
      b.Error(where, absl::StrCat(Quoted(names[i]), " is used twice"));
    }
  }
}

double PlainOr(absl::string_view field, double value, double usual, double min, double max,
               Builder& b) {
  return value == 0 ? usual : b.Plain(field, value, min, max);
}

}  // namespace posewire::graph
