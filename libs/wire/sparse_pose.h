// Frames that hold only what has changed of a pose, and how a receiver completes them.
//
// Most of a frame repeats the one before it. A sparse frame is an AnimationData whose pose leaves
// out tracks that have not changed, and in whose tracks a joint that has not changed has an empty
// record of two bytes: a rotation that reads as identity, a translation or scale that reads as
// zero. A value that is identity or zero itself is sent with kNotNeutral in one of its numbers.
// Each sparse frame changes the pose that the frames before it have left, so that a frame without
// its pose may be followed only by a complete one, in which nothing is left out. docs/protocol.md
// has the rules, docs/adr/0048-only-what-changes.md the reasons.
#ifndef POSEWIRE_LIBS_WIRE_SPARSE_POSE_H_
#define POSEWIRE_LIBS_WIRE_SPARSE_POSE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/quantised_pose.h"

namespace posewire::wire {

// The most by which a receiver's value differs from the sender's. A rotation may move what hangs on
// the joint by kMoved_m: the angle is that divided by the joint's reach, the longest way along
// bones to the end of a chain in the rest pose plus kSkin_m; 2 m in a rig without lengths.
inline constexpr float kMoved_m = 2e-4f;
inline constexpr float kSkin_m = 0.05f;
inline constexpr float kScaleTolerance = 2e-4f;  // each number; translations: kMoved_m
inline constexpr float kWeightTolerance = 1e-3f;
// Makes an identity rotation or a zero vector one that is sent.
inline constexpr float kNotNeutral = 1e-20f;

// A pull asks for sparse frames by this key of call metadata, and the server's initial metadata has
// it if it sends them. Its values are the names of PoseForm.
inline constexpr char kSparseKey[] = "x-posewire-sparse";
// How a pull gets poses: all of each; only what changes, in ACE's messages or in metadata of ours
// (libs/wire/quantised_pose.h).
enum class PoseForm { kComplete, kSparse, kQuantised };
absl::string_view NameOf(PoseForm form);
// Returns nothing for a text that is none of them.
std::optional<PoseForm> PoseFormOf(absl::string_view name);

// What a sparse frame holds. `joints[track]` and `shapes` have a 1 for each that is sent.
struct PoseChanges {
  bool weights = false;         // at least one; in ACE's messages all are sent
  int count[kPoseTracks] = {};  // of joints; kWeights: not used
  std::vector<uint8_t> joints[kPoseTracks];
  std::vector<uint8_t> shapes;
};

// The pose that all receivers of one sparse stream hold. Allocates only when made. One thread.
class SparsePose {
 public:
  // `form` is kSparse or kQuantised.
  SparsePose(const skel::Rig& rig, PoseForm form);

  // Takes over the values of `pose` that differ from the kept ones by more than the tolerance, and
  // all of them if `complete`. `pose` has the rig's size, and every value is present. The result is
  // valid until the next call. It has the rotation of no joint, but its track, if nothing changed.
  const PoseChanges& Update(const skel::PoseView& pose, bool complete);
  skel::PoseView pose() const { return kept_.view(); }
  bool quantised() const { return form_ == PoseForm::kQuantised; }
  // Quantised poses: the bytes of `changes`, or of the whole pose if null. Valid until the next
  // call.
  absl::Span<const uint8_t> Bytes(double time_code_s, const PoseChanges* changes);

 private:
  const PoseForm form_;
  skel::Pose kept_;
  std::vector<float> square_rotations_;  // tolerance of each joint: squared distance of quaternions
  PoseChanges changes_;
  std::vector<QuantisedRotation> rotations_;  // the kept ones; quantised() only
  std::vector<uint8_t> bytes_;
};

// Completes the frames of one sparse stream, as FrameReader returns them. One thread.
class PoseCompleter {
 public:
  // `form` is kSparse or kQuantised, as agreed with the server.
  explicit PoseCompleter(PoseForm form) : form_(form) {}
  // A stream with these names begins.
  void Begin(const StreamHeader& header);
  // Fills in what the frame leaves out, and returns whether it was changed. A quantised pose
  // becomes keys, and its metadata entry is removed; in other streams the entry is like any other.
  // Removes a pose that builds on one that this receiver does not have, or breaks the rules, such
  // as one with several keys in a track; the next poses are removed, too, up to a complete one.
  // Frames without a pose stay as they are.
  bool Complete(DataChunk* frame);

 private:
  bool Fill(DataChunk* frame);
  bool FillQuantised(DataChunk* frame);
  void Forget();

  const PoseForm form_;
  size_t joints_ = 0, shapes_ = 0;
  KeyBlock kept_[kPoseTracks];
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_SPARSE_POSE_H_
