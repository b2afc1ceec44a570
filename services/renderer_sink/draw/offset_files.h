// Finds offset files in a folder, at an address, or in a list of either.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_FILES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/character/character.h"
#include "libs/character/shape_offsets.h"
#include "libs/files/byte_source.h"
#include "libs/offsets/file_index.h"
#include "services/renderer_sink/draw/range_cache.h"

namespace posewire::renderer_sink {

// A file whose header was read.
struct OffsetsAt {
  std::string name;  // path or address
  std::shared_ptr<files::ByteSource> source;
  offsets::OffsetsHeader header;
  size_t memory = 0;                            // bytes needed to read and show all of its chunks
  std::shared_ptr<RangeCache> cache = nullptr;  // for more sources of a server's file; null: none
};
inline constexpr size_t kMostOffsetFiles = 1024;

// Whether a path, or an address without its query, ends in .offsets: one file, not a list.
bool NamesOffsetsFile(absl::string_view place);

// A path or an address for messages: without the query, which may be a secret.
std::string ShownPlace(absl::string_view place);

// Returns the error prefixed with the file's name as shown, unless it already has it.
absl::Status WithName(const std::string& name, const absl::Status& why);

// Opens a path, or an http:// or https:// address, whose ranges `cache` keeps unless it is null.
// Errors: those of files::File::Open and MakeRangeSource.
absl::StatusOr<std::shared_ptr<files::ByteSource>> OpenOffsetsSource(
    const std::string& place, std::shared_ptr<RangeCache> cache = nullptr);

// Returns a source that a reader may stop by itself: a separate one for an HTTP server, otherwise
// the file's.
std::shared_ptr<files::ByteSource> SourceToStop(const OffsetsAt& file);

// Returns the location of a file named in a list: "wave.offsets" in films/list.txt is
// films/wave.offsets, by the rule of files::PlaceNamed, and "/wave.offsets" is at the root of the
// list's server. `name` must not be empty.
absl::StatusOr<std::string> ResolveNextTo(const std::string& list, const std::string& name);

// Finds the files at `where`: a folder, whose *.offsets are used; an .offsets file; or a list with
// a name or address per line, relative to the list (empty lines and those that begin with # are
// ignored). Files and lists may be on an HTTP server: http[s]://HOST[:PORT]/PATH. Reads each file's
// beginning, and blocks as long as that takes. Errors name the file: NOT_FOUND for a missing one,
// and if there is none; RESOURCE_EXHAUSTED for more than kMostOffsetFiles, or a list of more than 1
// MiB; those of FileIndex.
absl::StatusOr<std::vector<OffsetsAt>> FindOffsets(const std::string& where,
                                                   std::shared_ptr<RangeCache> cache = nullptr);

// Reads a whole file, in pieces of kOffsetsPiece_bytes, because a source has limited time for each.
// RESOURCE_EXHAUSTED over 2 GiB; DATA_LOSS if it ends early; otherwise the source's errors.
inline constexpr size_t kOffsetsPiece_bytes = 4 << 20;
absl::StatusOr<std::string> ReadInPieces(files::ByteSource& source);

// Returns the files made for a character with this hash (character::MeshHash) and number of points.
// Files without a hash are matched by the number of points only. FAILED_PRECONDITION if there is
// none.
absl::StatusOr<std::vector<OffsetsAt>> OffsetsOf(uint64_t mesh_hash, size_t points,
                                                 const std::vector<OffsetsAt>& files);

// The files of one character in its file's form.
struct OffsetFiles {
  std::shared_ptr<const character::Character> character;
  std::vector<OffsetsAt> clips;
  std::shared_ptr<const character::ShapeOffsets> shapes;  // null: none
};
// Chooses them (OffsetsOf), and reads the shape set. Errors: those of OffsetsOf and WithShapes.
absl::StatusOr<OffsetFiles> FilesOf(std::shared_ptr<const character::Character> character,
                                    const std::vector<OffsetsAt>& files);
// The second part: `own` is what OffsetsOf returned for this character. Errors: those of
// ShapeOffsets::Read; FAILED_PRECONDITION for two shape sets, and for a clip that was baked on top
// of another one.
absl::StatusOr<OffsetFiles> WithShapes(std::shared_ptr<const character::Character> character,
                                       size_t points, std::vector<OffsetsAt> own);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_OFFSET_FILES_H_
