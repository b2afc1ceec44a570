// The animation of an X3D scene's humanoid, as tracks of keys.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_MOTION_H_
#define POSEWIRE_LIBS_FORMATS_X3D_MOTION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/x3d/humanoid.h"
#include "libs/formats/x3d/scene.h"
#include "libs/skel/key_track.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"

namespace posewire::x3d {

// One thread: PoseAt and WeightsAt return references to members.
class X3dMotion {
 public:
  struct Place {
    skel::Vec3 translation;
    skel::Quat rotation;
  };

  // `which` is as in ReadOptions::prim; errors are those of OpenX3d.
  static absl::StatusOr<X3dMotion> Read(const Scene& scene, absl::string_view which);

  // Paths; parents first.
  const std::vector<std::string>& joints() const { return joints_; }
  const std::vector<std::string>& shapes() const { return shapes_; }
  // The humanoid's rest pose.
  std::shared_ptr<const skel::Rig> skeleton() const;
  // See HAnimHumanoid::assumed.
  const std::vector<std::string>& assumed() const { return humanoid_.assumed; }
  // Times of all keys, in seconds, ascending.
  const std::vector<double>& times() const { return times_; }
  bool moves_joints() const { return moves_joints_; }
  bool moves_shapes() const { return moves_shapes_; }

  // In the order of joints() and of shapes().
  const std::vector<Place>& PoseAt(double time_s);
  const std::vector<float>& WeightsAt(double time_s);

 private:
  friend class X3dMotionReader;

  // The values of a node's fields, and the keys of animated ones.
  struct Mover {
    skel::Vec3 center, translation;
    skel::Quat rotation;
    float scale = 1;   // of its contents
    float around = 1;  // of its surroundings
    std::unique_ptr<skel::KeyTrack> translations, rotations;
  };
  static Place PlaceOf(const Mover& mover, double time_s);

  HAnimHumanoid humanoid_;
  std::vector<std::string> joints_, shapes_;
  std::vector<Mover> above_;  // the humanoid itself last
  std::vector<Mover> mover_;  // of each joint
  std::vector<float> weight_;
  std::vector<std::unique_ptr<skel::KeyTrack>> weights_;  // null: constant, as in weight_
  std::vector<double> times_;
  bool moves_joints_ = false, moves_shapes_ = false;
  std::vector<Place> pose_;
  std::vector<float> now_;
};

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_MOTION_H_
