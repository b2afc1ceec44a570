// Computes what the page of `view` needs to draw a film's character: the summed offsets of each
// frame.
//
// The page skins the character itself, and has all of its shapes. The offsets of clips before
// skinning are the same for every viewer, and are only available here: their sum, and what it adds
// to the normals, which are those of the posed surface, as `render` computes them, transformed back
// through the skinning. What lattices and smoothing do to the skinned points is added to the sum.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_OFFSETS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_OFFSETS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/character/deformer.h"
#include "libs/character/offset_points.h"
#include "libs/mesh/offsets.h"
#include "libs/service/logger.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/source_binding.h"
#include "services/renderer_sink/core/offset_frame.h"
#include "services/renderer_sink/core/view_frame.h"
#include "services/renderer_sink/draw/live_offsets.h"
#include "services/renderer_sink/draw/offset_files.h"

namespace posewire::renderer_sink {

// The offset files of a character, and the positions of its points in its file. Immutable.
struct CharacterOffsets {
  OffsetFiles files;
  // JSON: the meshes whose points a frame has, in order, each [node, points].
  std::string meshes;
};

// Returns null if none of `files` was made for the character and it is drawn by its skin alone, or
// it has more points than a page supports. Other errors are those of FilesOf. `first_node`: the
// page's GLB was converted from the character, and its meshes are the nodes from this one on; below
// 0: it is the character's own file.
absl::StatusOr<std::shared_ptr<const CharacterOffsets>> OffsetsFor(
    std::shared_ptr<const character::Character> character, const std::vector<OffsetsAt>& files,
    int first_node);

// One thread.
class PageOffsets {
 public:
  // Errors: those of LiveOffsets and character::OffsetPoints.
  static absl::StatusOr<std::unique_ptr<PageOffsets>> Make(const CharacterOffsets& of,
                                                           size_t budget_bytes,
                                                           service::Logger log);

  // Begins the connection whose data follows. INVALID_ARGUMENT if the character has none of its
  // names.
  absl::Status OnHeader(const wire::StreamHeader& header, const skel::RigCatalog& rigs);
  // Returns the message for the data's first frame (OffsetFrameWriter); null if it has none, or no
  // pose.
  // `now_s` must increase. Never waits.
  std::shared_ptr<const std::string> Write(const wire::DataChunk& data, const ViewFrameTag& tag,
                                           double now_s);

 private:
  explicit PageOffsets(std::shared_ptr<const character::Character> character);
  absl::Status Pose(const wire::DataChunk& data);
  // Computes what the offsets, and the deformers after the skin, add to points and normals before
  // skinning.
  absl::Status Sum(absl::Span<const mesh::WeighedOffsets> offsets);

  character::Deformer deformer_;
  std::unique_ptr<LiveOffsets> live_;
  std::unique_ptr<character::OffsetPoints> points_;
  std::optional<wire::SourceBinding> binding_;
  skel::Pose pose_;
  std::vector<skel::Vec3> offsets_, turns_, before_;
  OffsetFrameWriter writer_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_OFFSETS_H_
