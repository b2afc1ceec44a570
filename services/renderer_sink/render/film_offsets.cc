#include "services/renderer_sink/render/film_offsets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "services/renderer_sink/draw/offset_files.h"

namespace posewire::renderer_sink {

absl::StatusOr<std::unique_ptr<FilmOffsets>> FilmOffsets::Read(const std::string& name,
                                                               files::ByteSource& source) {
  auto whole = ReadInPieces(source);
  if (!whole.ok()) return WithName(name, whole.status());
  auto file = offsets::OffsetsFile::Parse(*std::move(whole));
  if (!file.ok()) return WithName(name, file.status());
  return std::unique_ptr<FilmOffsets>(new FilmOffsets(name, *std::move(file)));
}

absl::StatusOr<absl::Span<const skel::Vec3>> FilmOffsets::At(double t_s) {
  const double last = static_cast<double>(file_.header().frames) - 1;
  const auto frame =
      static_cast<size_t>(std::clamp(std::round(t_s * file_.header().rate_hz()), 0.0, last));
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
