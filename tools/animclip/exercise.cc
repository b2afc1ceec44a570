#include "tools/animclip/exercise.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/skel/local_to_model_job.h"

namespace posewire::animclip {
namespace {

using skel::Vec3;

constexpr int kFrames = 300;

// Returns 0 at both ends, and `times` hills of height 1 between them.
float Hills(double t_s, double from_s, double to_s, double times) {
  if (t_s <= from_s || t_s >= to_s) return 0;
  const double phase = (t_s - from_s) / (to_s - from_s) * times;
  return static_cast<float>(0.5 - 0.5 * std::cos(2 * 3.14159265358979 * phase));
}

struct Bend {
  absl::string_view joint;
  Vec3 axis;
  float angle_rad;
  double from_s, to_s, times;
};
constexpr std::array kBends = {
    Bend{"l_elbow", {-1, 0, 0}, 2.2f, 0, 3, 2},     Bend{"r_elbow", {-1, 0, 0}, 2.2f, 0.6, 3.6, 2},
    Bend{"l_shoulder", {0, 0, 1}, 1.5f, 3, 5.4, 1}, Bend{"r_shoulder", {0, 0, -1}, 1.5f, 3, 5.4, 1},
    Bend{"l_hip", {-1, 0, 0}, 1.4f, 5, 8, 2},       Bend{"r_hip", {-1, 0, 0}, 1.4f, 5, 8, 2},
    Bend{"l_knee", {1, 0, 0}, 1.8f, 5, 8, 2},       Bend{"r_knee", {1, 0, 0}, 1.8f, 5, 8, 2},
    Bend{"l_ankle", {-1, 0, 0}, 0.4f, 5, 8, 2},     Bend{"r_ankle", {-1, 0, 0}, 0.4f, 5, 8, 2},
    Bend{"l_shoulder", {-1, 0, 0}, 1.9f, 5, 8, 2},  Bend{"r_shoulder", {-1, 0, 0}, 1.9f, 5, 8, 2},
    Bend{"vl5", {1, 0, 0}, 0.45f, 5, 8, 2},         Bend{"vt9", {1, 0, 0}, 0.25f, 5, 8, 2},
    Bend{"vl3", {0, 1, 0}, 0.25f, 8.2, 10, 1},      Bend{"vt9", {0, 1, 0}, 0.25f, 8.2, 10, 1},
    Bend{"vt4", {0, 1, 0}, 0.2f, 8.2, 10, 1},       Bend{"vc4", {0, -1, 0}, 0.3f, 8, 9.9, 1},
    Bend{"skullbase", {1, 0, 0}, 0.2f, 2, 5, 2},    Bend{"vc4", {-1, 0, 0}, 0.5f, 5, 8, 2},
};

// Returns the midpoint of the ankles, wherever the pose's root is.
Vec3 Ankles(const skel::Rig& rig, const skel::PoseView& pose) {
  std::vector<Vec3> positions(static_cast<size_t>(rig.joints()));
  std::vector<skel::Quat> rotations(positions.size());
  skel::LocalToModelJob job;
  job.rig = &rig;
  job.local = pose;
  job.positions = absl::MakeSpan(positions);
  job.rotations = absl::MakeSpan(rotations);
  if (!job.Run()) return {};
  const auto at = [&](absl::string_view joint) {
    return positions[static_cast<size_t>(rig.FindJoint(joint))];
  };
  return (at("l_ankle") + at("r_ankle")) * 0.5f;
}

struct Face {
  absl::string_view shape;
  float weight;
  double from_s, to_s, times;
};
constexpr std::array kFaces = {
    Face{"mouthSmileLeft", 0.8f, 0.5, 4, 1}, Face{"mouthSmileRight", 0.8f, 0.5, 4, 1},
    Face{"jawOpen", 0.4f, 4, 7, 4},          Face{"browInnerUp", 0.7f, 6, 9, 1},
    Face{"eyeBlinkLeft", 1, 1.0, 1.3, 1},    Face{"eyeBlinkRight", 1, 1.0, 1.3, 1},
    Face{"eyeBlinkLeft", 1, 6.0, 6.3, 1},    Face{"eyeBlinkRight", 1, 6.0, 6.3, 1},
};

}  // namespace

absl::StatusOr<std::shared_ptr<const clip::Clip>> MakeExercise(
    std::shared_ptr<const skel::Rig> rig) {
  std::vector<skel::Pose> frames;
  const skel::PoseView rest = rig->rest();
  for (int f = 0; f < kFrames; ++f) {
    const double t = f / 30.0;
    skel::Pose pose(rig->joints(), rig->shapes());
    for (int j = 0; j < rig->joints(); ++j) pose.span().SetRotation(j, rest.rotation(j));
    for (const Bend& bend : kBends) {
      const int joint = rig->FindJoint(bend.joint);
      if (joint < 0) {
        return absl::NotFoundError(absl::StrCat("rig ", rig->name(), " has no joint ", bend.joint,
                                                ", expected those of hanim_loa3"));
      }
      const skel::Quat turn = skel::FromAxisAngle(
          bend.axis, bend.angle_rad * Hills(t, bend.from_s, bend.to_s, bend.times));
      pose.span().SetRotation(joint, skel::Mul(turn, pose.view().rotation(joint)));
    }
    // Moves the hips so that the feet stay in place, except for a jump after the squats.
    pose.span().SetTranslation(0, rest.translation(0));
    const Vec3 stands = Ankles(*rig, rest) - Ankles(*rig, pose.view());
    const Vec3 jump{0, 0.25f * Hills(t, 8, 8.6, 1), 0};
    pose.span().SetTranslation(0, rest.translation(0) + stands + jump);
    for (int s = 0; s < rig->shapes(); ++s) pose.span().SetWeight(s, 0);
    for (const Face& face : kFaces) {
      const int shape = rig->FindShape(face.shape);
      if (shape < 0) continue;
      pose.span().SetWeight(shape, pose.view().weights[shape] +
                                       face.weight * Hills(t, face.from_s, face.to_s, face.times));
    }
    frames.push_back(std::move(pose));
  }
  return std::make_shared<clip::Clip>("exercise", std::move(rig), timecode::FrameRate{30, 1},
                                      std::move(frames));
}

}  // namespace posewire::animclip
