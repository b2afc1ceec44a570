// Which clips contribute to a pose: the time in each, its weight, and the affected joints.
//
// A complex character is a simple one plus offsets that were baked with each clip, so its renderer
// needs the mix of clips (docs/complex-characters.md). Nodes report it from the top down: each node
// gets, for every joint, the share with which it will be visible, and passes the remaining share to
// the nodes below. At an easing stage the shares are eased like the pose: a joint for which easing
// was requested keeps its previous shares, and their difference to the new ones decays with that
// joint's time course. A clip that is no longer below keeps its weight times the remaining
// fraction, at the time where it stopped.
//
// There is no cost if contributions are not requested: without a store in the TickContext nothing
// is collected.
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
#include "libs/graph/node.h"
#include "libs/graph/transition_requests.h"
#include "libs/skel/inertia.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig_limits.h"

namespace posewire::graph {

// Returns the mean of f(shape) over all shapes; 0 if there are none.
template <typename F>
float PartOfShapes(int shapes, F f) {
  float sum = 0;
  for (int s = 0; s < shapes; ++s) sum += f(static_cast<size_t>(s));
  return shapes > 0 ? sum / static_cast<float>(shapes) : 0;
}

// Returns whether a pose has the joint (1 or 0); for `joint` = joints, the fraction of the shapes
// that it has.
inline float PartOf(const skel::PoseView& pose, size_t joint) {
  if (joint < static_cast<size_t>(pose.joints)) {
    return pose.has_r[joint] != 0 || pose.has_t[joint] != 0 ? 1.0f : 0.0f;
  }
  return PartOfShapes(pose.shapes, [&](size_t s) { return pose.has_w[s] != 0 ? 1.0f : 0.0f; });
}

// The share of each joint, 0..1; the entry after the last joint is for the shapes as a whole.
struct ContributionShare {
  // 1 for everything.
  explicit ContributionShare(int joints) : joints(static_cast<size_t>(joints)) {
    std::fill_n(row.begin(), this->joints + 1, 1.0f);
  }
  size_t size() const { return joints + 1; }
  // Copies everything from `other` except the row.
  ContributionShare& As(const ContributionShare& other) {
    additive = other.additive, mirrored = other.mirrored, late_s = other.late_s;
    return *this;
  }
  // Returns whether nothing of it is visible.
  bool none() const {
    return std::all_of(row.begin(), row.begin() + static_cast<ptrdiff_t>(size()),
                       [](float w) { return w <= 0; });
  }

  size_t joints;
  std::array<float, skel::kMostJoints + 1> row;
  bool additive = false;  // added as a difference
  bool mirrored = false;  // left and right are swapped
  double late_s = 0;      // shown this long after it played
};

// A name in UTF-8 that outlives its owner, cut to 64 bytes.
class KeptName {
 public:
  KeptName() = default;
  explicit KeptName(absl::string_view name) : size_(std::min(name.size(), bytes_.size())) {
    // Not within a character.
    while (size_ < name.size() && size_ > 0 && (name[size_] & 0xC0) == 0x80) --size_;
    std::copy_n(name.data(), size_, bytes_.begin());
  }
  absl::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 64> bytes_ = {};
  size_t size_ = 0;
};

// A visible clip or live source.
struct ClipContribution {
  const clip::Clip* clip = nullptr;  // null: a live source, or a clip that one plays
  KeptName source;                   // of these
  // The clip that a live source plays; 0: it does not say.
  uint64_t pushed_hash = 0;
  KeptName pushed_name;
  double time_s = 0;  // in the clip; 0 without one
  bool additive = false, mirrored = false;
  bool frozen = false;  // it is easing out, and its time does not advance
};

// A list of contributions, each with its share of every joint. Only the constructor allocates. If
// it is full, the smallest one is replaced.
class ContributionList {
 public:
  ContributionList(int joints, size_t capacity);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const ClipContribution& at(size_t i) const { return items_[i]; }
  ClipContribution& at(size_t i) { return items_[i]; }
  // Joints, then the shapes as a whole.
  absl::Span<const float> row(size_t i) const { return {rows_.data() + i * stride_, stride_}; }
  absl::Span<float> row(size_t i) { return {rows_.data() + i * stride_, stride_}; }
  // Adds all of another list, multiplied by `share`.
  void AddAll(const ContributionList& list, const ContributionShare& share);
  // Returns the largest share of a contribution: its weight.
  float weight(size_t i) const;
  // Returns the weight of the heaviest that did not fit.
  float left_out() const { return left_out_; }

  void Clear() { size_ = 0, left_out_ = 0; }
  // Adds a clip at a time, for its own joints (limited by `mask`, null: all) of `share`.
  void AddClip(const clip::Clip& clip, double time_s, const ContributionShare& share);
  void AddSource(absl::string_view source, const ContributionShare& share);
  // Adds a clip that the source plays, for its own joints of `share`.
  void AddPushed(absl::string_view source, const PushedClip& clip, const ContributionShare& share);
  // Adds a contribution with that row, or adds the row to an equal existing one. Rows of zeros are
  // ignored.
  void Add(const ClipContribution& what, absl::Span<const float> row);
  // Sorts by weight, heaviest first.
  void Sort();
  // Keeps the first n of a sorted list.
  void Keep(size_t n);
  void CopyFrom(const ContributionList& other);
  // Returns -1 if it is not in the list.
  int Find(const ClipContribution& what) const;

 private:
  void Swap(size_t a, size_t b);

  size_t stride_, capacity_, size_ = 0;
  float left_out_ = 0;
  std::vector<ClipContribution> items_;
  std::vector<float> rows_;
};

// The shares at one easing stage.
class ContributionEase {
 public:
  explicit ContributionEase(int joints);

  // Nothing has been shown yet.
  void Forget();
  // Returns whether anything is easing out or in.
  bool active() const { return !left_.empty(); }
  // What was asked for at this tick, before Run.
  void Note(const TransitionRequests& asks);
  // What is below at this tick; changed to what is seen.
  void Run(double dt_s, ContributionList& list);

 private:
  void Rebase(const ContributionList& now);
  bool Jumps(const ClipContribution& was, const ClipContribution& now, double dt_s) const;

  size_t joints_;
  ContributionList shown_, left_, merged_;     // of the last tick; differences that decay
  std::vector<TransitionRequests::Ms> asked_;  // by joint, then of the shapes
  std::vector<skel::Inertia> clocks_;
  bool any_asked_ = false, known_ = false;
};

// All state that an avatar's graph needs to report contributions; made when they are requested. One
// thread; only the constructor allocates.
class ContributionStore {
 public:
  static constexpr size_t kMost = 8;            // reported
  static constexpr size_t kMostCollected = 16;  // collected and compared
  static constexpr size_t kMostStages = 4;      // with easing; further stages pass shares uneased

  explicit ContributionStore(int joints);

  // Starts a tick.
  void Begin() { ++tick_; }
  // Returns the stage's state, or null if there are too many stages. If the stage was not used at
  // the previous tick, its state is reset. `stage` null: the end of the graph, which is kept when
  // graphs are replaced.
  ContributionEase* StageOf(const void* stage);
  // Forgets all stages except the end of the graph, because another graph follows.
  void ForgetStages();

  ContributionList& list() { return list_; }
  const ContributionList& list() const { return list_; }
  // Returns a list for the nodes below a stage, valid from Enter to Leave.
  ContributionList& Enter() {
    scratch_[depth_].Clear();
    return scratch_[depth_++];
  }
  void Leave() { --depth_; }

 private:
  struct Stage {
    explicit Stage(int joints) : ease(joints) {}
    const void* key = nullptr;
    int64_t tick = -1;  // last use; -1: free
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
