// An input that a node mixes into its pose.
#ifndef POSEWIRE_LIBS_GRAPH_WATCHED_INPUT_H_
#define POSEWIRE_LIBS_GRAPH_WATCHED_INPUT_H_

#include <memory>
#include <utility>

#include "libs/graph/node.h"
#include "libs/graph/presence.h"
#include "libs/graph/transition_requests.h"

namespace posewire::graph {

// Passes on the input's easing requests for elements that it has or had and that the mix uses, and
// requests easing of elements that appear or disappear, because the mix jumps there.
//
// One avatar, one thread. Only the constructor allocates.
class WatchedInput {
 public:
  // `node` may be null; then only get may be called.
  WatchedInput(std::unique_ptr<Node> node, int joints, int shapes)
      : node_(std::move(node)), watch_(joints, shapes) {}

  Node* get() const { return node_.get(); }
  Node* operator->() const { return node_.get(); }

  // Returns whether it had the element when it was last evaluated.
  bool said(size_t row, size_t element) const { return watch_.said(row, element); }

  // Evaluates the input into `out`. taken(row, element) is the weight of an element in the mix;
  // from 1 up the mix uses nothing else, so earlier requests for that element are dropped.
  template <typename F>
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out, F taken) {
    if (ctx.asks == nullptr) return node_->Evaluate(ctx, out);
    TransitionRequests asks(out.joints, out.shapes);
    TickContext aside = ctx;
    aside.asks = &asks;
    node_->Evaluate(aside, out);
    ctx.asks->Drop(
        [&](size_t row, size_t i) { return PresenceRow(out, row)[i] != 0 && taken(row, i) >= 1; });
    if (asks.any()) {
      ctx.asks->Each([&](size_t row, size_t i, TransitionRequests::Ms& ms) {
        const bool said = PresenceRow(out, row)[i] != 0 || watch_.said(row, i);
        if (asks.at(row, i) != 0 && said && taken(row, i) > 0) ms = asks.at(row, i);
      });
    }
    watch_.Note(out, [&](size_t row, size_t i) {
      if (taken(row, i) > 0) ctx.asks->Ask(row, i, kJumpEase_s);
    });
  }
  // Requests easing of every element that it had when it was last evaluated, because its weight
  // jumps.
  template <typename F>
  void AskAll(const TickContext& ctx, F taken) const {
    if (ctx.asks == nullptr) return;
    ctx.asks->Each([&](size_t row, size_t i, TransitionRequests::Ms& ms) {
      if (watch_.said(row, i) && taken(row, i) > 0) ms = TransitionRequests::MsOf(kJumpEase_s);
    });
  }

 private:
  std::unique_ptr<Node> node_;
  PresenceWatch watch_;
};

// A weight that changes by more than this in a 30th of a second is a switch, and is eased like one.
inline constexpr double kWeightSwitch = 0.2;
// Returns whether the change of a weight from `before` to `now` within dt_s was a switch.
inline bool IsSwitch(double before, double now, double dt_s) {
  const double way = now > before ? now - before : before - now;
  return way > kWeightSwitch * (dt_s > 1.0 / 30 ? dt_s * 30 : 1);
}

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_WATCHED_INPUT_H_
