// Draws one posed body: tapered bones in depth order, torso, head with nose and eyes.
#ifndef POSEWIRE_LIBS_DIAGRAM_STICK_FIGURE_H_
#define POSEWIRE_LIBS_DIAGRAM_STICK_FIGURE_H_

#include <vector>

#include "libs/diagram/body_plan.h"
#include "libs/diagram/canvas.h"
#include "libs/diagram/model_pose.h"
#include "libs/diagram/view.h"

namespace posewire::diagram {

// Placement of the figure's space on the page: `center` is at `origin`.
struct FigurePlacement {
  ViewAxes axes;
  skel::Vec3 center;
  Point origin;
  double points_per_m = 100;

  Point OnPage(skel::Vec3 p) const {
    const skel::Vec3 v = axes.Project(p - center);
    return {origin.x + v.x * points_per_m, origin.y - v.y * points_per_m};
  }
  double Depth(skel::Vec3 p) const { return axes.Project(p - center).z; }
};

void DrawFigure(Canvas& canvas, const BodyPlan& plan, const ModelPose& pose,
                const FigurePlacement& placement);

// Draws only the hand of one side (0 left, 1 right) and the end of its forearm.
void DrawHand(Canvas& canvas, const BodyPlan& plan, const ModelPose& pose, int side,
              const FigurePlacement& placement);

// Returns the middle of a hand, for a placement that shows it: between wrist and the farthest tip.
skel::Vec3 HandCenter(const BodyPlan& plan, const ModelPose& pose, int side);

// Turns a view so that the palm faces the viewer, from the nearer side, as upright as possible.
// Leaves the view unchanged if the rig has no fingers.
ViewAxes FacingPalm(const BodyPlan& plan, const ModelPose& pose, int side, const ViewAxes& view);

// Grows `low` and `high` by the extent of DrawFigure in view axes, relative to `center`.
void GrowExtent(const BodyPlan& plan, const ModelPose& pose, const ViewAxes& axes,
                skel::Vec3 center, skel::Vec3& low, skel::Vec3& high);

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_STICK_FIGURE_H_
