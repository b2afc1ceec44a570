#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/diagram/plot.h"
#include "libs/files/read.h"
#include "libs/wire/source_binding.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/clip_spectrogram.h"
#include "tools/animclip/clip_view.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

// One column for each point of the page's curves.
constexpr int kColumns = 1122;

absl::Status DrawFile(const PlotCommandOptions& options, const Console& console) {
  const auto format = diagram::ImageFormatOf(options.out);
  if (!format.ok()) return format.status();
  std::unique_ptr<diagram::Waveform> wave;
  const absl::StatusOr<ClipFacts> facts = GatherFacts(options.in, console, &wave);
  if (!facts.ok()) return facts.status();
  const auto span = ChooseSpan(options.from, options.to, *facts);
  if (!span.ok()) return span.status();
  const auto clip = DrawnClip::Open(options.in, *facts, *span, options.rig, {}, console);
  if (!clip.ok()) return clip.status();
  std::optional<diagram::Spectrogram> spectrogram;
  if (facts->audio.samples > 0 && span->end_s > span->start_s) {
    auto made = ReadSpectrogram(
        options.in, {*facts->header.audio_rate_hz, span->start_s, span->end_s, kColumns});
    if (!made.ok()) return made.status();
    spectrogram = *std::move(made);
  }
  const auto source = [&](double t_s, const skel::PoseSpan& out) {
    return (*clip)->PoseAt(t_s, out);
  };
  diagram::PlotOptions plot;
  plot.title = std::filesystem::path(options.in).stem().string();
  plot.subtitle = SubtitleOf(*facts, *span, *(*clip)->rig(), (*clip)->binding());
  plot.instants = options.instants;
  plot.tracks = options.tracks;
  plot.max_shapes = options.shapes;
  plot.max_joints = options.joints;
  plot.pixels_per_point = options.scale;
  const diagram::PlotInput input{(*clip)->rig(), span->start_s, span->end_s,
                                 spectrogram ? wave.get() : nullptr,
                                 spectrogram ? &*spectrogram : nullptr};
  absl::StatusOr<std::string> picture;
  if (options.behind.empty()) {
    picture = diagram::DrawPlot(input, source, *format, plot);
  } else {
    const absl::StatusOr<ClipFacts> facts_behind = GatherFacts(options.behind, console);
    if (!facts_behind.ok()) return facts_behind.status();
    const auto other =
        DrawnClip::Open(options.behind, *facts_behind, *span, (*clip)->rig(), {}, console);
    if (!other.ok()) return other.status();
    const auto source_behind = [&](double t_s, const skel::PoseSpan& out) {
      return (*other)->PoseAt(t_s, out);
    };
    absl::StrAppend(&plot.title, " over ", std::filesystem::path(options.behind).stem().string(),
                    " (broad and pale)");
    picture = diagram::DrawPlotOver(input, source, source_behind, *format, plot);
  }
  if (!picture.ok()) return picture.status();
  return files::WriteWhole(options.out, *picture);
}

}  // namespace

int RunPlot(const PlotCommandOptions& options, const Console& console) {
  if (IsReadOnce(options.in) || IsReadOnce(options.behind)) {
    return Fail(console, "plot",
                absl::InvalidArgumentError("standard input and pipes cannot be read twice"),
                "Save it to a file first.");
  }
  if (absl::Status s = DrawFile(options, console); !s.ok()) {
    return Fail(console, "plot", s,
                s.code() == absl::StatusCode::kDataLoss
                    ? "Keep what is whole: animclip recover IN OUT"
                    : "See animclip plot --help, and animclip info FILE for what the clip holds.");
  }
  console.out << options.out << "\n";
  return kDone;
}

}  // namespace posewire::animclip
