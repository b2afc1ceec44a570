#include "services/renderer_sink/render/clip_offsets.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {

absl::StatusOr<std::unique_ptr<ClipOffsets>> ClipOffsets::Open(const OffsetFiles& files) {
  std::unique_ptr<ClipOffsets> out(new ClipOffsets(files));
  for (const OffsetsAt& file : files.clips) {
    auto opened = FilmOffsets::Read(file.name, *file.source);
    if (!opened.ok()) return opened.status();
    out->files_.emplace(file.header.clip_hash, *std::move(opened));
  }
  return out;
}

absl::Status ClipOffsets::CheckHas(const std::string& clip, uint64_t clip_hash) const {
  if (files_.empty() || files_.count(clip_hash) > 0) return absl::OkStatus();
  const auto& [hash, file] = *files_.begin();
  return absl::FailedPreconditionError(absl::StrCat(
      file->name(), files_.size() == 1 ? ": is" : ", and the others: are", " of another clip than ",
      clip, ", whose hash is ", absl::Hex(clip_hash), ", and theirs ", absl::Hex(hash),
      files_.size() == 1 ? "" : " and others",
      "; bake them again (with the --fps of the clip), or, if it is a take that was mixed from "
      "clips, record it with --contributions"));
}

absl::StatusOr<absl::Span<const mesh::WeighedOffsets>> ClipOffsets::Of(
    const skel::PoseView& pose, const wire::Contributions& seen) {
  return mixer_.Of(
      pose, seen,
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
