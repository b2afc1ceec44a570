#include "libs/graph/switch_ease.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace posewire::graph {
namespace {

// The presence rows of a pose, with their lengths.
struct Row {
  const uint8_t* bytes;
  size_t size;
};
std::array<Row, 4> Rows(const skel::PoseView& p) {
  const auto joints = static_cast<size_t>(p.joints), shapes = static_cast<size_t>(p.shapes);
  return {Row{p.has_t, joints}, Row{p.has_r, joints}, Row{p.has_s, joints}, Row{p.has_w, shapes}};
}

}  // namespace

SwitchEase::SwitchEase(int joints, int shapes, int inputs, double duration_s,
                       const skel::PoseView& rest)
    : transition_(joints, shapes, duration_s, 0, rest), mask_(joints, shapes), watch_(joints) {
  for (int i = 0; i < inputs; ++i) {
    seen_.emplace_back(joints, shapes);
    noted_.push_back(0);
  }
}

void SwitchEase::Begin() {
  if (!ran_) {
    transition_.Forget();
    std::fill(noted_.begin(), noted_.end(), uint8_t{0});
  }
  if (!mixed_) watch_.Forget();
  ran_ = mixed_ = false;
  jump_ = false;
  // A transition under way goes on over its own elements.
  if (!transition_.active()) mask_.Fill(0);
}

void SwitchEase::Forget() {
  transition_.Forget();
  std::fill(noted_.begin(), noted_.end(), uint8_t{0});
  watch_.Forget();
  mask_.Fill(0);
  jump_ = ran_ = mixed_ = false;
}

void SwitchEase::Note(int input, const skel::PoseView& pose) {
  const auto i = static_cast<size_t>(input);
  const auto now = Rows(pose);
  for (size_t r = 0; r < now.size(); ++r) {
    uint8_t* before = seen_[i].row(r);
    if (std::memcmp(now[r].bytes, before, now[r].size) == 0) continue;
    for (size_t k = 0; noted_[i] != 0 && k < now[r].size; ++k) {
      if (now[r].bytes[k] != before[k]) Mark(r, k);
    }
    std::memcpy(before, now[r].bytes, now[r].size);
  }
  noted_[i] = 1;
}

void SwitchEase::Mark(size_t row, size_t element) {
  mask_.row(row)[element] = 1;
  jump_ = true;
}

void SwitchEase::WatchMix(double dt_s, const skel::PoseView& pose) {
  mixed_ = true;
  watch_.Run(dt_s, pose, [&](size_t joint) { Mark(1, joint); });
}

void SwitchEase::Run(double dt_s, bool jump, const skel::PoseSpan& pose) {
  ran_ = true;
  if (jump) mask_.Fill(1);
  const skel::PoseView only = mask_.view();
  transition_.Run(dt_s, jump || jump_, &only, pose);
}

}  // namespace posewire::graph
