// Builds nodes that follow a user's body.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/graph/listen_node.h"
#include "libs/graph/user_acts_node.h"
#include "libs/graph/user_pose_node.h"
#include "libs/graph_loader/build_target.h"
#include "libs/graph_loader/builder.h"
#include "libs/graph_loader/quoted.h"

namespace posewire::graph {
namespace {

// Personal space ends at 1.2 m (Hall, The Hidden Dimension, 1966).
constexpr double kNear_m = 1.2, kTouch_m = 0.12;

}  // namespace

std::unique_ptr<Node> BuildNode(const v1::UserPoseNode& node, Builder& b) {
  auto parts = b.body_parts();
  UserPoseSettings settings;
  settings.user = node.user();
  settings.image_wise = node.image_wise();
  settings.hands = node.hands();
  settings.strength = b.MakeNumber("strength", node.has_strength(), node.strength(), 1, 0, 2);
  settings.tilt_variable = b.Variable("tilt_variable", node.tilt_variable(), VariableType::kNumber);
  const std::string& rig = b.rig()->name();
  if (parts->head < 0) {
    b.RigLacks("kind", absl::StrCat("rig ", rig, " has no head that could follow"));
  }
  if (settings.hands && !(parts->arms[0].complete() && parts->arms[1].complete())) {
    b.RigLacks("hands", absl::StrCat("rig ", rig, " lacks arms of shoulder, elbow and wrist"));
  }
  return std::make_unique<UserPoseNode>(std::move(parts), std::move(settings));
}

std::unique_ptr<Node> BuildNode(const v1::ListenNode& node, Builder& b) {
  auto below = b.EasedChild("below", node.below());
  ListenSettings settings;
  settings.rate = b.MakeNumber("rate", node.has_rate(), node.rate(), 0.6, 0, 1);
  settings.size = b.MakeNumber("size", node.has_size(), node.size(), 1, 0, 3);
  auto parts = b.body_parts();
  if (parts->head < 0) {
    b.RigLacks("kind", absl::StrCat("rig ", b.rig()->name(), " has no head that could nod"));
    return below;
  }
  return std::make_unique<ListenNode>(std::move(parts), std::move(below), settings);
}

std::unique_ptr<Node> BuildNode(const v1::UserActsNode& node, Builder& b) {
  auto below = b.Child("below", node.below());
  UserActsSettings settings;
  settings.distance_variable =
      b.Variable("distance_variable", node.distance_variable(), VariableType::kNumber);
  settings.looks_variable =
      b.Variable("looks_variable", node.looks_variable(), VariableType::kFlag);
  settings.activity_variable =
      b.Variable("activity_variable", node.activity_variable(), VariableType::kNumber);
  if (settings.activity_variable >= 0 &&
      std::isinf(b.stock().variables->spec(settings.activity_variable).max)) {
    b.Error("activity_variable", absl::StrCat(Quoted(node.activity_variable()),
                                              " needs a max: what the liveliest gets"));
  }
  settings.mood_variable = b.Variable("mood_variable", node.mood_variable(), VariableType::kChoice);
  settings.arousal_variable =
      b.Variable("arousal_variable", node.arousal_variable(), VariableType::kNumber);
  settings.valence_variable =
      b.Variable("valence_variable", node.valence_variable(), VariableType::kNumber);
  if (node.answers().empty() && settings.distance_variable < 0 && settings.looks_variable < 0 &&
      settings.activity_variable < 0 && settings.mood_variable < 0 &&
      settings.arousal_variable < 0 && settings.valence_variable < 0) {
    b.Error("answers", "nothing is answered, and no variable written");
  }
  int number = 0;
  for (const v1::UserAnswer& from : node.answers()) {
    const std::string field = absl::StrCat("answers[", number++, "]");
    UserActsSettings::Answer answer;
    answer.act = static_cast<UserAct>(from.when());
    answer.user = from.user();
    const bool touches = from.when() == v1::UserAnswer::TOUCHES;
    answer.distance_m =
        static_cast<float>(from.distance_m() == 0 ? (touches ? kTouch_m : kNear_m)
                                                  : b.Plain(absl::StrCat(field, ".distance_m"),
                                                            from.distance_m(), 0.01, 100));
    if (touches) {
      const BodyPlace place = PlaceOnBody(absl::StrCat(field, ".site"), from.site(), b);
      answer.joint = place.joint, answer.offset = place.offset;
    } else if (!from.site().empty()) {
      b.Error(absl::StrCat(field, ".site"), "only TOUCHES has a site");
    }
    if (!from.event().empty()) answer.event = b.Event(absl::StrCat(field, ".event"), from.event());
    answer.again_s =
        static_cast<float>(b.Plain(absl::StrCat(field, ".again_s"), from.again_s(), 0, 86400));
    if (from.event().empty() && from.variable().empty()) {
      b.Error(field, "nothing follows: give an event or a variable");
    }
    if (!from.variable().empty()) {
      const VariableSet& all = *b.stock().variables;
      const auto index = all.Index(from.variable());
      const auto value =
          index.ok() ? all.spec(*index).Parse(from.value()) : absl::StatusOr<Value>(index.status());
      if (value.ok()) {
        answer.variable = *index, answer.value = *value;
      } else {
        b.Error(absl::StrCat(field, index.ok() ? ".value" : ".variable"), value.status().message());
      }
    }
    settings.answers.push_back(std::move(answer));
  }
  return std::make_unique<UserActsNode>(b.name(), b.body_parts(), std::move(below),
                                        std::move(settings));
}

}  // namespace posewire::graph
