// A motion, sampled for drawing: curves of shapes, joints and root, and whole poses at instants.
#ifndef POSEWIRE_LIBS_DIAGRAM_MOTION_H_
#define POSEWIRE_LIBS_DIAGRAM_MOTION_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "libs/diagram/body_plan.h"
#include "libs/diagram/model_pose.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

// Writes the pose at `t_s` to `out`, whose presence flags are cleared before. Missing values are
// drawn at rest. Called with increasing times, so that a file can be read sequentially.
using PoseSource = absl::FunctionRef<absl::Status(double t_s, const skel::PoseSpan& out)>;

struct Instant {
  double t_s = 0;
  ModelPose pose;
  std::vector<float> weights;  // of every shape of the rig; 0 where absent
};

// The rotation of one joint, or of a group of joints together.
struct JointTrack {
  std::string label;
  Side side = Side::kMiddle;
  bool finger = false;
  float reach_m = 0;  // size of the part that it moves
  // Per sample: the rotation from rest as a rotation vector in degrees, continuous in time.
  std::vector<skel::Vec3> turn_deg;
};

struct SampledMotion {
  std::vector<double> times_s;
  // One row per sample: weight of each shape (0 if absent).
  std::vector<float> weights;
  // The spine is one track, and so are neck and head, because their rotation is shared among many
  // joints. Every other joint has its own.
  std::vector<JointTrack> tracks;
  // The first joint with a moving translation, relative to rest, in metres; -1: none.
  int mover = -1;
  std::vector<skel::Vec3> mover_m;
  // Per sample: left and right wrists in the figure's space; empty if the plan has none.
  std::vector<skel::Vec3> wrist_m[2];
  // One row per joint of MotionOptions::follow: its position in the figure's space at each sample.
  std::vector<std::vector<skel::Vec3>> path_m;
  std::vector<Instant> instants;
  int shapes = 0;

  float weight(size_t sample, int shape) const {
    return weights[sample * static_cast<size_t>(shapes) + static_cast<size_t>(shape)];
  }
};

struct MotionOptions {
  double start_s = 0, end_s = 0;
  int instants = 12;    // evenly spaced from start to end, including both
  double rate_hz = 60;  // of the curves; lower if it would exceed `max_samples`
  int max_samples = 20000;
  std::vector<int> follow = {};  // joints whose paths are kept
};

// INVALID_ARGUMENT for an end before the start or fewer than 1 instant; otherwise the source's
// errors.
absl::StatusOr<SampledMotion> SampleMotion(const skel::Rig& rig, const BodyPlan& plan,
                                           PoseSource source, const MotionOptions& options);

// Shapes with a weight other than 0, largest peak first; one entry for a left and right pair.
struct ShapeCurve {
  std::string label;  // "eyeBlink" for a pair, else the shape's name
  int left = -1, right = -1, middle = -1;
  float low = 0, high = 0;
};
std::vector<ShapeCurve> MovingShapes(const skel::Rig& rig, const SampledMotion& motion);

// Tracks that rotate by more than half a degree, largest arc first; only the first of each hand's
// fingers. `fingers_left_out` counts the others.
struct MovingTracks {
  std::vector<const JointTrack*> tracks;
  int fingers_left_out = 0;
};
MovingTracks FindMovingTracks(const SampledMotion& motion);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_MOTION_H_
