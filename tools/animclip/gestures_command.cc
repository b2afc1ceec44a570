#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clip/clip_library.h"
#include "libs/clipio/load_clip.h"
#include "libs/files/file.h"
#include "libs/gesture_loader/choreography.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/rig.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/gesture_overview.h"

namespace posewire::animclip {
namespace {

constexpr const char* kStandardRig = "hanim_loa3";
constexpr const char* kSourceId = "posewire.gesture";

// Writes a temporary file first, so that the final file is either complete or missing.
absl::Status WriteGesture(const clip::Clip& clip, const std::filesystem::path& path,
                          const Console& console) {
  auto part = PartFile::Of(path.string(), PartFile::kBefore, console.parts);
  if (!part.ok()) return part.status();
  clipio::SaveOptions options;
  options.source_service_id = kSourceId;
  if (absl::Status s = clipio::WriteClip(clip, part->path(), options); !s.ok()) return s;
  return part->MoveToPlace();
}

absl::StatusOr<std::shared_ptr<const clip::ClipLibrary>> Make(
    const std::vector<std::string>& files) {
  const auto catalog = skel::RigCatalog::Builtin();
  if (!catalog.ok()) return catalog.status();
  const auto rig = catalog->Find(kStandardRig);
  if (!rig.ok()) return rig.status();
  if (files.empty()) return gesture::MakeGestures(*rig);
  std::vector<std::shared_ptr<const clip::Clip>> clips;
  for (const std::string& file : files) {
    const auto made = gesture::ReadGestures(file, *rig);
    if (!made.ok()) return made.status();
    clips.insert(clips.end(), made->begin(), made->end());
  }
  return std::make_shared<const clip::ClipLibrary>(std::move(clips));
}

}  // namespace

int RunGestures(const GesturesOptions& options, const Console& console) {
  const std::filesystem::path dir(options.out_dir);
  std::error_code failed;
  std::filesystem::create_directories(dir, failed);
  if (failed) {
    return Fail(console, "gestures",
                absl::UnavailableError(absl::StrCat("folder \"", options.out_dir,
                                                    "\" cannot be made: ", failed.message())),
                "Name a folder that you may write: --out DIR");
  }
  const auto library = Make(options.files);
  if (!library.ok()) return Fail(console, "gestures", library.status(), "");
  const auto clips = (*library)->clips();
  ProgressBar progress(console, "writing", static_cast<int64_t>(clips.size()));
  int64_t done = 0;
  for (const auto& clip : clips) {
    const std::string path = (dir / absl::StrCat(clip->name(), ".", options.format)).string();
    if (absl::Status s = WriteGesture(*clip, path, console); !s.ok()) {
      return Fail(console, "gestures", s, "Check the folder and the space on its disk.");
    }
    if (options.sheets) {
      SheetCommandOptions sheet;
      sheet.in = path;
      sheet.out = (dir / absl::StrCat(clip->name(), ".png")).string();
      Console silent = console;
      silent.progress = false;
      if (const int code = RunSheet(sheet, silent); code != kDone) {
        return code;
      }
    }
    progress.At(++done);
    console.out.Print("%s  %.2f s, %d frames\n", path, clip->duration_s(), clip->frames());
  }
  if (!options.overview.empty()) {
    if (absl::Status s = WriteGestureOverview(**library, options.overview); !s.ok()) {
      return Fail(console, "gestures", s, "Name a picture: --overview gestures.png");
    }
    console.out << options.overview << "\n";
  }
  return kDone;
}

}  // namespace posewire::animclip
