#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/diagram/sheet.h"
#include "libs/wire/source_binding.h"
#include "tools/animclip/clip_facts.h"
#include "tools/animclip/clip_view.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

absl::Status DrawFile(const SheetCommandOptions& options, const Console& console) {
  const absl::StatusOr<std::vector<diagram::View>> views = diagram::ParseViews(options.views);
  if (!views.ok()) return views.status();
  if (const auto format = diagram::ImageFormatOf(options.out); !format.ok()) return format.status();
  std::unique_ptr<diagram::Waveform> wave;
  const absl::StatusOr<ClipFacts> facts = GatherFacts(options.in, console, &wave);
  if (!facts.ok()) return facts.status();
  const absl::StatusOr<ClipSpan> span = ChooseSpan(options.from, options.to, *facts);
  if (!span.ok()) return span.status();
  wire::BindingOptions how;
  how.translation_scale = static_cast<float>(options.translation_scale);
  how.all_translations = options.all_translations;
  const auto clip = DrawnClip::Open(options.in, *facts, *span, options.rig, how, console);
  if (!clip.ok()) return clip.status();
  const auto source = [&](double t_s, const skel::PoseSpan& out) {
    return (*clip)->PoseAt(t_s, out);
  };
  diagram::SheetOptions sheet;
  sheet.title = std::filesystem::path(options.in).stem().string();
  sheet.subtitle = SubtitleOf(*facts, *span, *(*clip)->rig(), (*clip)->binding());
  sheet.instants = options.instants;
  sheet.views = *views;
  sheet.max_shapes = options.shapes;
  sheet.max_joints = options.joints;
  sheet.pixels_per_point = options.scale;
  return diagram::WriteSheet({(*clip)->rig(), span->start_s, span->end_s, wave.get()}, source,
                             options.out, sheet);
}

}  // namespace

int RunSheet(const SheetCommandOptions& options, const Console& console) {
  if (IsReadOnce(options.in)) {
    return Fail(console, "sheet",
                absl::InvalidArgumentError("standard input and pipes cannot be read twice"),
                "Save it to a file first.");
  }
  if (!(options.translation_scale > 0) || !std::isfinite(options.translation_scale)) {
    return Fail(console, "sheet",
                absl::InvalidArgumentError(absl::StrCat(
                    "--translation-scale is ", options.translation_scale, "; it must be over 0")),
                "0.01 turns centimetres into metres.");
  }
  if (absl::Status s = DrawFile(options, console); !s.ok()) {
    return Fail(console, "sheet", s,
                s.code() == absl::StatusCode::kDataLoss
                    ? "Keep what is whole: animclip recover IN OUT"
                    : "See animclip sheet --help, and animclip info FILE for what the clip holds.");
  }
  console.out << options.out << "\n";
  return kDone;
}

}  // namespace posewire::animclip
