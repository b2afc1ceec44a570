// Which clips a pose comes from: when in each, how much, and in which joints.
//
// A complex character is a simple one plus offsets that were baked with each clip, so whoever draws
// it must know what the graph mixes (docs/complex-characters.md). Nodes tell it from the top down:
// each gets the share of every joint that it will be seen with, and hands on what it leaves to the
// nodes below. At an easing stage the shares are eased as the pose is: a joint for which easing was
// asked keeps the shares that it was shown with, and their difference to the new ones decays on a
// clock of that joint. What is not below any more keeps its weight times what the clock leaves, at
// the time at which it stopped.
//
// Nobody pays for it who does not ask: without a store in the TickContext nothing is collected.
#ifndef POSEWIRE_LIBS_GRAPH_CONTRIBUTIONS_H_
#define POSEWIRE_LIBS_GRAPH_CONTRIBUTIONS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clip/clip.h"
#include "libs/graph/transition_requests.h"
#include "libs/skel/inertia.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig_limits.h"

namespace posewire::graph {

// The mean of f(shape) over all of them; 0 where there are none.
template <typename F>
float PartOfShapes(int shapes, F f) {
  float sum = 0;
  for (int s = 0; s < shapes; ++s) sum += f(static_cast<size_t>(s));
  return shapes > 0 ? sum / static_cast<float>(shapes) : 0;
}

// Whether a pose has the joint (1 or 0); of `joint` = joints, which part of the shapes it has.
inline float PartOf(const skel::PoseView& pose, size_t joint) {
  if (joint < static_cast<size_t>(pose.joints)) {
    return pose.has_r[joint] != 0 || pose.has_t[joint] != 0 ? 1.0f : 0.0f;
  }
  return PartOfShapes(pose.shapes, [&](size_t s) { return pose.has_w[s] != 0 ? 1.0f : 0.0f; });
}

// How much of each joint, 0..1; behind the last joint, how much of the shapes as a whole.
struct ContributionShare {
  // 1 of everything.
  explicit ContributionShare(int joints) : joints(static_cast<size_t>(joints)) {
    std::fill_n(row.begin(), this->joints + 1, 1.0f);
  }
  size_t size() const { return joints + 1; }
  // With all that `other` says but the row.
  ContributionShare& As(const ContributionShare& other) {
    additive = other.additive, mirrored = other.mirrored, late_s = other.late_s;
    return *this;
  }
  // Nothing of it is seen.
  bool none() const {
    return std::all_of(row.begin(), row.begin() + static_cast<ptrdiff_t>(size()),
                       [](float w) { return w <= 0; });
  }

  size_t joints;
  std::array<float, skel::kMostJoints + 1> row;
  bool additive = false;  // what plays is added as a difference
  bool mirrored = false;  // left and right are swapped
  double late_s = 0;      // shown so long after it played
};

// A clip or live source that is seen.
struct Contribution {
  static constexpr size_t kMostSource = 64;

  const clip::Clip* clip = nullptr;  // null: a live source
  // Of a live source, cut to kMostSource bytes.
  absl::string_view source() const { return {source_bytes.data(), source_size}; }
  double time_s = 0;  // in the clip; 0 of a live source
  bool additive = false, mirrored = false;
  bool frozen = false;  // it eases out, and its time stands
  std::array<char, kMostSource> source_bytes = {};
  size_t source_size = 0;
};

// Some contributions, each with its share of every joint. Only the constructor allocates. When it
// is full, the least one makes room.
class ContributionList {
 public:
  ContributionList(int joints, size_t capacity);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const Contribution& at(size_t i) const { return items_[i]; }
  Contribution& at(size_t i) { return items_[i]; }
  // Joints, then the shapes as a whole.
  absl::Span<const float> row(size_t i) const { return {rows_.data() + i * stride_, stride_}; }
  absl::Span<float> row(size_t i) { return {rows_.data() + i * stride_, stride_}; }
  // All of another's, as they are seen with `share`.
  void AddAll(const ContributionList& list, const ContributionShare& share);
  // The largest share of it: its weight.
  float weight(size_t i) const;
  // The weight of the heaviest that found no room.
  float left_out() const { return left_out_; }

  void Clear() { size_ = 0, left_out_ = 0; }
  // A clip as it plays at a time, in those joints that it has (and `mask`, null: all, lets through)
  // of `share`.
  void AddClip(const clip::Clip& clip, double time_s, const ContributionShare& share);
  void AddSource(absl::string_view source, const ContributionShare& share);
  // With that row; where the same is there already, on top of it. Rows of nothing are
  // left out.
  void Add(const Contribution& what, absl::Span<const float> row);
  // Heaviest first.
  void Sort();
  // Keeps the first n, of a sorted list.
  void Keep(size_t n);
  void CopyFrom(const ContributionList& other);
  // -1: is not there.
  int Find(const Contribution& what) const;

 private:
  void Swap(size_t a, size_t b);

  size_t stride_, capacity_, size_ = 0;
  float left_out_ = 0;
  std::vector<Contribution> items_;
  std::vector<float> rows_;
};

// The shares at one easing stage.
class ContributionEase {
 public:
  explicit ContributionEase(int joints);

  // Nothing was shown yet.
  void Forget();
  // Whether something eases out or in.
  bool active() const { return !left_.empty(); }
  // What was asked for at this tick, before Run.
  void Note(const TransitionRequests& asks);
  // What is below at this tick; changed to what is seen.
  void Run(double dt_s, ContributionList& list);

 private:
  void Rebase(const ContributionList& now);
  bool Jumps(const Contribution& was, const Contribution& now, double dt_s) const;

  size_t joints_;
  ContributionList shown_, left_, merged_;     // of the last tick; differences that decay
  std::vector<TransitionRequests::Ms> asked_;  // by joint, then of the shapes
  std::vector<skel::Inertia> clocks_;
  bool any_asked_ = false, known_ = false;
};

// All that an avatar's graph needs to tell contributions; made when somebody asks for them. One
// thread; only the constructor allocates.
class ContributionStore {
 public:
  static constexpr size_t kMost = 8;            // that are told
  static constexpr size_t kMostCollected = 16;  // and that are weighed against each other
  static constexpr size_t kMostStages = 4;      // with easing; further ones pass shares uneased

  explicit ContributionStore(int joints);

  // A tick begins.
  void Begin() { ++tick_; }
  // The stage's state: null when there are too many. One that was not seen at the tick before has
  // forgotten what it showed. `stage` null: the end of the graph, which outlives graphs.
  ContributionEase* StageOf(const void* stage);
  // Forgets the stages but the end of the graph: another graph follows.
  void ForgetStages();

  ContributionList& list() { return list_; }
  const ContributionList& list() const { return list_; }
  // Room for what is below a stage, from Enter to Leave.
  ContributionList& Enter() {
    scratch_[depth_].Clear();
    return scratch_[depth_++];
  }
  void Leave() { --depth_; }

 private:
  struct Stage {
    explicit Stage(int joints) : ease(joints) {}
    const void* key = nullptr;
    int64_t tick = -1;  // seen last; -1: free
    ContributionEase ease;
  };
  std::vector<Stage> stages_;  // the first is the end of the graph
  std::vector<ContributionList> scratch_;
  ContributionList list_;
  int64_t tick_ = 0;
  size_t depth_ = 0;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_CONTRIBUTIONS_H_
