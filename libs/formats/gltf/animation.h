// One animation of a glTF file: its joints and shapes, and their values at any time (glTF 2.0, 3.11
// and appendix C). For a VRM animation (VRMC_vrm_animation 1.0), the joints are its bones, with
// VRM's names instead of the nodes'. The shapes are ARKit's, derived from its expressions, and
// expressions of its own. `lookAt` rotates two eyes, unless ARKit shapes move them.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_ANIMATION_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_ANIMATION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/joints.h"
#include "libs/formats/gltf/node_scene.h"
#include "libs/formats/gltf/sampler.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"
#include "libs/vmc/expressions.h"

namespace posewire::gltf {

// The share of jawOpen that a stream's mouthClose (ACE's) includes. Apple's, which VRM avatars use,
// includes none.
inline constexpr float kJawOfMouthClose = 1;

class GltfAnimation {
 public:
  // `which`: a name, or a number from 0; "": the first. Errors as of OpenGltf.
  static absl::StatusOr<GltfAnimation> Read(Document& document, const std::string& which);

  // Reads one character of a scene, in the space of its place (libs/formats/gltf/node_scene.h).
  static absl::StatusOr<GltfAnimation> ReadCharacter(Document& document, const NodeScene& scene,
                                                     size_t character);

  // Returns the joints of the file's skins as its nodes are placed, which is the bind pose. Null if
  // there are none: without a skin, the nodes are in the pose of some frame.
  static absl::StatusOr<std::shared_ptr<const skel::Rig>> Skeleton(Document& document);
  const std::shared_ptr<const skel::Rig>& skeleton() const { return skeleton_; }

  // Paths, parents first, and names of shapes.
  const std::vector<std::string>& joints() const { return joints_; }
  const std::vector<std::string>& shapes() const { return shapes_; }
  // Ascending times of the keys of any joint, or of any shape.
  const std::vector<double>& pose_times() const { return pose_times_; }
  const std::vector<double>& weight_times() const { return weight_times_; }

  struct Place {
    skel::Vec3 translation;
    skel::Quat rotation;
  };
  // Returns places in the order of the joints; valid until the next call.
  const std::vector<Place>& PoseAt(double time_s);
  // Returns weights in the order of the shapes; 0 for those that the animation does not move.
  const std::vector<float>& WeightsAt(double time_s);

 private:
  struct Node {
    skel::Vec3 translation, scale{1, 1, 1};
    skel::Quat rotation;
    int samplers[3] = {-1, -1, -1};  // translation, rotation, scale
    bool moves = false;              // in this animation
    int expression = -1;
    // At the time of the last call.
    skel::Affine world;
    skel::Quat turn;  // without scale
    bool scaled = false;
  };
  // For a VRM animation: an expression's value is a node's movement along X.
  struct Expression {
    vmc::ExpressionId id;
    int shape = -1;  // of an expression that is neither a preset nor ARKit's
    int sampler = -1;
  };
  struct Shapes {
    int sampler = -1;
    // indices of its targets among the shapes; -1: another mesh uses the name
    std::vector<int> places;
  };

  static absl::StatusOr<GltfAnimation> ReadOne(Document& document, size_t animation,
                                               GltfAnimation out);
  void ReadNodes(Document& document);
  // VRMC_vrm_animation: reads which nodes are bones and expressions.
  void ReadVrmAnimation(Document& document);
  // If a VRM animation has lookAt: adds two eyes that follow it.
  void AddEyes();
  void ReadExpression(Document& document, int node, const Json& sampler);
  void ReadChannels(Document& document, const Json& animation);
  void ReadSampler(Document& document, const Json& sampler, size_t width, bool turns);
  void ReadWeights(Document& document, const Json& node, const Json& sampler);
  absl::Status ChooseJoints();
  std::shared_ptr<const skel::Rig> RestOfJoints() const;
  absl::Status FindTimes();

  // Of a scene's character: which nodes are its own, and the space of its place.
  std::vector<bool> own_;  // empty: all nodes
  skel::Affine onto_;
  skel::Quat onto_turn_;

  std::vector<JointNode> tree_;
  std::vector<Node> nodes_;       // as in tree_
  std::vector<int> order_;        // of nodes_, parents first; only nodes at or above a joint
  std::vector<int> joint_nodes_;  // of nodes_, by joint
  std::vector<Sampler> samplers_;
  std::vector<Shapes> weights_;
  std::vector<Expression> expressions_;
  int head_ = -1, look_at_ = -1;   // of nodes_, in a VRM animation
  int gaze_ = -1;                  // of samplers_
  std::vector<int> arkit_shapes_;  // of shapes_, in ARKit's order; none without expressions
  std::vector<std::string> joints_, shapes_;
  absl::flat_hash_set<std::string> taken_shapes_;  // the same as a set, during reading
  std::vector<double> pose_times_, weight_times_;
  std::vector<Place> pose_;
  std::shared_ptr<const skel::Rig> skeleton_;
  std::vector<float> shape_weights_, scratch_;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_ANIMATION_H_
