#include "services/renderer_sink/render/film_offsets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/offset_points.h"
#include "libs/skel/pose.h"
#include "services/renderer_sink/draw/offset_files.h"

namespace posewire::renderer_sink {
namespace {

// As offsets::FileLimits: more is no file that could be drawn.
constexpr int64_t kMostBytes = int64_t{1} << 31;

absl::StatusOr<std::string> ReadWhole(files::ByteSource& source) {
  std::string whole;
  int64_t at = 0;
  for (int64_t size = 1; at < size;) {
    const auto read = static_cast<size_t>(at);
    whole.resize(read + FilmOffsets::kPiece_bytes);
    const auto got = source.Read(at, absl::MakeSpan(whole).subspan(read));
    if (!got.ok()) return got.status();
    size = source.Size();
    if (size > kMostBytes) return absl::ResourceExhaustedError("is larger than 2 GiB");
    if (*got == 0 && at < size) {
      return absl::DataLossError(
          absl::StrCat("ends at byte ", at, " of ", size, "; it is changed as it is read"));
    }
    whole.resize(read + *got);
    at += static_cast<int64_t>(*got);
  }
  return whole;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FilmOffsets>> FilmOffsets::Open(const std::string& path) {
  auto source = OpenOffsetsSource(path);
  if (!source.ok()) return source.status();
  return Read(path, **source);
}

absl::StatusOr<std::unique_ptr<FilmOffsets>> FilmOffsets::Read(const std::string& name,
                                                               files::ByteSource& source) {
  auto whole = ReadWhole(source);
  if (!whole.ok()) return WithName(name, whole.status());
  auto file = offsets::OffsetsFile::Parse(*std::move(whole));
  if (!file.ok()) return WithName(name, file.status());
  return std::unique_ptr<FilmOffsets>(new FilmOffsets(name, *std::move(file)));
}

timecode::FrameRate FilmOffsets::rate() const {
  return {static_cast<int>(file_.header().rate_num), static_cast<int>(file_.header().rate_den)};
}

absl::Status FilmOffsets::Check(std::shared_ptr<const character::Character> character,
                                const clip::Clip& clip) const {
  const character::Deformer deformer(character);
  const character::PointSkin skin(deformer);
  skel::Pose pose(character->rig->joints(), character->rig->shapes());
  uint64_t hash = offsets::kHashSeed;
  for (int f = 0; f < clip.frames(); ++f) {
    clip.CopyFrame(f, pose.span());
    hash = character::PoseHash(pose.view(), hash);
  }
  const absl::Status fits = file_.Check(character::MeshHash(skin, *character), hash);
  return fits.ok() ? fits : WithName(path_, fits);
}

absl::StatusOr<absl::Span<const skel::Vec3>> FilmOffsets::At(double t_s) {
  const double last = static_cast<double>(file_.header().frames) - 1;
  const auto frame = static_cast<size_t>(std::clamp(std::round(t_s * rate().hz()), 0.0, last));
  const size_t chunk = frame / offsets::kChunkFrames;
  if (chunk_ == nullptr || open_ != chunk) {
    auto opened = file_.Open(chunk);
    if (!opened.ok()) return WithName(path_, opened.status());
    chunk_ = *std::move(opened);
    open_ = chunk;
  }
  frame_.resize(file_.header().points);
  chunk_->Frame(frame % offsets::kChunkFrames, absl::MakeSpan(frame_));
  return absl::MakeConstSpan(frame_);
}

}  // namespace posewire::renderer_sink
