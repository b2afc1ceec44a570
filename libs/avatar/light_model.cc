#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "libs/avatar/deformer.h"
#include "libs/avatar/simplify.h"
#include "libs/skel/pose.h"

namespace posewire::avatar {
namespace {

struct Bend {
  const char* joint;  // of the left side; the right one turns as its mirror image
  skel::Vec3 turn;    // a rotation vector
};

// Between them these bend every joint that cloth or skin lies over.
const std::initializer_list<std::vector<Bend>> kBends = {
    {},
    {{"shoulder", {0, 0, 1.5f}}, {"elbow", {-2.0f, 0, 0}}, {"hip", {-1.4f, 0, 0}}},
    {{"shoulder", {-1.5f, 0, 0}}, {"knee", {1.8f, 0, 0}}, {"wrist", {-0.8f, 0, 0}}},
    {{"shoulder", {0, 0, 2.6f}},
     {"sternoclavicular", {0, 0, 0.4f}},
     {"elbow", {-1.0f, 0, 0}},
     {"hip", {0, 0, 0.5f}}}};
// Flexed fingers, and a back that is bent over all its vertebrae.
constexpr float kCurl = 0.9f, kStoop = 0.05f;

// Faces that between them move every part.
const std::initializer_list<std::initializer_list<absl::string_view>> kFaces = {
    {"eyeBlinkLeft", "eyeBlinkRight", "jawOpen"},
    {"mouthSmileLeft", "mouthSmileRight", "browInnerUp", "eyeWideLeft", "eyeWideRight"},
    {"mouthPucker", "browDownLeft", "browDownRight", "cheekPuff", "tongueUp"},
    {"mouthFunnel", "noseSneerLeft", "noseSneerRight", "browOuterUpLeft", "browOuterUpRight"},
    {"mouthClose", "mouthStretchLeft", "mouthStretchRight", "tongueOut"},
    {"mouthUpperUpLeft", "mouthUpperUpRight", "mouthLowerDownLeft", "mouthLowerDownRight",
     "eyeSquintLeft", "eyeSquintRight"},
    {"mouthFrownLeft", "mouthFrownRight", "eyeLookDownLeft", "eyeLookDownRight", "mouthRollUpper",
     "mouthRollLower"}};

void Turn(const skel::Rig& rig, absl::string_view joint, skel::Vec3 turn, skel::Pose& pose) {
  const int j = rig.FindJoint(joint);
  if (j < 0) return;
  pose.span().SetRotation(j, skel::Mul(skel::Exp(turn), rig.rest().rotation(j)));
}

skel::Pose BodyPose(const skel::Rig& rig, const std::vector<Bend>& bends) {
  skel::Pose pose(rig.joints(), rig.shapes());
  pose.span().CopyFrom(rig.rest());
  for (const Bend& bend : bends) {
    for (const char side : {'l', 'r'}) {
      const float sign = side == 'l' ? 1.0f : -1.0f;
      const skel::Vec3 turn{bend.turn.x, bend.turn.y * sign, bend.turn.z * sign};
      Turn(rig, std::string(1, side) + "_" + bend.joint, turn, pose);
    }
  }
  if (bends.empty()) return pose;
  for (int j = 0; j < rig.joints(); ++j) {
    const std::string& name = rig.joint_names()[static_cast<size_t>(j)];
    if (absl::StartsWith(name, "v")) Turn(rig, name, {kStoop, 0, kStoop}, pose);
    for (const char* finger : {"index", "middle", "ring", "pinky", "thumb"}) {
      if (name.size() < 3 || !absl::StartsWith(absl::string_view(name).substr(2), finger)) continue;
      const float sign = name[0] == 'l' ? -1.0f : 1.0f;
      Turn(rig, name, {0, 0, sign * kCurl}, pose);
    }
  }
  return pose;
}

std::vector<skel::Pose> Poses(const skel::Rig& rig) {
  std::vector<skel::Pose> out;
  for (const auto& bends : kBends) out.push_back(BodyPose(rig, bends));
  for (const auto& face : kFaces) {
    skel::Pose pose = BodyPose(rig, {});
    for (const absl::string_view shape : face) {
      if (const int s = rig.FindShape(shape); s >= 0) pose.span().SetWeight(s, 1);
    }
    out.push_back(std::move(pose));
  }
  return out;
}

// How far the light surface may stray: little where eyes rest, more on cloth.
float ToleranceOf(const Surface& surface) {
  const absl::string_view name = surface.name;
  if (name == "head" || absl::EndsWith(name, " eye")) return 0.00035f;
  if (absl::EndsWith(name, "teeth") || name == "ears") return 0.00045f;
  if (name == "hands" || name == "tongue" || name == "mouth" || name == "eye corners") {
    return 0.0007f;
  }
  if (name == "hair" || name == "jumper" || name == "trousers") return 0.0015f;
  return 0.0020f;
}

}  // namespace

Model MakeLight(const Model& model) {
  std::vector<SurfacePoses> places(model.surfaces.size());
  Deformer deformer(model);
  size_t at = 0;
  for (const skel::Pose& pose : Poses(*model.rig)) {
    const bool face = at++ >= kBends.size();
    if (!deformer.Pose(pose.view()).ok()) continue;  // they are of the model's own rig
    for (size_t s = 0; s < model.surfaces.size(); ++s) {
      if (face && model.surfaces[s].targets.empty()) continue;
      places[s].emplace_back(deformer.points(s).begin(), deformer.points(s).end());
    }
  }
  Model light = model;
  for (size_t s = 0; s < model.surfaces.size(); ++s) {
    light.surfaces[s] = Simplify(model.surfaces[s], places[s], ToleranceOf(model.surfaces[s]));
  }
  return light;
}

}  // namespace posewire::avatar
