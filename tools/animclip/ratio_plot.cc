#include "tools/animclip/ratio_plot.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "libs/diagram/palette.h"

namespace posewire::animclip {
namespace {

using diagram::Canvas;
using diagram::Point;

constexpr double kWidth = 980, kPanel = 400, kTop = 64, kLeft = 70, kRight = 150, kGap = 62;
constexpr double kTextSize = 12, kLabelStep = 14;

// A logarithmic axis whose ends are at whole thirds of a decade.
struct Axis {
  double low, high;  // values at the ends
  double from, to;   // positions of the ends on the page

  double At(double value) const {
    return from + (to - from) * std::log(std::max(value, low) / low) / std::log(high / low);
  }
};

Axis AxisOver(double low, double high, double from, double to) {
  return {std::pow(10, std::floor(std::log10(low) * 3) / 3),
          std::pow(10, std::ceil(std::log10(high) * 3) / 3), from, to};
}

// Returns 1, 2 and 5 in each decade of the axis.
std::vector<double> Ticks(const Axis& axis) {
  std::vector<double> out;
  const int last = static_cast<int>(std::floor(std::log10(axis.high)));
  for (int decade = static_cast<int>(std::floor(std::log10(axis.low))); decade <= last; ++decade) {
    for (const double k : {1, 2, 5}) {
      const double value = k * std::pow(10, decade);
      if (value >= axis.low * 0.999 && value <= axis.high * 1.001) out.push_back(value);
    }
  }
  return out;
}

void DrawGrid(Canvas& canvas, const Axis& x, const Axis& y, const std::string& what) {
  const diagram::TextStyle small = {kTextSize, diagram::kMutedInk, diagram::Align::kCenter};
  const diagram::TextStyle side = {kTextSize, diagram::kMutedInk, diagram::Align::kRight};
  canvas.FillRect({x.from, y.to, x.to - x.from, y.from - y.to}, diagram::kPanel);
  for (const double value : Ticks(x)) {
    canvas.Line({x.At(value), y.from}, {x.At(value), y.to}, 1, diagram::kRule);
    canvas.Text({x.At(value), y.from + 17}, absl::StrFormat("%g", value), small);
  }
  for (const double value : Ticks(y)) {
    canvas.Line({x.from, y.At(value)}, {x.to, y.At(value)}, 1, diagram::kRule);
    canvas.Text({x.from - 8, y.At(value) + 4}, absl::StrFormat("%g", value), side);
  }
  canvas.Text({x.from, y.to - 8}, what,
              {kTextSize + 1, diagram::kInk, diagram::Align::kLeft, true});
  canvas.Text({x.to, y.from + 35}, "times smaller than 32-bit floats",
              {kTextSize, diagram::kInk, diagram::Align::kRight});
}

void DrawLine(Canvas& canvas, const RatioLine& line, absl::Span<const Point> at) {
  for (size_t k = 1; k < at.size(); ++k) {
    if (line.dashed) {
      canvas.DashedLine(at[k - 1], at[k], 2, line.color, 5);
    } else {
      canvas.Line(at[k - 1], at[k], 2, line.color);
    }
  }
  for (const Point& p : at) {
    canvas.FillCircle(p, 4, line.color);
    if (line.dashed) canvas.FillCircle(p, 2, diagram::kPaper);
  }
}

// Draws names on the right, ordered by the last marks of their lines, moved apart, with leader
// lines.
void DrawNames(Canvas& canvas, const std::vector<RatioLine>& lines,
               const std::vector<std::vector<Point>>& at, const Axis& x, const Axis& y) {
  std::vector<size_t> order;
  for (size_t k = 0; k < lines.size(); ++k) {
    if (!at[k].empty()) order.push_back(k);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return at[a].back().y < at[b].back().y; });
  std::vector<double> place;
  place.reserve(order.size());
  for (const size_t k : order) {
    place.push_back(std::max(at[k].back().y, place.empty() ? y.to + 6 : place.back() + kLabelStep));
  }
  double most = y.from;
  for (size_t i = place.size(); i-- > 0; most -= kLabelStep) place[i] = std::min(place[i], most);
  for (size_t i = 0; i < order.size(); ++i) {
    const RatioLine& line = lines[order[i]];
    const Point from = at[order[i]].back(), to = {x.to + 12, place[i]};
    canvas.Line({from.x + 5, from.y}, to, 0.7, diagram::WithAlpha(line.color, 0.35));
    canvas.Text({to.x + 4, to.y + 4}, line.name, {kTextSize, line.color});
  }
}

}  // namespace

absl::StatusOr<std::string> DrawRatios(const std::string& title,
                                       const std::vector<RatioLine>& lines,
                                       diagram::ImageFormat format) {
  double least = INFINITY, most = 0;
  for (const RatioLine& line : lines) {
    for (const RatioMark& mark : line.marks) {
      least = std::min(least, mark.ratio);
      most = std::max(most, mark.ratio);
    }
  }
  if (most == 0) return absl::InvalidArgumentError("no method to draw");
  const Axis x = AxisOver(least, most, kLeft, kWidth - kRight);
  return diagram::Render(format, kWidth, kTop + 2 * (kPanel + kGap), 1.5, [&](Canvas& canvas) {
    canvas.Text({kLeft, 24}, title, {15, diagram::kInk, diagram::Align::kLeft, true});
    for (const bool worst : {true, false}) {
      const auto value = [&](const RatioMark& mark) {
        return std::max(worst ? mark.worst_mm : mark.mean_mm, worst ? 1e-3 : 1e-4);
      };
      double low = INFINITY, high = 0;
      for (const RatioLine& line : lines) {
        for (const RatioMark& mark : line.marks) {
          low = std::min(low, value(mark));
          high = std::max(high, value(mark));
        }
      }
      const double top = kTop + (worst ? 0 : kPanel + kGap);
      const Axis y = AxisOver(low, high, top + kPanel, top);
      DrawGrid(canvas, x, y,
               worst ? "worst point of all frames, mm off" : "mean of points and frames, mm off");
      std::vector<std::vector<Point>> at;
      for (const RatioLine& line : lines) {
        at.emplace_back();
        for (const RatioMark& mark : line.marks) {
          at.back().push_back({x.At(mark.ratio), y.At(value(mark))});
        }
      }
      DrawNames(canvas, lines, at, x, y);
      for (size_t k = 0; k < lines.size(); ++k) DrawLine(canvas, lines[k], at[k]);
    }
  });
}

}  // namespace posewire::animclip
