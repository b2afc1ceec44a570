// Computes a character in a pose: shapes first, then joints, then what moves points after these.
#ifndef POSEWIRE_LIBS_CHARACTER_DEFORMER_H_
#define POSEWIRE_LIBS_CHARACTER_DEFORMER_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/character/after_skin.h"
#include "libs/character/character.h"
#include "libs/character/springs.h"
#include "libs/skel/affine.h"
#include "libs/skel/pose.h"

namespace posewire::character {

// Owns the arrays of one pose. One thread at a time; Pose does not allocate after the first call.
class Deformer {
 public:
  explicit Deformer(std::shared_ptr<const Character> character);

  // Computes every visible mesh in `pose`, on the character's rig. Joints that it omits are at
  // ease, other values at rest.
  // INVALID_ARGUMENT for a pose of another size.
  absl::Status Pose(const skel::PoseView& pose);

  // Computes only the joints: nodes() are valid after this, points and normals are not. For callers
  // who move the points in other ways.
  absl::Status PoseJoints(const skel::PoseView& pose);

  // Sets the time of the following poses, by which springs swing. Before the first call, they are
  // at rest.
  void SetTime(double at_s) { at_s_ = at_s; }

  // Shows choice `choice` of variant `part` from the next pose on. INVALID_ARGUMENT lists the valid
  // names.
  absl::Status Choose(absl::string_view part, absl::string_view choice);
  bool shown(size_t mesh) const { return shown_[mesh]; }
  // The base colour of a material with the current choices.
  const std::array<float, 4>& color(size_t material) const { return colors_[material]; }

  // For a visible mesh, after Pose; in character space.
  absl::Span<const skel::Vec3> points(size_t mesh) const { return parts_[mesh].points; }
  absl::Span<const skel::Vec3> normals(size_t mesh) const { return parts_[mesh].normals; }
  // What the skin alone makes of all visible meshes, after Pose, in the order of PointSkin. Empty:
  // nothing moves the points after it.
  absl::Span<const skel::Vec3> skinned() const;
  // Of the mesh's shapes.
  absl::Span<const float> weights(size_t mesh) const { return parts_[mesh].weights; }
  absl::Span<const skel::Affine> nodes() const { return models_; }
  const Character& character() const { return *character_; }

 private:
  struct Part {
    std::vector<float> weights;
    std::vector<float> plain_weights;  // without shapes of a joint of their own; empty: no such
    std::vector<skel::Vec3> points, normals;
  };
  absl::Status Walk(const skel::PoseView& pose);
  void ReadWeights(const skel::PoseView& pose);
  float ValueOf(const Drive& drive, const skel::PoseView& pose) const;
  void MoveNodes(absl::Span<const int> nodes, const skel::PoseView& pose);
  void ApplyChoices();
  absl::Status MoveSkinned(const skel::PoseView& pose);
  void AddJointShapes(const Mesh& mesh, Part& part) const;
  // Returns `pose` with omitted values filled in.
  skel::PoseView Filled(const skel::PoseView& pose);

  std::shared_ptr<const Character> character_;
  std::vector<Part> parts_;
  std::unique_ptr<AfterSkin> after_skin_;  // null: not made yet, or not needed
  std::vector<float> lattice_values_;      // of each move of each lattice
  skel::Pose filled_;
  std::vector<float> weights_;  // of the rig's shapes, in the character's terms
  std::vector<skel::Quat> joint_turns_, joint_rests_;  // of the rig, in model space
  std::vector<skel::Affine> models_;                   // of the nodes
  std::vector<skel::Quat> turns_;
  std::vector<int> link_of_;
  std::vector<std::vector<skel::Affine>> skin_transforms_;
  std::vector<size_t> choices_;
  std::vector<bool> shown_;
  std::vector<std::array<float, 4>> colors_;
  Springs springs_;
  std::optional<double> at_s_;
  int jaw_open_ = -1, mouth_close_ = -1;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_DEFORMER_H_
