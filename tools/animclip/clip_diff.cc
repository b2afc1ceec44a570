#include "tools/animclip/clip_diff.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "libs/skel/math.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose_mapper.h"
#include "tools/animclip/audio_cursor.h"
#include "tools/animclip/key_between.h"

namespace posewire::animclip {
namespace {

// Far smaller than any distance of keys, far larger than the rounding error of a time code.
constexpr double kLeastStep_s = 1e-9;
constexpr double kDegrees = 57.295779513082;

struct Pair {
  int a, b;
  std::string name;
};

// Returns the keys by which names are matched: paths for joints; for shapes, the last element in
// lower case.
std::vector<std::string> KeysOf(const std::vector<std::string>& names, bool are_paths) {
  if (are_paths) return names;
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    keys.push_back(absl::AsciiStrToLower(skel::LastPathElement(name)));
  }
  return keys;
}

// Returns the shortest names that are still distinct.
std::vector<std::string> ShortNames(const std::vector<std::string>& names) {
  skel::PathIndex index;
  for (const std::string& name : names) index.Add(name);
  std::vector<std::string> out;
  for (size_t i = 0; i < names.size(); ++i) {
    out.emplace_back(index.ShortestName(static_cast<int>(i)));
  }
  return out;
}

std::vector<Pair> MatchNames(const std::vector<std::string>& a, const std::vector<std::string>& b,
                             bool are_paths, ClipDiff* diff) {
  const auto places = skel::PoseMapper::ByPath(KeysOf(a, are_paths), KeysOf(b, are_paths));
  const std::vector<std::string> names_a = ShortNames(a), names_b = ShortNames(b);
  std::vector<Pair> pairs;
  std::vector<bool> met(b.size(), false);
  for (size_t i = 0; i < a.size(); ++i) {
    const int to = places.TargetOf(static_cast<int>(i));
    if (to < 0) {
      diff->only_in_a.push_back(names_a[i]);
      continue;
    }
    pairs.push_back({static_cast<int>(i), to, names_a[i]});
    met[static_cast<size_t>(to)] = true;
  }
  for (size_t i = 0; i < b.size(); ++i) {
    if (!met[i]) diff->only_in_b.push_back(names_b[i]);
  }
  return pairs;
}

const TrackFacts& FactsOf(const ClipFacts& facts, int track) {
  return track < wire::kPoseTracks ? facts.pose[track] : facts.camera[track - wire::kPoseTracks];
}

size_t WidthOfElement(int track) {
  switch (track) {
    case wire::kWeights:
      return 1;
    case wire::kTranslations:
    case wire::kScales:
      return 3;
    case wire::kRotations:
      return 4;
    default: {
      static constexpr size_t kCamera[] = {3, 4, 1, 1};
      return kCamera[track - wire::kPoseTracks];
    }
  }
}

// The error of one element. For a rotation, q and -q are equal, and the angle is given too.
struct Error {
  double plain = 0, degrees = 0;
};

Error ErrorOf(bool rotation, absl::Span<const float> a, absl::Span<const float> b) {
  double minus = 0, plus = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    minus += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    plus += (double{a[i]} + b[i]) * (double{a[i]} + b[i]);
  }
  if (!rotation) return {std::sqrt(minus), 0};
  const double chord = std::sqrt(std::min(minus, plus));
  return {chord, 4 * std::asin(std::min(chord / 2, 1.0)) * kDegrees};
}

class Comparer {
 public:
  Comparer(const ClipFacts& a, const ClipFacts& b, ClipDiff& diff) : a_(a), b_(b), diff_(diff) {
    const auto joints = MatchNames(a.header.joints, b.header.joints, /*are_paths=*/true, &diff);
    const auto shapes = MatchNames(a.header.shapes, b.header.shapes, /*are_paths=*/false, &diff);
    for (int t = 0; t < kTracks; ++t) {
      const auto& pairs = t == wire::kWeights ? shapes : joints;
      pairs_[static_cast<size_t>(t)] =
          t < wire::kPoseTracks ? pairs
                                : std::vector<Pair>{{0, 0, CameraTrackName(t - wire::kPoseTracks)}};
      for (const Pair& pair : pairs_[static_cast<size_t>(t)]) {
        diff.tracks[t].by_element.push_back({pair.name});
      }
      Cover(t, FactsOf(a, t), FactsOf(b, t));
    }
  }

  // Compares all tracks at one time, to which both clips were advanced.
  void At(double t_s, ForwardClip& a, ForwardClip& b) {
    for (int t = 0; t < kTracks; ++t) {
      TrackDiff& track = diff_.tracks[t];
      const TrackFacts& facts = FactsOf(a_, t);
      if (!track.present || track.missing) continue;
      if (t_s < facts.first_s - kSameInstant_s || t_s > facts.last_s + kSameInstant_s) continue;
      const bool missed = NoteGap(t, t_s, a, b, &track);
      CompareTrack(t, t_s, a.Sample(t), b.Sample(t), missed, &track);
    }
  }

 private:
  void Cover(int t, const TrackFacts& a, const TrackFacts& b) {
    TrackDiff& track = diff_.tracks[t];
    track.present = a.keys > 0;
    track.missing = a.keys > 0 && b.keys == 0;
    track.elements = static_cast<int>(pairs_[static_cast<size_t>(t)].size());
    if (!track.present || track.missing) return;
    const double early = b.first_s + diff_.shift_s - a.first_s;
    const double late = a.last_s - (b.last_s + diff_.shift_s);
    for (double part : {early, late}) {
      if (part > kSameInstant_s) track.uncovered_s += part;
    }
  }

  // Returns true if a has a key at t_s and b has none.
  bool NoteGap(int t, double t_s, const ForwardClip& a, const ForwardClip& b, TrackDiff* track) {
    if (a.KeyDistance(t) > kSameInstant_s) return false;
    const TrackFacts &facts_a = FactsOf(a_, t), &facts_b = FactsOf(b_, t);
    const double half_frame_s = facts_a.keys > 1 ? facts_a.MeanGap() / 2 : 0;
    const double in_b_s = t_s - diff_.shift_s;
    const bool missed = in_b_s > facts_b.first_s && in_b_s < facts_b.last_s &&
                        b.KeyDistance(t) > half_frame_s + kSameInstant_s;
    bool& before = missed_before_[static_cast<size_t>(t)];
    if (missed) {
      if (!before) track->gaps.push_back({t_s, t_s, 0});
      track->gaps.back().last_s = t_s;
      ++track->gaps.back().keys;
    }
    before = missed;
    return missed;
  }

  void CompareTrack(int t, double t_s, absl::Span<const float> a, absl::Span<const float> b,
                    bool missed, TrackDiff* track) {
    ++track->instants;
    const size_t width = WidthOfElement(t);
    const std::vector<Pair>& pairs = pairs_[static_cast<size_t>(t)];
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Error error =
          ErrorOf(IsRotationTrack(t), a.subspan(static_cast<size_t>(pairs[i].a) * width, width),
                  b.subspan(static_cast<size_t>(pairs[i].b) * width, width));
      if (!missed) track->error_outside_gaps = std::max(track->error_outside_gaps, error.plain);
      ElementDiff& element = track->by_element[i];
      if (error.plain > element.error) {
        element.error = error.plain;
        element.degrees = error.degrees;
        element.time_s = t_s;
      }
      if (error.plain <= track->error) continue;
      track->error = error.plain;
      track->degrees = error.degrees;
      track->where = pairs[i].name;
      track->time_s = t_s;
    }
  }

  const ClipFacts &a_, &b_;
  ClipDiff& diff_;
  std::vector<Pair> pairs_[kTracks];
  bool missed_before_[kTracks] = {};
};

// Returns the first time after the current one at which either clip has a key, in a's time.
double NextInstant(const ForwardClip& a, const ForwardClip& b, double shift_s) {
  double next = std::numeric_limits<double>::infinity();
  for (int t = 0; t < kTracks; ++t) {
    next = std::min({next, a.NextCode(t), b.NextCode(t) + shift_s});
  }
  return next;
}

absl::Status DiffTracks(const std::string& path_a, const std::string& path_b,
                        const ClipFacts& facts_a, const ClipFacts& facts_b, const Console& console,
                        ClipDiff* diff) {
  Comparer comparer(facts_a, facts_b, *diff);
  absl::StatusOr<ForwardClip> a = ForwardClip::Open(path_a, facts_a);
  if (!a.ok()) return a.status();
  absl::StatusOr<ForwardClip> b = ForwardClip::Open(path_b, facts_b);
  if (!b.ok()) return b.status();
  ProgressBar progress(console, "comparing", static_cast<int64_t>(facts_a.end_s * 1000) + 1);
  double now = -1;
  for (;;) {
    if (absl::Status s = a->Advance(now); !s.ok()) return s;
    if (absl::Status s = b->Advance(now - diff->shift_s); !s.ok()) return s;
    comparer.At(now, *a, *b);
    progress.At(static_cast<int64_t>(now * 1000));
    // Shifting there and back may round a time code of b to just before `now`. Time still advances.
    now = std::max(NextInstant(*a, *b, diff->shift_s), now + kLeastStep_s);
    if (!(now <= facts_a.end_s + kSameInstant_s)) return absl::OkStatus();
  }
}

absl::Status DiffAudio(const std::string& path_a, const std::string& path_b,
                       const ClipFacts& facts_a, const ClipFacts& facts_b, ClipDiff* diff) {
  AudioDiff& audio = diff->audio;
  audio.present = facts_a.audio.samples > 0;
  if (!audio.present) return absl::OkStatus();
  audio.missing = facts_b.audio.samples == 0;
  audio.rate_a_hz = *facts_a.header.audio_rate_hz;
  audio.rate_b_hz = facts_b.header.audio_rate_hz.value_or(0);
  if (audio.missing || audio.rate_a_hz != audio.rate_b_hz) return absl::OkStatus();
  absl::StatusOr<AudioCursor> a = AudioCursor::Open(path_a);
  if (!a.ok()) return a.status();
  absl::StatusOr<AudioCursor> b = AudioCursor::Open(path_b);
  if (!b.ok()) return b.status();
  const auto shift = static_cast<int64_t>(std::llround(diff->shift_s * audio.rate_a_hz));
  for (int64_t p = facts_a.audio.first_sample; p < facts_a.audio.end_sample; ++p) {
    const absl::StatusOr<int> va = a->At(p);
    if (!va.ok()) return va.status();
    const absl::StatusOr<int> vb = b->At(p - shift);
    if (!vb.ok()) return vb.status();
    ++audio.samples;
    const int error = std::abs(*va - *vb);
    if (error == 0) continue;
    ++audio.different;
    audio.largest = std::max(audio.largest, error);
    if (audio.first_different < 0) audio.first_different = p;
  }
  audio.uncovered =
      std::max<int64_t>(0, facts_b.audio.first_sample + shift - facts_a.audio.first_sample) +
      std::max<int64_t>(0, facts_a.audio.end_sample - (facts_b.audio.end_sample + shift));
  return absl::OkStatus();
}

// Aligns the first keys of tracks that both clips have, because audio starts at a whole sample, up
// to half a sample from the key that it belongs to. Without such tracks, aligns the start times.
double ShiftToAlign(const ClipFacts& a, const ClipFacts& b) {
  double first_a = std::numeric_limits<double>::infinity(), first_b = first_a;
  for (int track = 0; track < wire::kPoseTracks; ++track) {
    if (a.pose[track].keys == 0 || b.pose[track].keys == 0) continue;
    first_a = std::min(first_a, a.pose[track].first_s);
    first_b = std::min(first_b, b.pose[track].first_s);
  }
  if (!std::isfinite(first_a)) return a.start_s - b.start_s;
  return first_a - first_b;
}

}  // namespace

absl::StatusOr<ClipDiff> DiffClips(const std::string& a, const std::string& b,
                                   const ClipDiffOptions& options, const Console& console) {
  const absl::StatusOr<ClipFacts> facts_a = GatherFacts(a, console);
  if (!facts_a.ok()) return facts_a.status();
  const absl::StatusOr<ClipFacts> facts_b = GatherFacts(b, console);
  if (!facts_b.ok()) return facts_b.status();
  ClipDiff diff;
  diff.shift_s = options.align ? ShiftToAlign(*facts_a, *facts_b) : options.shift_s;
  diff.last_status_a = facts_a->last_status;
  diff.last_status_b = facts_b->last_status;
  if (absl::Status s = DiffTracks(a, b, *facts_a, *facts_b, console, &diff); !s.ok()) return s;
  if (absl::Status s = DiffAudio(a, b, *facts_a, *facts_b, &diff); !s.ok()) return s;
  return diff;
}

int64_t TrackDiff::missed() const {
  int64_t keys = 0;
  for (const Gap& gap : gaps) keys += gap.keys;
  return keys;
}

namespace {

bool AllWithin(const ClipDiff& diff, double tolerance, double TrackDiff::*error) {
  if (!diff.only_in_a.empty()) return false;
  for (const TrackDiff& track : diff.tracks) {
    if (track.missing || track.uncovered_s > 0 || track.*error > tolerance) return false;
  }
  const AudioDiff& audio = diff.audio;
  if (!audio.present) return true;
  return !audio.missing && audio.rate_a_hz == audio.rate_b_hz && audio.different == 0 &&
         audio.uncovered == 0;
}

}  // namespace

bool Within(const ClipDiff& diff, double tolerance) {
  return AllWithin(diff, tolerance, &TrackDiff::error);
}

bool WithinOutsideGaps(const ClipDiff& diff, double tolerance) {
  return AllWithin(diff, tolerance, &TrackDiff::error_outside_gaps);
}

}  // namespace posewire::animclip
