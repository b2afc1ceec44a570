// Takes keys apart into a pose: in a key the values stand one element behind the other, as a stream
// brings them, and in the order of its header.
#ifndef POSEWIRE_LIBS_SKEL_UNPACK_JOB_H_
#define POSEWIRE_LIBS_SKEL_UNPACK_JOB_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"

namespace posewire::skel {

// Where the elements of a pose (joints or shapes) stand in a key. Immutable; one serves all streams
// with the same names.
class KeyPlaces {
 public:
  KeyPlaces() = default;
  // Element i of the pose is element from[i] of a key that has `key_size`, or, when that is none of
  // the key's, none.
  KeyPlaces(std::vector<int32_t> from, int key_size);

  int key_size() const { return key_size_; }
  int size() const { return static_cast<int>(from_.size()); }
  // The key has just the elements of the pose, in their order.
  bool IsIdentity() const { return identity_; }
  // So few elements have a place that they are better taken one by one.
  bool IsSparse() const { return sparse_; }
  // For each element its place; 0 where it has none.
  const int32_t* from() const { return from_.data(); }
  // The presence of what is taken from a key.
  const uint8_t* has() const { return has_.data(); }
  // The elements that have a place.
  absl::Span<const int32_t> placed() const { return placed_; }

 private:
  int key_size_ = 0;
  bool identity_ = false, sparse_ = true;
  std::vector<int32_t> from_, placed_;
  std::vector<uint8_t> has_;
};

// Rotations whose squared length is within 2e-6 of 1, as those of wire::Chunk are, pass unchanged
// to the bit; others are brought to unit length, zero to identity. Absent elements of `out` may
// take any value. No allocation; any thread.
struct UnpackJob {
  struct Track {
    // A key of any other length than `places` asks for says nothing.
    absl::Span<const float> key = {};  // x y z, w x y z, x y z, or one weight an element
    // Null: `out` keeps what it has, with its presence.
    const KeyPlaces* places = nullptr;
  };
  Track translations = {}, rotations = {}, scales = {}, weights = {};
  float translation_scale = 1;
  PoseSpan out;

  // INVALID_ARGUMENT when the places are not as many as the elements of `out`.
  absl::Status Validate() const;
  // False, and nothing written, unless Validate() holds.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_UNPACK_JOB_H_
