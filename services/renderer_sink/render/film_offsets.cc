#include "services/renderer_sink/render/film_offsets.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "libs/character/offset_points.h"
#include "libs/skel/pose.h"

namespace posewire::renderer_sink {
namespace {

// As offsets::FileLimits: more is no file that could be drawn.
constexpr std::streamoff kMostBytes = std::streamoff{1} << 31;

absl::Status With(const std::string& path, const absl::Status& why) {
  return absl::Status(why.code(), absl::StrCat(path, ": ", why.message()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<FilmOffsets>> FilmOffsets::Open(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  if (in.tellg() > kMostBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(path, ": is larger than 2 GiB"));
  }
  in.seekg(0);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  auto file = offsets::OffsetsFile::Parse(std::move(bytes));
  if (!file.ok()) return With(path, file.status());
  return std::unique_ptr<FilmOffsets>(new FilmOffsets(path, *std::move(file)));
}

timecode::FrameRate FilmOffsets::rate() const {
  return {static_cast<int>(file_.header().rate_num), static_cast<int>(file_.header().rate_den)};
}

absl::Status FilmOffsets::CheckMesh(uint64_t mesh_hash) const {
  const absl::Status fits = file_.Check(mesh_hash, file_.header().clip_hash);
  return fits.ok() ? fits : With(path_, fits);
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
  return fits.ok() ? fits : With(path_, fits);
}

absl::StatusOr<absl::Span<const skel::Vec3>> FilmOffsets::At(double t_s) {
  const double last = static_cast<double>(file_.header().frames) - 1;
  const auto frame = static_cast<size_t>(std::clamp(std::round(t_s * rate().hz()), 0.0, last));
  const size_t chunk = frame / offsets::kChunkFrames;
  if (chunk_ == nullptr || open_ != chunk) {
    auto opened = file_.Open(chunk);
    if (!opened.ok()) return With(path_, opened.status());
    chunk_ = *std::move(opened);
    open_ = chunk;
  }
  frame_.resize(file_.header().points);
  chunk_->Frame(frame % offsets::kChunkFrames, absl::MakeSpan(frame_));
  return absl::MakeConstSpan(frame_);
}

}  // namespace posewire::renderer_sink
