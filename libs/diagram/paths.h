// Draws the paths of wrists, head, hips and feet through space, from the front and from the side.
#ifndef POSEWIRE_LIBS_DIAGRAM_PATHS_H_
#define POSEWIRE_LIBS_DIAGRAM_PATHS_H_

#include <string>
#include <vector>

#include "libs/diagram/body_plan.h"
#include "libs/diagram/canvas.h"
#include "libs/diagram/motion.h"

namespace posewire::diagram {

struct FollowedJoint {
  std::string label;
  int joint = -1;
  Color color;
};
// Returns those of wrists, head, hips and feet that the plan has.
std::vector<FollowedJoint> FollowedJoints(const BodyPlan& plan);

class Paths {
 public:
  // `plan` and `motion`, whose paths are those of `joints`, must outlive this.
  Paths(const BodyPlan& plan, const SampledMotion& motion, std::vector<FollowedJoint> joints);

  // 0 if none of them moves.
  double height() const;
  void Draw(Canvas& canvas, const Rect& box) const;

 private:
  struct Frame;
  void DrawView(Canvas& canvas, const Frame& frame) const;
  void DrawTable(Canvas& canvas, Point at) const;

  const BodyPlan& plan_;
  const SampledMotion& motion_;
  std::vector<FollowedJoint> joints_;
};

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_PATHS_H_
