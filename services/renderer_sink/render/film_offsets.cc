#include "services/renderer_sink/render/film_offsets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/character/offset_points.h"
#include "libs/skel/pose.h"
#include "services/renderer_sink/render/offset_files.h"

namespace posewire::renderer_sink {
namespace {

// As offsets::FileLimits: more is no file that could be drawn.
constexpr uint64_t kMostBytes = uint64_t{1} << 31;

absl::StatusOr<std::string> ReadWhole(offsets::ByteSource& source) {
  std::string whole;
  for (uint64_t size = 1; whole.size() < size;) {
    const auto piece = source.Read(whole.size(), FilmOffsets::kPiece_bytes);
    if (!piece.ok()) return piece.status();
    size = piece->file_bytes;
    if (size > kMostBytes) return absl::ResourceExhaustedError("is larger than 2 GiB");
    if (piece->bytes.empty() && whole.size() < size) {
      return absl::DataLossError(absl::StrCat("ends at byte ", whole.size(), " of ", size,
                                              "; it is changed as it is read"));
    }
    whole += piece->bytes;
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
                                                               offsets::ByteSource& source) {
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
