#include "libs/diagram/lanes.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/diagram/page.h"
#include "libs/diagram/palette.h"

namespace posewire::diagram {
namespace {

using skel::Vec3;

constexpr double kLabelWidth = 150, kValueWidth = 96;
constexpr double kAxisHeight = 24;
constexpr double kWaveLane = 52, kShapeLane = 28, kTripleLane = 52, kSpectrumLane = 112,
                 kLaneGap = 4;

// For the curves of the motion in the background.
constexpr double kBand = 5;
Color Pale(Color color) { return WithAlpha(color, 0.35); }

constexpr TextStyle kLabelText{11, kInk, Align::kRight, false};
constexpr TextStyle kValueText{9.5, kMutedInk, Align::kLeft, false};

// Returns a step of 1, 2 or 5 times a power of ten that divides `length` into at most `most` parts.
double NiceStep(double length, int most) {
  double step = std::pow(10.0, std::floor(std::log10(std::max(length, 1e-6) / most)));
  for (double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (length / (step * factor) <= most) return step * factor;
  }
  return step * 10;
}

// Keeps the lowest and the highest point of each column of the page, so that a long curve looks the
// same with few points.
std::vector<Point> Thinned(const std::vector<Point>& points) {
  std::vector<Point> out;
  for (size_t i = 0; i < points.size();) {
    size_t low = i, high = i, end = i;
    const double column = std::floor(points[i].x * 2);
    for (; end < points.size() && std::floor(points[end].x * 2) == column; ++end) {
      if (points[end].y < points[low].y) low = end;
      if (points[end].y > points[high].y) high = end;
    }
    out.push_back(points[std::min(low, high)]);
    if (low != high) out.push_back(points[std::max(low, high)]);
    i = end;
  }
  return out;
}

std::string TimeText(double t_s, double step_s) {
  const int digits = step_s >= 1 ? 0 : step_s >= 0.1 ? 1 : 2;
  return absl::StrFormat("%.*f s", digits, t_s);
}

std::string SignedText(float value, const char* unit) {
  const long rounded = std::lround(value);
  return rounded == 0 ? absl::StrCat("0", unit) : absl::StrFormat("%+d%s", rounded, unit);
}

}  // namespace

// The plot's position on the page and the times at its ends.
struct Lanes::Axis {
  double x, width, start_s, end_s;

  double X(double t_s) const { return x + width * (t_s - start_s) / (end_s - start_s); }
};

Lanes::Lanes(const skel::Rig& rig, const SampledMotion& motion, const Waveform* wave,
             const LaneOptions& options)
    : rig_(rig),
      motion_(motion),
      wave_(wave != nullptr && !wave->empty() ? wave : nullptr),
      spectrogram_(options.spectrogram),
      behind_(options.behind),
      show_mover_(motion.mover >= 0),
      shapes_(MovingShapes(rig, motion)),
      joints_(FindMovingTracks(motion).tracks) {
  if (behind_ != nullptr) AddMoversBehind();
  moving_shapes_ = shapes_.size();
  moving_joints_ = joints_.size();
  if (!options.names.empty()) {
    Choose(options.names);
  } else {
    const auto shapes = static_cast<size_t>(options.max_shapes);
    const auto joints = static_cast<size_t>(options.max_joints);
    if (shapes_.size() > shapes) shapes_.resize(shapes);
    if (joints_.size() > joints) joints_.resize(joints);
  }
  float high = 0.2f;
  for (const ShapeCurve& c : shapes_) {
    shape_low_ = std::min(shape_low_, c.low);
    high = std::max(high, c.high);
  }
  // All shapes have the same scale, rounded up to 0.2, so that lanes can be compared.
  shape_high_ = std::ceil(high * 5 - 0.01f) / 5;
  if (shape_low_ > -0.02f) shape_low_ = 0;
}

// Adds lanes for the shapes and joints that move only in the background motion. Each lane covers
// both curves.
void Lanes::AddMoversBehind() {
  for (const ShapeCurve& other : MovingShapes(rig_, *behind_)) {
    const auto same = std::find_if(shapes_.begin(), shapes_.end(),
                                   [&](const ShapeCurve& c) { return c.label == other.label; });
    if (same == shapes_.end()) {
      shapes_.push_back(other);
      continue;
    }
    same->low = std::min(same->low, other.low);
    same->high = std::max(same->high, other.high);
  }
  for (const JointTrack* other : FindMovingTracks(*behind_).tracks) {
    const JointTrack* here = &motion_.tracks[static_cast<size_t>(other - behind_->tracks.data())];
    if (std::find(joints_.begin(), joints_.end(), here) == joints_.end()) joints_.push_back(here);
  }
}

// Selects lanes by name: a shape by its own name or that of its pair, a joint by that of its track,
// and the path of the mover by "position".
void Lanes::Choose(const std::vector<std::string>& names) {
  const std::vector<ShapeCurve> moving = std::move(shapes_);
  shapes_.clear();
  joints_.clear();
  show_mover_ = false;
  for (const std::string& name : names) {
    const int shape = rig_.FindShape(name);
    const auto curve = std::find_if(moving.begin(), moving.end(), [&](const ShapeCurve& c) {
      return c.label == name || (shape >= 0 && (c.left == shape || c.right == shape));
    });
    const auto track = std::find_if(motion_.tracks.begin(), motion_.tracks.end(),
                                    [&](const JointTrack& t) { return t.label == name; });
    if (curve != moving.end()) {
      shapes_.push_back(*curve);
    } else if (shape >= 0) {
      shapes_.push_back({name, -1, -1, shape, 0, 0});
    } else if (track != motion_.tracks.end()) {
      joints_.push_back(&*track);
    } else if (name == "position" && motion_.mover >= 0) {
      show_mover_ = true;
    } else {
      unknown_.push_back(name);
    }
  }
  moving_shapes_ = shapes_.size();
  moving_joints_ = joints_.size();
}

std::vector<std::string> Lanes::Labels() const {
  std::vector<std::string> out;
  if (wave_ != nullptr) out.push_back("voice");
  if (spectrogram_ != nullptr) out.push_back("spectrogram");
  for (const ShapeCurve& c : shapes_) out.push_back(c.label);
  if (show_mover_) {
    out.push_back(rig_.joint_names()[static_cast<size_t>(motion_.mover)] + " position");
  }
  for (const JointTrack* t : joints_) out.push_back(t->label);
  return out;
}

double Lanes::height() const {
  if (motion_.times_s.size() < 2) return 0;
  double h = 0;
  if (wave_ != nullptr) h += kSectionHeading + kWaveLane + kLaneGap;
  if (spectrogram_ != nullptr) h += kSpectrumLane + kLaneGap;
  if (!shapes_.empty())
    h += kSectionHeading + static_cast<double>(shapes_.size()) * (kShapeLane + kLaneGap);
  const size_t triples = joints_.size() + (show_mover_ ? 1 : 0);
  if (triples > 0) h += kSectionHeading + static_cast<double>(triples) * (kTripleLane + kLaneGap);
  return h > 0 ? h + kAxisHeight : 0;
}

void Lanes::Draw(Canvas& canvas, const Rect& box) const {
  if (height() <= 0) return;
  const Axis axis{box.x + kLabelWidth, box.w - kLabelWidth - kValueWidth, motion_.times_s.front(),
                  motion_.times_s.back()};
  DrawGrid(canvas, axis, box);
  double y = box.y;
  if (wave_ != nullptr) {
    DrawHeading(canvas, axis.x, y, "Voice", absl::StrCat(wave_->rate_hz(), " Hz"));
    DrawWave(canvas, axis, y + kSectionHeading);
    y += kSectionHeading + kWaveLane + kLaneGap;
  }
  if (spectrogram_ != nullptr) {
    DrawSpectrogram(canvas, axis, y);
    y += kSpectrumLane + kLaneGap;
  }
  if (!shapes_.empty()) {
    std::string note = absl::StrFormat("weights, scale %g to %g", shape_low_, shape_high_);
    if (moving_shapes_ > shapes_.size()) {
      absl::StrAppend(&note, "; ", moving_shapes_ - shapes_.size(), " smaller ones left out");
    }
    DrawHeading(canvas, axis.x, y, "Face shapes", note);
    y += kSectionHeading;
    for (const ShapeCurve& curve : shapes_) {
      DrawShape(canvas, axis, y, curve);
      y += kShapeLane + kLaneGap;
    }
  }
  if (joints_.empty() && !show_mover_) return;
  std::string note = "turn from rest about";
  if (moving_joints_ > joints_.size()) {
    note = absl::StrCat(moving_joints_ - joints_.size(), " smaller ones left out; ", note);
  }
  DrawHeading(canvas, axis.x, y, "Joints", note);
  y += kSectionHeading;
  if (show_mover_) {
    std::vector<Vec3> values;
    for (const Vec3& v : motion_.mover_m) values.push_back(v * 100);
    std::vector<Vec3> behind;
    if (behind_ != nullptr && behind_->mover == motion_.mover) {
      for (const Vec3& v : behind_->mover_m) behind.push_back(v * 100);
    }
    DrawTriple(canvas, axis, y,
               rig_.joint_names()[static_cast<size_t>(motion_.mover)] + " position", kInk, " cm",
               values, behind.empty() ? nullptr : &behind);
    y += kTripleLane + kLaneGap;
  }
  for (const JointTrack* track : joints_) {
    DrawTriple(canvas, axis, y, track->label,
               track->side == Side::kMiddle ? kInk : SideColor(track->side), "\u00b0",
               track->turn_deg,
               behind_ == nullptr
                   ? nullptr
                   : &behind_->tracks[static_cast<size_t>(track - motion_.tracks.data())].turn_deg);
    y += kTripleLane + kLaneGap;
  }
}

// Draws the marks of the time axis at the bottom, and the figures' instants as numbered lines.
void Lanes::DrawGrid(Canvas& canvas, const Axis& axis, const Rect& box) const {
  const double foot = box.y + height() - kAxisHeight;
  const double step = NiceStep(axis.end_s - axis.start_s, 12);
  for (int k = static_cast<int>(std::ceil(axis.start_s / step - 1e-9));
       k * step <= axis.end_s + 1e-9; ++k) {
    const double x = axis.X(k * step);
    canvas.Line({x, foot}, {x, foot + 4}, 1, kMutedInk);
    canvas.Text({x, foot + 16}, TimeText(k * step, step), {9.5, kMutedInk, Align::kCenter, false});
  }
  canvas.Line({axis.x, foot}, {axis.x + axis.width, foot}, 1, kMutedInk);
  for (size_t i = 0; i < motion_.instants.size(); ++i) {
    const double x = axis.X(motion_.instants[i].t_s);
    canvas.DashedLine({x, box.y + 12}, {x, foot}, 0.8, kRule, 3);
    canvas.Text({x, box.y + 6}, absl::StrCat(i + 1), {9.5, kMutedInk, Align::kCenter, true});
  }
}

void Lanes::DrawHeading(Canvas& canvas, double x, double y, const std::string& text,
                        const std::string& note) const {
  const TextStyle bold{11.5, kInk, Align::kLeft, true};
  const TextStyle small{9.5, kMutedInk, Align::kLeft, false};
  const double width = canvas.TextWidth(text, bold), more = canvas.TextWidth(note, small);
  const bool turns = text == "Joints";
  // Keeps the lines of the instants from crossing the text.
  canvas.FillRect({x - 2, y + 10, width + more + (turns ? 66.0 : 16.0), kSectionHeading - 13},
                  kPaper);
  canvas.Text({x, y + 22}, text, bold);
  canvas.Text({x + width + 8, y + 22}, note, small);
  if (!turns) return;
  const char* names[3] = {"X", "Y", "Z"};
  for (int i = 0; i < 3; ++i) {
    canvas.Text({x + width + more + 14 + 15 * i, y + 22}, names[i],
                {10, kAxis[i], Align::kLeft, true});
  }
}

void Lanes::DrawWave(Canvas& canvas, const Axis& axis, double y) const {
  canvas.FillRect({axis.x, y, axis.width, kWaveLane}, WithAlpha(kPanel, 0.8));
  const double middle = y + kWaveLane / 2;
  const double per_point = (axis.end_s - axis.start_s) / axis.width;
  std::vector<std::pair<float, float>> ranges;
  float peak = 0;
  for (int x = 0; x < static_cast<int>(axis.width); ++x) {
    const double t = axis.start_s + x * per_point;
    ranges.push_back(wave_->Range(t, t + per_point));
    peak = std::max({peak, -ranges.back().first, ranges.back().second});
  }
  const double gain = kWaveLane / 2 * 0.94 / std::max(peak, 0.02f);
  std::vector<Point> outline;
  for (size_t i = 0; i < ranges.size(); ++i) {
    outline.push_back({axis.x + static_cast<double>(i), middle - ranges[i].second * gain});
  }
  for (size_t i = ranges.size(); i-- > 0;) {
    outline.push_back({axis.x + static_cast<double>(i), middle - ranges[i].first * gain});
  }
  canvas.FillPolygon(outline, Hex(0x7B8794));
  canvas.Line({axis.x, middle}, {axis.x + axis.width, middle}, 0.6, Hex(0x7B8794));
  canvas.Text({axis.x - 10, middle + 4}, "voice", kLabelText);
  canvas.Text({axis.x + axis.width + 8, middle + 4},
              absl::StrFormat("peak %.0f dB", 20 * std::log10(std::max(peak, 1e-5f))), kValueText);
}

void Lanes::DrawSpectrogram(Canvas& canvas, const Axis& axis, double y) const {
  const Spectrogram& s = *spectrogram_;
  std::vector<uint32_t> pixels;
  for (int row = s.rows - 1; row >= 0; --row) {
    for (int column = 0; column < s.columns; ++column) {
      const double level = s.at(column, row);
      const Color c = level < 0.5 ? Mix(kPanel, Hex(0x7FA8D9), level * 2)
                                  : Mix(Hex(0x7FA8D9), Hex(0x101B3A), level * 2 - 1);
      const auto byte = [](double v) { return static_cast<uint32_t>(std::lround(v * 255)); };
      pixels.push_back(byte(c.r) << 16 | byte(c.g) << 8 | byte(c.b));
    }
  }
  canvas.Image({axis.x, y, axis.width, kSpectrumLane}, s.columns, s.rows, pixels);
  for (int khz = 0; khz * 1000 <= s.top_hz; khz += 2) {
    const double at = y + kSpectrumLane * (1 - khz * 1000 / s.top_hz);
    canvas.Line({axis.x + axis.width, at}, {axis.x + axis.width + 4, at}, 0.8, kMutedInk);
    canvas.Text({axis.x + axis.width + 8, std::clamp(at + 3, y + 8, y + kSpectrumLane)},
                absl::StrCat(khz, " kHz"), kValueText);
  }
  canvas.Text({axis.x - 10, y + kSpectrumLane / 2 - 2}, "spectrogram", kLabelText);
  canvas.Text({axis.x - 10, y + kSpectrumLane / 2 + 11},
              absl::StrFormat("%.0f dB under its peak", kSpectrogramRange_db),
              {9.5, kMutedInk, Align::kRight, false});
}

void Lanes::DrawShape(Canvas& canvas, const Axis& axis, double y, const ShapeCurve& curve) const {
  canvas.FillRect({axis.x, y, axis.width, kShapeLane}, WithAlpha(kPanel, 0.8));
  const double scale = kShapeLane / (shape_high_ - shape_low_);
  const double zero = y + kShapeLane + shape_low_ * scale;
  canvas.Line({axis.x, zero}, {axis.x + axis.width, zero}, 0.6, kRule);
  const auto line_of = [&](const SampledMotion& motion, int shape) {
    std::vector<Point> line;
    for (size_t i = 0; i < motion.times_s.size(); ++i) {
      line.push_back({axis.X(motion.times_s[i]), zero - motion.weight(i, shape) * scale});
    }
    return Thinned(line);
  };
  const auto draw = [&](int shape, Color color) {
    if (shape < 0) return;
    if (behind_ != nullptr) canvas.Polyline(line_of(*behind_, shape), kBand, Pale(color));
    const std::vector<Point> line = line_of(motion_, shape);
    std::vector<Point> area = line;
    area.push_back({line.back().x, zero});
    area.push_back({line.front().x, zero});
    canvas.FillPolygon(area, WithAlpha(color, 0.16));
    canvas.Polyline(line, 1.4, color);
  };
  draw(curve.middle, kMiddle);
  draw(curve.right, kRight);
  draw(curve.left, kLeft);
  double x = axis.x - 10;
  const double base = y + kShapeLane / 2 + 4;
  const TextStyle side{9, kRight, Align::kRight, true};
  if (curve.right >= 0) {
    canvas.Text({x, base}, "R", side);
    x -= 10;
  }
  if (curve.left >= 0) {
    canvas.Text({x, base}, "L", {9, kLeft, Align::kRight, true});
    x -= 10;
  }
  canvas.Text({curve.middle >= 0 ? x : x - 2, base}, curve.label, kLabelText);
  const std::string range = curve.low < -0.005f
                                ? absl::StrFormat("%.2f to %.2f", curve.low, curve.high)
                                : absl::StrFormat("max %.2f", curve.high);
  canvas.Text({axis.x + axis.width + 8, base}, range, kValueText);
}

void Lanes::DrawTriple(Canvas& canvas, const Axis& axis, double y, const std::string& label,
                       Color label_color, const char* unit, const std::vector<Vec3>& values,
                       const std::vector<Vec3>* behind) const {
  canvas.FillRect({axis.x, y, axis.width, kTripleLane}, WithAlpha(kPanel, 0.8));
  float low = 0, high = 0;
  for (const std::vector<Vec3>* all : {&values, behind}) {
    for (size_t i = 0; all != nullptr && i < all->size(); ++i) {
      const Vec3& v = (*all)[i];
      low = std::min({low, v.x, v.y, v.z});
      high = std::max({high, v.x, v.y, v.z});
    }
  }
  // At least 10 degrees (or centimetres) high, so that breathing does not look like a jump.
  const float middle = (low + high) / 2, half = std::max((high - low) / 2, 5.0f) * 1.08f;
  const double scale = kTripleLane / (2 * half);
  const auto at = [&](float v) { return y + kTripleLane / 2 - (v - middle) * scale; };
  canvas.Line({axis.x, at(0)}, {axis.x + axis.width, at(0)}, 0.6, kRule);
  canvas.PushClip({axis.x, y, axis.width, kTripleLane});
  const auto draw = [&](const std::vector<Vec3>& all, int c, double width, Color color) {
    std::vector<Point> line;
    for (size_t i = 0; i < all.size(); ++i) {
      const float v = c == 0 ? all[i].x : c == 1 ? all[i].y : all[i].z;
      line.push_back({axis.X(motion_.times_s[i]), at(v)});
    }
    canvas.Polyline(Thinned(line), width, color);
  };
  for (int c = 0; c < 3 && behind != nullptr; ++c) draw(*behind, c, kBand, Pale(kAxis[c]));
  for (int c = 0; c < 3; ++c) draw(values, c, 1.4, kAxis[c]);
  canvas.PopClip();
  TextStyle style = kLabelText;
  style.color = label_color;
  canvas.Text({axis.x - 10, y + kTripleLane / 2 + 4}, label, style);
  const double x = axis.x + axis.width + 8;
  canvas.Text({x, y + 11}, SignedText(high, unit), kValueText);
  canvas.Text({x, y + kTripleLane - 3}, SignedText(low, unit), kValueText);
}

}  // namespace posewire::diagram
