#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/files/read.h"
#include "libs/formats/x3d/humanoid_rules.h"
#include "libs/formats/x3d/inline.h"
#include "libs/skel/rig.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/open_clip.h"

namespace posewire::animclip {
namespace {

struct Checked {
  int64_t messages = 0;
  bool ends_in_status = false;
};

absl::StatusOr<Checked> Check(const ValidateOptions& options, const Console& console) {
  clipio::OpenOptions read;
  wire::ReaderLimits& limits = read.limits;
  limits.require_ids = options.as_push;
  // The limits of a server with default settings.
  const wire::ReaderLimits server;
  limits.joints = server.joints;
  limits.shapes = server.shapes;
  limits.metadata_entries = server.metadata_entries;
  if (options.as_push) {
    limits.message_bytes = server.message_bytes;
    limits.elements = server.elements;
  }
  auto input = animclip::OpenClip(options.file, read);
  if (!input.ok()) return input.status();
  ProgressBar progress(console, "checking", (*input)->size());
  Checked checked;
  for (;;) {
    const absl::StatusOr<std::optional<wire::Message>> message = (*input)->Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    checked.ends_in_status = (*message)->status() != nullptr;
    progress.At((*input)->end_of_last());
  }
  Warn(console, (*input)->warnings());
  if ((*input)->messages() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", options.file, "\" has no message; a header is needed"));
  }
  checked.messages = (*input)->messages();
  return checked;
}

struct HumanoidChecked {
  std::vector<std::string> lines;  // one for each rule of H-Anim that is broken
  std::vector<std::string> notes;  // Inlines that are left out, and so not checked
};

// Checks the humanoid of an X3D file.
absl::StatusOr<HumanoidChecked> CheckHumanoid(const std::string& file) {
  const x3d::Limits limits;
  const auto text = files::ReadWhole(file, limits.bytes);
  if (!text.ok()) return text.status();
  const auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto standard = catalog->Find("hanim_loa4");
  if (!standard.ok()) return standard.status();
  const auto read = [&](const std::string& name) {
    return files::ReadNamed(file, name, limits.bytes);
  };
  const auto scene = x3d::ReadSceneWithInlines(*text, limits, read);
  const auto broken = scene.ok() ? x3d::CheckHumanoidRules(*scene, **standard) : scene.status();
  if (!broken.ok()) {
    return absl::Status(broken.status().code(),
                        absl::StrCat("\"", file, "\": ", broken.status().message()));
  }
  HumanoidChecked checked;
  for (const x3d::RuleBreak& each : *broken) {
    checked.lines.push_back(
        absl::StrCat(each.file, each.file.empty() ? "" : " ", "line ", each.line, ": ", each.what));
  }
  checked.notes = scene->inline_notes;
  return checked;
}

int RunHumanoid(const ValidateOptions& options, const Console& console) {
  if (options.as_push) {
    return Fail(console, "validate",
                absl::InvalidArgumentError("--push is for clips, and --hanim checks a humanoid"),
                "");
  }
  const auto checked = CheckHumanoid(options.file);
  if (!checked.ok()) return options.quiet ? kNo : Fail(console, "validate", checked.status(), "");
  const std::vector<std::string>& lines = checked->lines;
  if (!options.quiet) {
    Warn(console, checked->notes);
    for (const std::string& line : lines) console.out << line << "\n";
    console.out << options.file << ": "
                << (lines.empty()
                        ? "keeps the rules of H-Anim"
                        : absl::StrCat("breaks the rules of H-Anim in ",
                                       lines.size() < x3d::kMostBreaks ? "" : "at least ",
                                       lines.size(), lines.size() == 1 ? " place" : " places"))
                << "\n";
  }
  return lines.empty() ? kDone : kNo;
}

}  // namespace

int RunValidate(const ValidateOptions& options, const Console& console) {
  if (options.hanim) return RunHumanoid(options, console);
  const absl::StatusOr<Checked> checked = Check(options, console);
  if (!checked.ok()) {
    if (options.quiet) return kNo;
    return Fail(console, "validate", checked.status(),
                checked.status().code() == absl::StatusCode::kDataLoss
                    ? "Keep what is whole: animclip recover IN OUT"
                    : "");
  }
  if (!options.quiet) {
    console.out.Print("%s: valid, %d messages%s\n", options.file, checked->messages,
                      checked->ends_in_status ? "" : "; no status at the end");
  }
  return kDone;
}

}  // namespace posewire::animclip
