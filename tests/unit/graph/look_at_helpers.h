// What the tests of looks and reach share: a user, one tick of a node, and rays of gaze.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_LOOK_AT_HELPERS_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_LOOK_AT_HELPERS_H_

#include <memory>
#include <utility>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/eye_angles.h"
#include "libs/graph/idle_node.h"
#include "libs/graph/look_at_node.h"
#include "libs/graph/node.h"
#include "libs/graph/target.h"
#include "tests/unit/gesture/forward.h"
#include "tests/unit/graph/helpers.h"

namespace posewire::graph {

// Runs one node tick by tick, with users and variables.
struct Stage {
  explicit Stage(std::shared_ptr<const skel::Rig> r, std::vector<VariableSpec> specs = {},
                 uint64_t seed = 1)
      : rig(std::move(r)),
        rng(seed),
        variables(std::make_shared<const VariableSet>(std::move(specs))),
        pose(rig->joints(), rig->shapes()),
        before(rig->joints(), rig->shapes()) {}

  void Tick(Node& node, double dt = kTick_s) {
    inputs.users = users;
    inputs.neighbours = neighbours;
    TickContext ctx{tick++, time_s += dt, dt, &rng, &inputs, nullptr};
    ctx.variables = &variables;
    outputs.event_count = 0, outputs.has_camera = false;
    ctx.outputs = &outputs;
    std::swap(pose, before);
    node.Update(ctx, 1);
    node.Evaluate(ctx, pose.span());
  }

  std::shared_ptr<const skel::Rig> rig;
  Random rng;
  Variables variables;
  std::vector<UserInput> users;
  std::vector<NeighbourInput> neighbours;
  TickOutputs outputs;
  Inputs inputs{};
  int64_t tick = 0;
  double time_s = 0;
  skel::Pose pose, before;
};

// What idles, or stands at rest.
inline std::unique_ptr<Node> IdleOrRest(const std::shared_ptr<const skel::Rig>& rig, bool idle) {
  if (idle) return *IdleNode::Make(rig);
  auto rest = std::make_unique<FixedNode>(*rig);
  rest->pose.span().CopyFrom(rig->rest());
  return rest;
}

inline VariableSpec NumberVariable(const char* name, double initial = 0) {
  VariableSpec spec;
  spec.name = name;
  spec.initial.number = initial;
  return spec;
}
inline VariableSpec ChoiceVariable(const char* name, std::vector<std::string> values) {
  VariableSpec spec;
  spec.name = name;
  spec.type = VariableType::kChoice;
  spec.values = std::move(values);
  return spec;
}

inline UserInput UserAt(skel::Vec3 head, skel::Vec3 looks_at) {
  UserInput user;
  user.name = "ann";
  user.has_head = true;
  user.head = head;
  user.head_rotation = TurnOf(AnglesOf(looks_at - head));
  return user;
}

// Somebody as tall as the avatar, who looks at it from this side.
inline UserInput UserAround(float left_deg, float distance_m = 2) {
  const skel::Vec3 way = DirectionOf({left_deg / kDegrees, 0});
  return UserAt(skel::Vec3{0, 1.6f, 0} + way * distance_m, {0, 1.6f, 0});
}

// A ray of one eye, from plain forward kinematics: the eye joint's turn and the look shapes' on top
// of the head's.
struct Ray {
  skel::Vec3 from, way;  // `way` of unit length
  float MissDegrees(skel::Vec3 target) const {
    const skel::Vec3 to = target - from;
    return std::atan2(Length(Cross(way, to)), Dot(way, to)) * kDegrees;
  }
};
inline Ray GazeOf(const skel::Rig& rig, const skel::PoseView& pose, int side) {
  const gesture::Forward at(rig, pose, rig.rest());
  const bool left = side == 0;
  const char* eye = rig.FindJoint("l_eyeball_joint") >= 0
                        ? (left ? "l_eyeball_joint" : "r_eyeball_joint")
                        : (left ? "LeftEye" : "RightEye");
  const auto w = [&](const char* name) {
    const int s = rig.FindShape(name);
    return pose.has_w[s] ? pose.weights[s] : 0;
  };
  const float across =
      left ? w("eyeLookOutLeft") - w("eyeLookInLeft") : w("eyeLookInRight") - w("eyeLookOutRight");
  const float up = left ? w("eyeLookUpLeft") - w("eyeLookDownLeft")
                        : w("eyeLookUpRight") - w("eyeLookDownRight");
  const skel::Quat shapes = Mul(skel::Exp({0, across * kLookAcrossDegrees / kDegrees, 0}),
                                skel::Exp({-up * kLookUpDegrees / kDegrees, 0, 0}));
  return {at.place(eye), at.Direction(eye, Rotate(shapes, {0, 0, 1}))};
}
inline float GazeMissDegrees(const skel::Rig& rig, const skel::PoseView& pose, skel::Vec3 target) {
  return std::max(GazeOf(rig, pose, 0).MissDegrees(target),
                  GazeOf(rig, pose, 1).MissDegrees(target));
}

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_LOOK_AT_HELPERS_H_
