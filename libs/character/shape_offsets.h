// The offsets that a film character's face has in each shape of its rig.
//
// The face of a speaking avatar is live: no clip knows its weights. So a film's face is baked once
// for each shape, and each live weight brings the offsets of its shape: e = o(rest) + sum of w (o(w
// = 1) - o(rest)). Clips that are baked on top of such a set keep only what the weights do not
// explain. The sum of both is the film's face in the clip, and goes on being one when a live source
// changes the weights.
#ifndef POSEWIRE_LIBS_CHARACTER_SHAPE_OFFSETS_H_
#define POSEWIRE_LIBS_CHARACTER_SHAPE_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/offsets/offsets_file.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// Immutable; any thread.
class ShapeOffsets {
 public:
  // The clip that a set is baked from: every joint at rest, and in frame 0 all weights 0, in frame
  // k shape k - 1 at 1.
  static int Frames(const skel::Rig& rig) { return rig.shapes() + 1; }
  static void PoseAt(const skel::Rig& rig, int frame, const skel::PoseSpan& out);

  // Reads a set for the rig's shapes and a character with so many points. INVALID_ARGUMENT for a
  // file with other content; FAILED_PRECONDITION for one of other shapes or points; otherwise the
  // errors of OffsetsFile::Open.
  static absl::StatusOr<std::shared_ptr<const ShapeOffsets>> Read(const offsets::OffsetsFile& file,
                                                                  const skel::Rig& rig,
                                                                  size_t points);

  // Identifies the values: OffsetsHeader::shapes_hash of clips that are baked on top.
  uint64_t hash() const { return hash_; }
  size_t points() const { return rest_.size(); }

  // Writes the offsets of a face with the pose's weights, in metres before skinning; absent weights
  // are 0. `out` must have points() entries. Does not allocate.
  void Sum(const skel::PoseView& pose, absl::Span<skel::Vec3> out) const;

 private:
  struct Moved {
    uint32_t point;
    skel::Vec3 offset;
  };
  std::vector<skel::Vec3> rest_;
  std::vector<std::vector<Moved>> shapes_;  // relative to rest_
  uint64_t hash_ = 0;
};

}  // namespace posewire::character

#endif  // POSEWIRE_LIBS_CHARACTER_SHAPE_OFFSETS_H_
