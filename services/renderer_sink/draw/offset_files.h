// Files of offsets, by folder, by address, or by a list of either.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/files/byte_source.h"
#include "libs/offsets/file_index.h"

namespace posewire::renderer_sink {

// A file, its header read.
struct OffsetsAt {
  std::string name;  // path or address
  std::shared_ptr<files::ByteSource> source;
  offsets::OffsetsHeader header;
  size_t memory = 0;  // bytes without which no chunk of it, or not each, can be read and shown
};
inline constexpr size_t kMostOffsetFiles = 1024;

// The error with the file's name before it, unless it has it already.
absl::Status WithName(const std::string& name, const absl::Status& why);

// A path, or an http:// or https:// address. Errors: those of files::File::Open and
// MakeRangeSource.
absl::StatusOr<std::shared_ptr<files::ByteSource>> OpenOffsetsSource(const std::string& place);

// What a reader may stop by itself: of an HTTP server a source of its own, else the file's.
std::shared_ptr<files::ByteSource> SourceToStop(const OffsetsAt& file);

// The file that a list names: "wave.offsets" in films/list.txt is films/wave.offsets, by the rule
// of files::PlaceNamed, and "/wave.offsets" is at the top of the server that the list lies on.
// `name` is not empty.
absl::StatusOr<std::string> PlaceBeside(const std::string& list, const std::string& name);

// What there is at `where`: a folder, whose *.offsets are taken; an .offsets file; or a list, a
// name or address a line, of files beside it (empty lines and those that begin with # count for
// nothing). Files and lists may lie on an HTTP server: http[s]://HOST[:PORT]/PATH. Reads each
// file's beginning, which takes as long as the source does. Errors name the file: NOT_FOUND for one
// that is not there, and for none at all; RESOURCE_EXHAUSTED for more than kMostOffsetFiles, or a
// list of more than 1 MiB; those of FileIndex.
absl::StatusOr<std::vector<OffsetsAt>> FindOffsets(const std::string& where);

// Those of a character with this hash (character::MeshHash) and so many points. Files that do not
// say whose they are go by the points alone. FAILED_PRECONDITION: none is.
absl::StatusOr<std::vector<OffsetsAt>> OffsetsOf(uint64_t mesh_hash, size_t points,
                                                 const std::vector<OffsetsAt>& files);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_FILES_H_
