// The offsets of one clip, with which a simple rig is drawn as a film's character.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_FILM_OFFSETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_FILM_OFFSETS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/files/byte_source.h"
#include "libs/offsets/offsets_file.h"

namespace posewire::renderer_sink {

// One thread.
class FilmOffsets {
 public:
  // Errors: those of OffsetsFile::Parse, with the file's name, and of reading the file.
  static absl::StatusOr<std::unique_ptr<FilmOffsets>> Read(const std::string& name,
                                                           files::ByteSource& source);

  const std::string& name() const { return path_; }
  // Returns the offsets of the frame nearest to `t_s`, one per point, valid until the next call;
  // outside the clip, its first or last frame. DATA_LOSS for a damaged chunk.
  absl::StatusOr<absl::Span<const skel::Vec3>> At(double t_s);

 private:
  FilmOffsets(std::string path, offsets::OffsetsFile file)
      : path_(std::move(path)), file_(std::move(file)) {}

  const std::string path_;
  const offsets::OffsetsFile file_;
  size_t open_ = 0;  // the decoded chunk
  std::unique_ptr<offsets::Chunk> chunk_;
  std::vector<skel::Vec3> frame_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_FILM_OFFSETS_H_
