// The stream's camera: shots, the avatar's position in the picture, and camera motions.
#ifndef POSEWIRE_LIBS_GRAPH_CAMERA_NODE_H_
#define POSEWIRE_LIBS_GRAPH_CAMERA_NODE_H_

#include <memory>
#include <optional>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/number.h"
#include "libs/graph/pass_node.h"

namespace posewire::graph {

struct CameraSettings {
  // A place on the avatar: a joint, or a site on it, with the site's rotation if it has one.
  struct Place {
    int joint = -1;
    skel::Vec3 offset;
    std::optional<skel::Quat> rotation = std::nullopt;
  };
  struct Shot {
    Place look_at;
    double distance_m = 2, height_m = 0, left_deg = 0, focal_length_mm = 50;
    // The camera is at this place; of the other fields only the focal length is used.
    bool is_viewpoint = false;
  };
  struct Move {
    double sway_deg = 0, sway_hz = 0, push_in_m_s = 0, orbit_deg_s = 0;
  };
  // Choices, -1 for none, and the selection for each of their values: an index, or -1 for none.
  int shot_variable = -1, position_variable = -1, motion_variable = -1;
  std::vector<int> shot_of_choice, position_of_choice, motion_of_choice;
  Number transition_s = 1;
  std::vector<Shot> shots;      // without a variable, or with a value that selects none: the first
  std::vector<double> right_m;  // for each position
  std::vector<Move> motions;
};

// Does not change the pose. Outputs no camera until one of its variables has been set. Then it
// shows the selected shot: from `distance_m` in front of the place (turned by left_deg to the
// avatar's left) and `height_m` above it, looking at it. The camera follows the avatar with a lag,
// so that it does not nod with it. A viewpoint follows immediately, and looks along its site's +Z,
// or along the front of its joint if the site has no rotation.
//
// A change of shot takes `transition_s`, eased in and out, and moves around the avatar, not through
// it; 0 cuts. Changes of position take as long. A push-in continues to 40 percent of the distance,
// an orbit forever. When a motion ends, it is reverted over two seconds.
class CameraNode : public PassNode {
 public:
  // Requires at least one shot.
  CameraNode(std::shared_ptr<const BodyParts> parts, std::unique_ptr<Node> below,
             CameraSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  // A view on a circle around a place.
  struct Round {
    skel::Vec3 at;
    float distance = 2, height = 0, left = 0, right = 0, focal = 50;
  };
  struct State {
    bool on = false, seen = false;  // a variable was set; a view was shown
    bool is_round = false;          // the last view was on a circle around a place
    int shot = -1;
    std::vector<skel::Vec3> places;  // for each shot, followed with a lag
    float right_m = 0;
    float sway = 0, sway_phase = 0, push_m = 0, orbit = 0;
    float since_s = 0, length_s = 0;  // for the transition
    bool from_round = false;
    Round from, shown;
    CameraView from_view, view;
  };
  int Chosen(const TickContext& ctx, int variable, const std::vector<int>& of_choice) const;
  void StepMotion(const TickContext& ctx, const CameraSettings::Shot& shot, float dt_s);
  Round RoundOf(int shot) const;
  CameraView ViewOf(const Round& round) const;
  CameraView Look(const skel::PoseView& pose);

  std::shared_ptr<const BodyParts> parts_;
  CameraSettings settings_;
  State state_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_CAMERA_NODE_H_
