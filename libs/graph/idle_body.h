// Data that all idle avatars on one rig share.
#ifndef POSEWIRE_LIBS_GRAPH_IDLE_BODY_H_
#define POSEWIRE_LIBS_GRAPH_IDLE_BODY_H_

#include <array>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/gesture/body.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::graph {

// Idle motion moves the arms slightly by three slow signals. Near the neutral stance, the rotation
// of each joint is then linear in them; the factors are found once, from gesture::PoseArm.
class IdleArm {
 public:
  // The signals that move an arm: the breath, and the drift of the arm and of the hand. 0: neutral.
  struct Play {
    float breath = 0, arm = 0, hand = 0;
  };
  // Returns the corresponding angles.
  static gesture::ArmAngles AnglesOf(const Play& play);

  IdleArm(const gesture::Body& body, gesture::Side side, const skel::PoseView& stance);

  // Writes the joints that move: equal to PoseArm of AnglesOf within 0.002 radians, for signals
  // within -2.5..2.5.
  void Pose(const Play& play, const skel::PoseSpan& out) const;

 private:
  static constexpr size_t kMost = 24;
  using Row = std::array<float, kMost>;

  std::vector<int> joints_;
  Row w_{}, x_{}, y_{}, z_{};               // their rotations in the stance
  std::array<std::array<Row, 3>, 3> by_{};  // by signal: half of the rotation vector, x, y, z
};

// Immutable; any thread.
struct IdleBody {
  // INVALID_ARGUMENT for a rig without the joints of H-Anim LOA-3.
  static absl::StatusOr<std::shared_ptr<const IdleBody>> Make(std::shared_ptr<const skel::Rig> rig);

  std::shared_ptr<const skel::Rig> rig;
  gesture::Body body;
  skel::Pose stance;
  std::vector<IdleArm> arms;  // left, right
  std::array<int, 8> look{};  // shapes: in, out, up, down of the left eye, then of the right
  std::array<int, 5> face{};  // shapes: brow, smile left and right, press left and right
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_IDLE_BODY_H_
