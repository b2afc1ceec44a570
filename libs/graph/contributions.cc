#include "libs/graph/contributions.h"

#include <algorithm>
#include <cmath>

namespace posewire::graph {
namespace {

// Smaller shares count as zero.
constexpr float kNothing = 1e-4f;
// Times of one clip further apart than this, in addition to a tick, are not one playback.
constexpr double kJump_s = 0.05, kFastest = 4;

}  // namespace

ContributionList::ContributionList(int joints, size_t capacity)
    : stride_(static_cast<size_t>(joints) + 1),
      capacity_(capacity),
      items_(capacity),
      rows_(capacity * stride_) {}

float ContributionList::weight(size_t i) const {
  float most = 0;
  for (const float w : row(i)) most = std::max(most, std::fabs(w));
  return most;
}

int ContributionList::Find(const ClipContribution& what) const {
  for (size_t i = 0; i < size_; ++i) {
    const ClipContribution& is = items_[i];
    const bool same_clip = is.clip == what.clip || (is.clip != nullptr && what.clip != nullptr &&
                                                    is.clip->name() == what.clip->name());
    if (same_clip && is.additive == what.additive && is.mirrored == what.mirrored &&
        is.frozen == what.frozen && is.source.view() == what.source.view() &&
        is.pushed_hash == what.pushed_hash &&
        (!is.frozen || std::fabs(is.time_s - what.time_s) < 1e-9)) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void ContributionList::Add(const ClipContribution& what, absl::Span<const float> row) {
  float most = 0;
  for (const float w : row) most = std::max(most, std::fabs(w));
  if (!(most > kNothing)) return;
  if (const int same = Find(what); same >= 0) {
    const absl::Span<float> to = this->row(static_cast<size_t>(same));
    for (size_t j = 0; j < stride_; ++j) to[j] += row[j];
    return;
  }
  size_t at = size_;
  if (size_ == capacity_) {
    at = 0;
    for (size_t i = 1; i < size_; ++i) at = weight(i) < weight(at) ? i : at;
    const float least = weight(at);
    left_out_ = std::max(left_out_, std::min(least, most));
    if (least >= most) return;
  } else {
    ++size_;
  }
  items_[at] = what;
  std::copy(row.begin(), row.end(), this->row(at).begin());
}

void ContributionList::AddClip(const clip::Clip& clip, double time_s,
                               const ContributionShare& share) {
  if (clip.frames() == 0) return;
  ClipContribution what;
  what.clip = &clip;
  what.additive = share.additive;
  what.mirrored = share.mirrored;
  time_s -= share.late_s;
  const double end = clip.duration_s();
  if (clip.loops() && end > 0) {
    time_s = std::fmod(time_s, end);
    if (time_s < 0) time_s += end;
  }
  what.time_s = std::clamp(time_s, 0.0, end);
  const skel::PoseView first = clip.frame(0);
  std::array<float, skel::kMostJoints + 1> row;
  for (size_t j = 0; j < stride_; ++j) row[j] = share.row[j] * PartOf(first, j);
  Add(what, {row.data(), stride_});
}

void ContributionList::AddSource(absl::string_view source, const ContributionShare& share) {
  ClipContribution what;
  what.additive = share.additive;
  what.mirrored = share.mirrored;
  what.source = KeptName(source);
  Add(what, {share.row.data(), stride_});
}

void ContributionList::AddPushed(absl::string_view source, const PushedClip& clip,
                                 const ContributionShare& share) {
  ClipContribution what;
  what.source = KeptName(source);
  what.pushed_hash = clip.hash;
  what.pushed_name = KeptName(clip.name);
  what.time_s = clip.frozen ? clip.time_s : std::max(0.0, clip.time_s - share.late_s);
  what.additive = share.additive || clip.additive;
  what.mirrored = share.mirrored != clip.mirrored;
  what.frozen = clip.frozen;
  std::array<float, skel::kMostJoints + 1> row;
  for (size_t j = 0; j < stride_; ++j) {
    row[j] = share.row[j] * clip.share(j);
  }
  Add(what, {row.data(), stride_});
}

void ContributionList::AddAll(const ContributionList& list, const ContributionShare& share) {
  std::array<float, skel::kMostJoints + 1> row;
  for (size_t i = 0; i < list.size(); ++i) {
    for (size_t j = 0; j < stride_; ++j) row[j] = list.row(i)[j] * share.row[j];
    Add(list.at(i), {row.data(), stride_});
  }
  left_out_ = std::max(left_out_, list.left_out());
}

void ContributionList::Swap(size_t a, size_t b) {
  std::swap(items_[a], items_[b]);
  std::swap_ranges(row(a).begin(), row(a).end(), row(b).begin());
}

void ContributionList::Sort() {
  for (size_t i = 0; i < size_; ++i) {
    size_t best = i;
    for (size_t k = i + 1; k < size_; ++k) best = weight(k) > weight(best) ? k : best;
    if (best != i) Swap(i, best);
  }
}

void ContributionList::Keep(size_t n) {
  for (size_t i = n; i < size_; ++i) left_out_ = std::max(left_out_, weight(i));
  size_ = std::min(size_, n);
}

void ContributionList::CopyFrom(const ContributionList& other) {
  size_ = std::min(other.size_, capacity_);
  left_out_ = other.left_out_;
  for (size_t i = 0; i < size_; ++i) {
    items_[i] = other.items_[i];
    std::copy(other.row(i).begin(), other.row(i).end(), row(i).begin());
  }
}

ContributionEase::ContributionEase(int joints)
    : joints_(static_cast<size_t>(joints)),
      shown_(joints, ContributionStore::kMostCollected),
      left_(joints, ContributionStore::kMostCollected),
      merged_(joints, ContributionStore::kMostCollected),
      asked_(joints_ + 1),
      clocks_(joints_ + 1) {}

void ContributionEase::Forget() {
  known_ = any_asked_ = false;
  shown_.Clear();
  left_.Clear();
  std::fill(clocks_.begin(), clocks_.end(), skel::Inertia());
}

void ContributionEase::Note(const TransitionRequests& asks) {
  any_asked_ = asks.any();
  if (!any_asked_) return;
  for (size_t j = 0; j < joints_; ++j) {
    asked_[j] = std::max({asks.at(0, j), asks.at(1, j), asks.at(2, j)});
  }
  asked_[joints_] = 0;
  for (size_t s = 0; s < asks.size(3); ++s) {
    asked_[joints_] = std::max(asked_[joints_], asks.at(3, s));
  }
}

bool ContributionEase::Jumps(const ClipContribution& was, const ClipContribution& now,
                             double dt_s) const {
  const bool pushed = was.pushed_hash != 0 && now.pushed_hash != 0;
  if (!pushed && (was.clip == nullptr || now.clip == nullptr)) return false;
  double way = std::fabs(now.time_s - was.time_s);
  if (!pushed && now.clip->loops()) way = std::min(way, std::fabs(now.clip->duration_s() - way));
  return way > kJump_s + kFastest * dt_s;
}

// Where easing is requested, the remaining difference is the whole difference to the shown shares.
void ContributionEase::Rebase(const ContributionList& now) {
  for (size_t i = 0; i < left_.size(); ++i) {
    for (size_t j = 0; j <= joints_; ++j) left_.row(i)[j] *= asked_[j] > 0 ? 0.0f : 1.0f;
  }
  std::array<float, skel::kMostJoints + 1> row;
  const auto add = [&](const ContributionList& list, float sign) {
    for (size_t i = 0; i < list.size(); ++i) {
      for (size_t j = 0; j <= joints_; ++j) row[j] = asked_[j] > 0 ? sign * list.row(i)[j] : 0;
      left_.Add(list.at(i), {row.data(), joints_ + 1});
    }
  };
  add(shown_, 1);
  add(now, -1);
  for (size_t j = 0; j <= joints_; ++j) {
    if (asked_[j] > 0) clocks_[j] = skel::Inertia(1, 1, 0, asked_[j] * 1e-3);
  }
}

void ContributionEase::Run(double dt_s, ContributionList& list) {
  // Clips that no longer play keep the time at which they stopped.
  const auto freeze = [&](ContributionList& old) {
    for (size_t i = 0; i < old.size(); ++i) {
      ClipContribution& was = old.at(i);
      if (was.frozen) continue;
      const int same = list.Find(was);
      const bool plays =
          same >= 0 && !(any_asked_ && Jumps(was, list.at(static_cast<size_t>(same)), dt_s));
      if (plays) {
        was.time_s = list.at(static_cast<size_t>(same)).time_s;
      } else {
        was.frozen = true;
      }
    }
  };
  freeze(shown_);
  freeze(left_);
  if (any_asked_ && known_) Rebase(list);
  any_asked_ = false;
  merged_.CopyFrom(list);
  bool active = false;
  std::array<float, skel::kMostJoints + 1> share;
  for (size_t j = 0; j <= joints_; ++j) {
    clocks_[j].Advance(dt_s);
    share[j] = clocks_[j].active() ? clocks_[j].Left() : 0;
    active = active || clocks_[j].active();
  }
  std::array<float, skel::kMostJoints + 1> row;
  for (size_t i = 0; i < left_.size(); ++i) {
    for (size_t j = 0; j <= joints_; ++j) row[j] = share[j] * left_.row(i)[j];
    merged_.Add(left_.at(i), {row.data(), joints_ + 1});
  }
  if (!active) left_.Clear();
  // A clip that eases in and is removed before it has appeared would have a negative weight.
  list.Clear();
  for (size_t i = 0; i < merged_.size(); ++i) {
    const absl::Span<float> weights = merged_.row(i);
    for (float& w : weights) w = std::max(w, 0.0f);
    list.Add(merged_.at(i), weights);
  }
  shown_.CopyFrom(list);
  known_ = true;
}

ContributionStore::ContributionStore(int joints) : list_(joints, kMostCollected) {
  for (size_t i = 0; i <= kMostStages; ++i) {
    stages_.emplace_back(joints);
    scratch_.emplace_back(joints, kMostCollected);
  }
}

ContributionEase* ContributionStore::StageOf(const void* stage) {
  Stage* found = stage == nullptr ? stages_.data() : nullptr;
  for (size_t i = 1; i < stages_.size() && found == nullptr; ++i) {
    if (stages_[i].key == stage) found = &stages_[i];
  }
  for (size_t i = 1; i < stages_.size() && found == nullptr; ++i) {
    if (stages_[i].key == nullptr) found = &stages_[i];
  }
  if (found == nullptr) return nullptr;
  found->key = stage;
  if (found->tick < tick_ - 1) found->ease.Forget();
  found->tick = tick_;
  return &found->ease;
}

void ContributionStore::ForgetStages() {
  for (size_t i = 1; i < stages_.size(); ++i) {
    stages_[i].key = nullptr;
    stages_[i].tick = -1;
  }
}

}  // namespace posewire::graph
