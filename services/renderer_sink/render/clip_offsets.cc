#include "services/renderer_sink/render/clip_offsets.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/renderer_sink/draw/offset_files.h"

namespace posewire::renderer_sink {

absl::StatusOr<std::unique_ptr<ClipOffsets>> ClipOffsets::Open(
    const std::string& where, std::shared_ptr<const character::Character> character) {
  std::unique_ptr<ClipOffsets> out(new ClipOffsets(std::move(character)));
  const auto found = FindOffsets(where);
  if (!found.ok()) return found.status();
  const auto files = OffsetsOf(out->mixer_.mesh_hash(), out->mixer_.skin().points(), *found);
  if (!files.ok()) return files.status();
  for (const OffsetsAt& file : *files) {
    auto opened = FilmOffsets::Read(file.name, *file.source);
    if (!opened.ok()) return opened.status();
    out->files_.emplace(file.header.clip_hash, *std::move(opened));
  }
  return out;
}

absl::StatusOr<render::OffsetMix> ClipOffsets::Of(const wire::Contributions& seen) {
  return mixer_.Of(
      seen,
      [this](const wire::Contribution& clip, absl::Span<skel::Vec3> out) -> absl::StatusOr<float> {
        const auto file = files_.find(clip.clip_hash);
        if (file == files_.end()) return -1;
        const auto offsets = file->second->At(clip.time_s);
        if (!offsets.ok()) return offsets.status();
        if (offsets->size() != out.size()) {  // the file is another one by now
          return absl::FailedPreconditionError(
              absl::StrCat("the offsets of \"", clip.clip, "\" are of ", offsets->size(),
                           " points, and the character has ", out.size()));
        }
        std::copy(offsets->begin(), offsets->end(), out.begin());
        return 1;
      });
}

}  // namespace posewire::renderer_sink
