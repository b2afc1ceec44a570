// What the page of `view` needs to draw a film's character: the offsets of each frame, summed.
//
// The page skins the character itself, and has all of its shapes. What clips add before the skin is
// the same for every viewer, and only here: their sum, how normals turn by it, and how much of its
// own shapes each point keeps. Normals are those of the surface in its pose, as `render` finds
// them, taken back through the skin.
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

// Of a character: what was made of it, and where in its file the points are. Immutable.
struct CharacterOffsets {
  std::shared_ptr<const character::Character> character;
  std::vector<OffsetsAt> files;
  // JSON: the meshes whose points stand in a frame one after the other, each [node, points].
  std::string meshes;
};

// Null: none of `files` was made of the character, or it has more points than a page takes.
// `first_node`: the GLB that the page gets was made of the character, and its meshes are nodes from
// this one on; below 0: it is the character's own file.
std::shared_ptr<const CharacterOffsets> OffsetsFor(
    std::shared_ptr<const character::Character> character, const std::vector<OffsetsAt>& files,
    int first_node);

// One thread.
class PageOffsets {
 public:
  // Errors of LiveOffsets and character::OffsetPoints.
  static absl::StatusOr<std::unique_ptr<PageOffsets>> Make(const CharacterOffsets& of,
                                                           size_t budget_bytes,
                                                           service::Logger log);

  // Of the connection whose data follows. INVALID_ARGUMENT when the character has none of its
  // names.
  absl::Status OnHeader(const wire::StreamHeader& header, const skel::RigCatalog& rigs);
  // The message of the data's first frame (OffsetFrameWriter); null for one without. `now_s` rises.
  // Never waits.
  std::shared_ptr<const std::string> Write(const wire::DataChunk& data, const ViewFrameTag& tag,
                                           double now_s);

 private:
  explicit PageOffsets(std::shared_ptr<const character::Character> character);
  // Where the points' normals go, before the skin.
  absl::Status Pose(const wire::DataChunk& data, absl::Span<const mesh::WeighedOffsets> clips);

  character::Deformer deformer_;
  std::unique_ptr<LiveOffsets> live_;
  std::unique_ptr<character::OffsetPoints> points_;
  std::optional<wire::SourceBinding> binding_;
  skel::Pose pose_;
  std::vector<skel::Vec3> offsets_, turns_;
  OffsetFrameWriter writer_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_VIEW_PAGE_OFFSETS_H_
