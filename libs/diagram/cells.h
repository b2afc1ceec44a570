// The upper part of a sheet: one cell per instant, each with the body in all views and close-ups.
#ifndef POSEWIRE_LIBS_DIAGRAM_CELLS_H_
#define POSEWIRE_LIBS_DIAGRAM_CELLS_H_

#include <vector>

#include "libs/diagram/body_plan.h"
#include "libs/diagram/canvas.h"
#include "libs/diagram/motion.h"
#include "libs/diagram/view.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

// Computes the layout in the constructor. The arguments must outlive this.
class Cells {
 public:
  Cells(const skel::Rig& rig, const BodyPlan& plan, const SampledMotion& motion,
        const std::vector<View>& views, double width);

  double height() const;
  void Draw(Canvas& canvas, Point corner) const;

 private:
  // What one view shows of all instants, relative to the figure's middle, in metres.
  struct ViewBox {
    ViewAxes axes;
    skel::Vec3 low, high;
    double width_m() const { return high.x - low.x; }
  };

  void Measure(const std::vector<View>& views);
  void Arrange(double width);
  skel::Vec3 Middle(const Instant& instant) const;
  void DrawCell(Canvas& canvas, size_t index, const Rect& cell) const;
  // Draws all views of the body; their names stay to the right of `name_x`.
  void DrawViews(Canvas& canvas, size_t index, const Rect& cell, double name_x) const;
  void DrawTrails(Canvas& canvas, size_t index, const ViewBox& box, Point origin) const;
  void DrawCloseUps(Canvas& canvas, const Instant& instant, const Rect& strip) const;

  const skel::Rig& rig_;
  const BodyPlan& plan_;
  const SampledMotion& motion_;
  std::vector<View> views_;
  std::vector<ViewBox> boxes_;
  bool follow_ = false;  // the figure travels, and is kept in the middle of its cell
  bool hands_ = false, face_ = false;
  double low_y_m_ = 0, high_y_m_ = 0;
  int columns_ = 1, rows_ = 1;
  double cell_width_ = 0, cell_height_ = 0, points_per_m_ = 100, strip_height_ = 0;
};

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_CELLS_H_
