#include "services/anim_graph/core/pushed_clips.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "libs/skel/mirror.h"

namespace posewire::anim_graph {
namespace {

constexpr double kSameCode_s = 1e-6;  // time codes are doubles converted from decimals

}  // namespace

PushedClips::PushedClips() : bytes_(sizeof(PushedClips) + BytesOf(now_)) {
  shown_.reserve(wire::Contributions::kMost);
}

size_t PushedClips::BytesOf(const Entry& entry) {
  size_t bytes = sizeof(entry) + entry.clips.capacity() * sizeof(Clip);
  for (const Clip& clip : entry.clips) {
    bytes += clip.name.capacity() + clip.joints.capacity() * sizeof(float);
  }
  return bytes;
}

void PushedClips::Append(double time_code_s, const wire::Contributions& said,
                         const skel::Rig& rig) {
  Entry entry;
  entry.time_code_s = time_code_s;
  entry.clips.reserve(said.contributions.size());
  for (const wire::Contribution& one : said.contributions) {
    if (one.clip.empty() || one.clip_hash == 0) continue;  // a live source: nothing is known of it
    Clip& clip = entry.clips.emplace_back();
    clip.name = one.clip;
    clip.hash = one.clip_hash;
    clip.time_s = one.time_s;
    clip.weight = one.weight;
    clip.additive = one.additive;
    clip.mirrored = one.mirrored;
    clip.frozen = one.frozen;
    if (clip.mirrored) FindPartners(rig);
    if (one.mask.empty()) continue;
    clip.joints.resize(static_cast<size_t>(rig.joints()));
    one.Shares(rig, absl::MakeSpan(clip.joints));
  }
  bytes_ += BytesOf(entry);
  const auto later = std::upper_bound(
      pending_.begin(), pending_.end(), time_code_s,
      [](double code_s, const Entry& other) { return code_s < other.time_code_s; });
  pending_.insert(later, std::move(entry));
}

void PushedClips::FindPartners(const skel::Rig& rig) {
  if (!partners_.empty()) return;
  const skel::Mirror mirror(rig);
  for (int j = 0; j < rig.joints(); ++j) partners_.push_back(mirror.joint_partner(j));
  bytes_ += partners_.capacity() * sizeof(int);
}

void PushedClips::Advance(double time_code_s, double shown_s) {
  while (!pending_.empty() && pending_.front().time_code_s <= time_code_s + kSameCode_s) {
    // A resumed call repeats entries.
    if (pending_.front().time_code_s >= now_.time_code_s) std::swap(now_, pending_.front());
    bytes_ -= BytesOf(pending_.front());
    pending_.pop_front();
  }
  shown_.clear();
  const double since_s = std::isfinite(shown_s) ? std::max(0.0, shown_s - now_.time_code_s) : 0;
  for (const Clip& clip : now_.clips) {
    shown_.push_back(
        {.name = clip.name,
         .hash = clip.hash,
         .time_s = clip.time_s + (clip.frozen ? 0 : since_s),
         .weight = clip.weight,
         .additive = clip.additive,
         .mirrored = clip.mirrored,
         .frozen = clip.frozen,
         .joints = clip.joints,
         .partners = clip.mirrored ? absl::MakeConstSpan(partners_) : absl::Span<const int>()});
  }
}

}  // namespace posewire::anim_graph
