// Curves over a common time axis, one lane below the other.
#ifndef POSEWIRE_LIBS_DIAGRAM_LANES_H_
#define POSEWIRE_LIBS_DIAGRAM_LANES_H_

#include <string>
#include <vector>

#include "libs/diagram/canvas.h"
#include "libs/diagram/motion.h"
#include "libs/diagram/spectrogram.h"
#include "libs/diagram/waveform.h"
#include "libs/skel/rig.h"

namespace posewire::diagram {

struct LaneOptions {
  int max_shapes = 16;
  int max_joints = 8;
  // Shapes and joints to draw, moving or not; empty: the largest movers.
  std::vector<std::string> names = {};
  const Spectrogram* spectrogram = nullptr;  // of the lanes' span; must outlive this; null: none
  // Another motion of the rig, sampled at the same times, whose curves are drawn behind as broad
  // pale bands; must outlive this; null: none.
  const SampledMotion* behind = nullptr;
};

// The curves below a sheet's figures. Heights and order are fixed before drawing.
class Lanes {
 public:
  // All arguments must outlive this. `wave` may be null.
  Lanes(const skel::Rig& rig, const SampledMotion& motion, const Waveform* wave,
        const LaneOptions& options);

  // Returns 0 if the clip has neither motion nor voice.
  double height() const;
  void Draw(Canvas& canvas, const Rect& box) const;
  // From top to bottom.
  std::vector<std::string> Labels() const;
  // Names in `options.names` without a lane.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  struct Axis;
  void AddMoversBehind();
  void Choose(const std::vector<std::string>& names);
  void DrawGrid(Canvas& canvas, const Axis& axis, const Rect& box) const;
  void DrawWave(Canvas& canvas, const Axis& axis, double y) const;
  void DrawSpectrogram(Canvas& canvas, const Axis& axis, double y) const;
  void DrawShape(Canvas& canvas, const Axis& axis, double y, const ShapeCurve& curve) const;
  void DrawTriple(Canvas& canvas, const Axis& axis, double y, const std::string& label,
                  Color label_color, const char* unit, const std::vector<skel::Vec3>& values,
                  const std::vector<skel::Vec3>* behind) const;
  void DrawHeading(Canvas& canvas, double x, double y, const std::string& text,
                   const std::string& note) const;

  const skel::Rig& rig_;
  const SampledMotion& motion_;
  const Waveform* wave_;
  const Spectrogram* spectrogram_;
  const SampledMotion* behind_;
  bool show_mover_;
  std::vector<ShapeCurve> shapes_;
  std::vector<const JointTrack*> joints_;
  std::vector<std::string> unknown_;
  size_t moving_shapes_ = 0, moving_joints_ = 0;
  float shape_low_ = 0, shape_high_ = 1;
};

}  // namespace posewire::diagram

#endif  // POSEWIRE_LIBS_DIAGRAM_LANES_H_
