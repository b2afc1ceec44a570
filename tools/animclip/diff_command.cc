#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/animclip/clip_diff.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

constexpr size_t kExamples = 5;

std::string TrackName(int track) {
  return track < wire::kPoseTracks ? PoseTrackName(track)
                                   : CameraTrackName(track - wire::kPoseTracks);
}

std::string ErrorText(int track, const TrackDiff& d) {
  if (d.error == 0) return "equal";
  if (IsRotationTrack(track)) {
    return absl::StrFormat("%.4g degrees (%.3g)", d.degrees, d.error);
  }
  const bool metres =
      track == wire::kTranslations || track == kFirstCameraTrack + wire::kCameraPosition;
  return absl::StrFormat("%.4g%s", d.error, metres ? " m" : "");
}

// Prints "B misses 8 frames: 1.2000 to 1.4333 s". Tracks with equal gaps share a line.
void PrintGaps(const ClipDiff& diff, const Console& c) {
  const auto same = [](const std::vector<Gap>& a, const std::vector<Gap>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Gap& x, const Gap& y) {
      return x.keys == y.keys && std::fabs(x.first_s - y.first_s) < 1e-6;
    });
  };
  std::vector<const TrackDiff*> told;
  for (int t = 0; t < kTracks; ++t) {
    const TrackDiff& track = diff.tracks[t];
    if (track.gaps.empty()) continue;
    if (std::any_of(told.begin(), told.end(),
                    [&](const TrackDiff* other) { return same(other->gaps, track.gaps); })) {
      continue;
    }
    told.push_back(&track);
    std::vector<std::string> names, times;
    for (int other = t; other < kTracks; ++other) {
      if (same(diff.tracks[other].gaps, track.gaps)) names.push_back(TrackName(other));
    }
    for (size_t i = 0; i < std::min(track.gaps.size(), kExamples); ++i) {
      const Gap& gap = track.gaps[i];
      times.push_back(gap.keys == 1 ? absl::StrFormat("%.4f", gap.first_s)
                                    : absl::StrFormat("%.4f to %.4f", gap.first_s, gap.last_s));
    }
    c.out.Print("  B misses %d frame%s of %s, at %s%s s\n", track.missed(),
                track.missed() == 1 ? "" : "s", absl::StrJoin(names, ", "),
                absl::StrJoin(times, ", "), track.gaps.size() > kExamples ? ", ..." : "");
  }
}

void PrintElements(const ClipDiff& diff, const Console& c) {
  for (int t = 0; t < kTracks; ++t) {
    std::vector<ElementDiff> rows = diff.tracks[t].by_element;
    if (!diff.tracks[t].present || diff.tracks[t].missing || rows.size() < 2) continue;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const ElementDiff& a, const ElementDiff& b) { return a.error > b.error; });
    const auto equal = std::find_if(rows.begin(), rows.end(),
                                    [](const ElementDiff& row) { return row.error == 0; });
    if (equal == rows.begin()) continue;
    c.out << TrackName(t) << "\n";
    for (auto row = rows.begin(); row != equal; ++row) {
      TrackDiff one;
      one.error = row->error;
      one.degrees = row->degrees;
      c.out.Print("  %-22s %-26s at %.4f s\n", row->name, ErrorText(t, one), row->time_s);
    }
    if (equal != rows.end()) {
      c.out.Print("  %-22s equal\n", absl::StrCat(rows.end() - equal, " more"));
    }
  }
}

void PrintTrack(int track, const TrackDiff& d, const Console& c) {
  if (!d.present) return;
  const std::string name = TrackName(track);
  if (d.missing) {
    c.out.Print("  %-22s missing in B\n", name);
    return;
  }
  c.out.Print("  %-22s %s", name, ErrorText(track, d));
  if (d.error > 0) c.out.Print(" at %s, %.4f s", d.where, d.time_s);
  c.out.Print("; %d x %d compared", d.elements, d.instants);
  if (d.uncovered_s > 0) c.out.Print("; B lacks %.4f s of it", d.uncovered_s);
  c.out << "\n";
}

void PrintAudio(const AudioDiff& d, const Console& c) {
  if (!d.present) return;
  c.out.Print("  %-22s ", "audio");
  if (d.missing) {
    c.out << "missing in B\n";
  } else if (d.rate_a_hz != d.rate_b_hz) {
    c.out.Print("not compared: %d Hz and %d Hz\n", d.rate_a_hz, d.rate_b_hz);
  } else if (d.different == 0) {
    c.out.Print("equal; %d samples compared\n", d.samples);
  } else {
    c.out.Print("%d of %d samples differ, by %d of 32768 at most, first at %.4f s\n", d.different,
                d.samples, d.largest, static_cast<double>(d.first_different) / d.rate_a_hz);
  }
  if (d.uncovered > 0) c.out.Print("  %-22s B lacks %d samples\n", "", d.uncovered);
}

void PrintLastStatuses(const ClipDiff& diff, const Console& c) {
  const auto text = [](const std::optional<wire::StatusChunk>& status) {
    return status ? StatusText(*status) : "none";
  };
  const std::string a = text(diff.last_status_a), b = text(diff.last_status_b);
  if (a != b) c.out.Print("  %-22s %s in A, %s in B\n", "last status", a, b);
}

void PrintNames(absl::string_view what, const std::vector<std::string>& names, const Console& c) {
  if (names.empty()) return;
  const bool all = names.size() <= kExamples;
  const std::vector<std::string> some(
      names.begin(), names.begin() + static_cast<ptrdiff_t>(all ? names.size() : kExamples));
  c.out.Print("  %-22s %d names: %s%s\n", what, names.size(), absl::StrJoin(some, ", "),
              all ? "" : ", ...");
}

}  // namespace

int RunDiff(const DiffOptions& options, const Console& console) {
  if (options.tolerance && !(*options.tolerance >= 0)) {
    return Fail(console, "diff",
                absl::InvalidArgumentError(
                    absl::StrCat("--tolerance is ", *options.tolerance, "; it must be 0 or more")),
                "");
  }
  if (IsReadOnce(options.a) || IsReadOnce(options.b)) {
    return Fail(console, "diff",
                absl::InvalidArgumentError("standard input and pipes cannot be read twice"),
                "Save it to a file and compare that.");
  }
  ClipDiffOptions how;
  how.shift_s = options.shift_s;
  how.align = options.align;
  const absl::StatusOr<ClipDiff> diff = DiffClips(options.a, options.b, how, console);
  if (!diff.ok()) {
    return Fail(console, "diff", diff.status(),
                "See what is wrong with it: animclip validate FILE");
  }
  console.out << "A " << options.a << "\nB " << options.b;
  if (diff->shift_s != 0) console.out.Print(", shifted by %.6g s", diff->shift_s);
  console.out << "\n";
  for (int t = 0; t < kTracks; ++t) PrintTrack(t, diff->tracks[t], console);
  PrintGaps(*diff, console);
  PrintAudio(diff->audio, console);
  PrintLastStatuses(*diff, console);
  PrintNames("only in A", diff->only_in_a, console);
  PrintNames("only in B, left out", diff->only_in_b, console);
  if (options.by_element) PrintElements(*diff, console);
  if (!options.tolerance) return kDone;
  const bool within = Within(*diff, *options.tolerance);
  console.out.Print("%s a tolerance of %g%s\n", within ? "within" : "OVER", *options.tolerance,
                    !within && WithinOutsideGaps(*diff, *options.tolerance)
                        ? "; only where B misses frames, which are then interpolated"
                        : "");
  return within ? kDone : kNo;
}

}  // namespace posewire::animclip
