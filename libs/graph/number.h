// A parameter of a node: constant, or following a variable.
#ifndef POSEWIRE_LIBS_GRAPH_NUMBER_H_
#define POSEWIRE_LIBS_GRAPH_NUMBER_H_

#include <algorithm>
#include <cmath>

#include "libs/graph/node.h"
#include "libs/graph/variables.h"

namespace posewire::graph {

// source * scale + offset, smoothed with the time constant smooth_s (0: not smoothed).
class Number {
 public:
  constexpr Number(double value = 1) : fixed_(value) {}  // NOLINT(google-explicit-constructor)
  // `variable` is an index into the instance's variables. The result is clamped to min..max.
  static Number Follow(int variable, double scale = 1, double offset = 0, double smooth_s = 0,
                       double min = -1e9, double max = 1e9) {
    Number n;
    n.min_ = min, n.max_ = max;
    n.variable_ = variable;
    n.scale_ = scale, n.offset_ = offset, n.smooth_s_ = smooth_s;
    return n;
  }

  // Call once per tick, in Update.
  double Step(const TickContext& ctx) {
    if (variable_ < 0) return fixed_;
    const double target =
        std::clamp(ctx.variables->number(variable_) * scale_ + offset_, min_, max_);
    const double share = smooth_s_ > 0 && started_ ? 1 - std::exp(-ctx.dt_s / smooth_s_) : 1;
    started_ = true;
    return fixed_ += (target - fixed_) * share;
  }
  // The value of the last Step; a constant's at any time.
  double value() const { return fixed_; }
  // Continues smoothing from the value in the replaced graph.
  void Adopt(const Number& old) {
    if (variable_ < 0 || old.variable_ < 0 || !old.started_) return;
    fixed_ = old.fixed_;
    started_ = true;
  }

 private:
  double fixed_ = 1;
  int variable_ = -1;
  double scale_ = 1, offset_ = 0, smooth_s_ = 0, min_ = -1e9, max_ = 1e9;
  bool started_ = false;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_NUMBER_H_
