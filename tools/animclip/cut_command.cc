#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/clip_parts.h"
#include "tools/animclip/clip_time.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/cutter.h"
#include "tools/animclip/edit_clip.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

struct AskedSpan {
  double from_s = 0, to_s = 0;
  std::string told;  // as time codes, if the options used them
};

class Cut : public MessageEdit {
 public:
  Cut(const CutOptions& options, const AskedSpan& span)
      : options_(options), span_(span), cutter_(span.from_s, span.to_s) {}

  absl::StatusOr<bool> Apply(Message& message) override {
    if (message.has_animation_data_stream_header() && picks()) {
      const auto names = NamesOf(message.animation_data_stream_header());
      auto filter = PartFilter::Make(options_.keep, options_.drop, names, options_.rig);
      if (!filter.ok()) return filter.status();
      filter_ = *std::move(filter);
    }
    cutter_.See(message);  // the clip ends with its longest part, even if that part is dropped
    if (filter_) filter_->Apply(message);
    return cutter_.Cut(message);
  }

  bool Rest(Message& message) override { return cutter_.Rest(message); }

  absl::Status Check() const override {
    const double end_s = cutter_.end_s();
    if (span_.from_s > end_s + kSlack_s) return BeyondEnd("--from", span_.from_s);
    const bool to_end = span_.to_s == std::numeric_limits<double>::infinity();
    if (!to_end && span_.to_s > end_s + cutter_.frame_s() + kSlack_s) {
      return BeyondEnd("--to", span_.to_s);
    }
    if (cutter_.keys() > 0 || cutter_.samples() > 0) return absl::OkStatus();
    return absl::OutOfRangeError(
        picks() ? absl::StrCat("\"", options_.in, "\" has none of these parts")
                : absl::StrCat("\"", options_.in, "\" has nothing in that span"));
  }

  // Returns "; 12 of 94 joints, 0 of 52 shapes" if parts were chosen.
  std::string Kept() const {
    if (!filter_) return "";
    const auto text = [](const std::vector<bool>& kept, const char* what) {
      return absl::StrCat(std::count(kept.begin(), kept.end(), true), " of ", kept.size(), what);
    };
    return absl::StrCat("; ", text(filter_->kept().joints, " joints, "),
                        text(filter_->kept().shapes, " shapes"));
  }

  const Cutter& cutter() const { return cutter_; }

 private:
  static constexpr double kSlack_s = 1e-3;

  bool picks() const { return !options_.keep.empty() || !options_.drop.empty(); }

  absl::Status BeyondEnd(const char* flag, double t_s) const {
    return absl::OutOfRangeError(absl::StrFormat("%s %g s is beyond the end of \"%s\", at %g s",
                                                 flag, t_s, options_.in, cutter_.end_s()));
  }

  const CutOptions& options_;
  AskedSpan span_;
  Cutter cutter_;
  std::optional<PartFilter> filter_;
};

absl::StatusOr<AskedSpan> ReadSpan(const CutOptions& options, const Console& console) {
  ClipFacts facts;
  const bool smpte = absl::StrContains(options.from, ':') || absl::StrContains(options.to, ':');
  if (smpte) {  // time codes depend on the clip's rate
    if (IsReadOnce(options.in)) {
      return absl::InvalidArgumentError(
          "a time code needs the clip to be read twice, which standard input and pipes cannot be; "
          "give seconds");
    }
    absl::StatusOr<ClipFacts> read = GatherFacts(options.in, console);
    if (!read.ok()) return read.status();
    facts = *std::move(read);
  }
  const absl::StatusOr<double> from_s = TimeOf(options.from, facts);
  if (!from_s.ok()) return from_s.status();
  const absl::StatusOr<double> to_s =
      options.to.empty() ? std::numeric_limits<double>::infinity() : TimeOf(options.to, facts);
  if (!to_s.ok()) return to_s.status();
  if (!(*from_s >= 0) || !(*to_s > *from_s)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the span from ", *from_s, " to ", *to_s, " s is empty"));
  }
  AskedSpan span{*from_s, *to_s, ""};
  if (smpte) {
    span.told = absl::StrCat(", ", SmpteSpan(*from_s, std::min(*to_s, facts.end_s), facts));
  }
  return span;
}

}  // namespace

int RunCut(const CutOptions& options, const Console& console) {
  const absl::StatusOr<AskedSpan> span = ReadSpan(options, console);
  if (!span.ok()) {
    return Fail(console, "cut", span.status(),
                "Give --from at least 0, and --to beyond it: seconds, or HH:MM:SS:FF.");
  }
  Cut cut(options, *span);
  if (absl::Status s =
          EditClip(options.in, options.out, "cutting", cut, console, {span->from_s, span->to_s});
      !s.ok()) {
    return Fail(console, "cut", s, NextStepAfter(s));
  }
  Report(console, options.out)
      .Print("%s: %d keys, %d samples%s%s\n", options.out, cut.cutter().keys(),
             cut.cutter().samples(), cut.Kept(), span->told);
  return kDone;
}

}  // namespace posewire::animclip
