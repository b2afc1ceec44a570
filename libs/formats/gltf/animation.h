// One animation of a glTF file: which nodes are joints, which morph targets are shapes, and what
// both are at any time (glTF 2.0, 3.11 and appendix C). Of a VRM animation (VRMC_vrm_animation 1.0)
// the joints are its bones, by VRM's names and not by the nodes', and the shapes are what its
// expressions are of ARKit's, and expressions of its own; where it looks (`lookAt`) turns two eyes,
// unless shapes of ARKit's do.
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
#include "libs/formats/gltf/sampler.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"
#include "libs/vmc/expressions.h"

namespace posewire::gltf {

// How much of jawOpen a stream's mouthClose, ACE's, includes; that of VRM's avatars, Apple's, has
// none.
inline constexpr float kJawOfMouthClose = 1;

class GltfAnimation {
 public:
  // `which`: a name, or a number from 0; "": the first. Errors as of OpenGltf.
  static absl::StatusOr<GltfAnimation> Read(Document& document, const std::string& which);

  // The joints of the file's skins as its nodes stand, which is how they are bound. Null: it has
  // none; without a skin, nodes stand as in some frame.
  static absl::StatusOr<std::shared_ptr<const skel::Rig>> Skeleton(Document& document);
  const std::shared_ptr<const skel::Rig>& skeleton() const { return skeleton_; }

  // Paths, parents first, and names of shapes.
  const std::vector<std::string>& joints() const { return joints_; }
  const std::vector<std::string>& shapes() const { return shapes_; }
  // Rising; those at which any joint, or any shape, has a key.
  const std::vector<double>& pose_times() const { return pose_times_; }
  const std::vector<double>& weight_times() const { return weight_times_; }

  struct Place {
    skel::Vec3 translation;
    skel::Quat rotation;
  };
  // In the order of the joints; valid until the next call.
  const std::vector<Place>& PoseAt(double time_s);
  // In the order of the shapes; those that the animation does not move are 0.
  const std::vector<float>& WeightsAt(double time_s);

 private:
  struct Node {
    skel::Vec3 translation, scale{1, 1, 1};
    skel::Quat rotation;
    int samplers[3] = {-1, -1, -1};  // translation, rotation, scale
    bool moves = false;              // in this animation
    int expression = -1;
    // As of the time that was asked for last.
    skel::Affine world;
    skel::Quat turn;  // without scale
    bool scaled = false;
  };
  // Of a VRM animation: an expression is how far a node has moved along X.
  struct Expression {
    vmc::ExpressionId id;
    int shape = -1;  // of one that is neither a preset nor ARKit's
    int sampler = -1;
  };
  struct Shapes {
    int sampler = -1;
    std::vector<int> places;  // of its targets among the shapes; -1: another mesh has the name
  };

  void ReadNodes(Document& document);
  // VRMC_vrm_animation: names the bones' nodes, and says which nodes are expressions.
  void ReadVrmAnimation(Document& document);
  // Where lookAt says where a VRM animation looks: two eyes that look there.
  void AddEyes();
  void ReadExpression(Document& document, int node, const Json& sampler);
  void ReadChannels(Document& document, const Json& animation);
  void ReadSampler(Document& document, const Json& sampler, size_t width, bool turns);
  void ReadWeights(Document& document, const Json& node, const Json& sampler);
  absl::Status ChooseJoints();
  std::shared_ptr<const skel::Rig> RestOfJoints() const;
  absl::Status FindTimes();

  std::vector<JointNode> tree_;
  std::vector<Node> nodes_;       // as in tree_
  std::vector<int> order_;        // of nodes_, parents first; those above a joint alone
  std::vector<int> joint_nodes_;  // of nodes_, by joint
  std::vector<Sampler> samplers_;
  std::vector<Shapes> weights_;
  std::vector<Expression> expressions_;
  int head_ = -1, look_at_ = -1;   // of nodes_, in a VRM animation
  int gaze_ = -1;                  // of samplers_
  std::vector<int> arkit_shapes_;  // of shapes_, in ARKit's order; none without expressions
  std::vector<std::string> joints_, shapes_;
  absl::flat_hash_set<std::string> taken_shapes_;  // the same as a set, while they are read
  std::vector<double> pose_times_, weight_times_;
  std::vector<Place> pose_;
  std::shared_ptr<const skel::Rig> skeleton_;
  std::vector<float> shape_weights_, scratch_;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_ANIMATION_H_
