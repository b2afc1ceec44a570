// Unpacks keys into a pose. The values of a key are stored element by element, in the order of the
// stream's header.
#ifndef POSEWIRE_LIBS_SKEL_UNPACK_JOB_H_
#define POSEWIRE_LIBS_SKEL_UNPACK_JOB_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"

namespace posewire::skel {

// Maps the elements of a pose (joints or shapes) to indices in a key. Immutable; one serves all
// streams with the same names.
class KeyPlaces {
 public:
  KeyPlaces() = default;
  // Element i of the pose is element from[i] of a key with `key_size` elements, or none if out of
  // range.
  KeyPlaces(std::vector<int32_t> from, int key_size);

  int key_size() const { return key_size_; }
  int size() const { return static_cast<int>(from_.size()); }
  // Returns whether the key has exactly the elements of the pose, in order.
  bool IsIdentity() const { return identity_; }
  // Returns whether so few elements are mapped that copying them one by one is faster.
  bool IsSparse() const { return sparse_; }
  // The index of each element; 0 for none.
  const int32_t* from() const { return from_.data(); }
  // Presence of the elements taken from a key.
  const uint8_t* has() const { return has_.data(); }
  // The elements that are mapped.
  absl::Span<const int32_t> placed() const { return placed_; }

 private:
  int key_size_ = 0;
  bool identity_ = false, sparse_ = true;
  std::vector<int32_t> from_, placed_;
  std::vector<uint8_t> has_;
};

// Rotations whose squared length is within 2e-6 of 1, like those of wire::Chunk, are copied bit for
// bit; others are normalised, and zero becomes identity. Absent elements of `out` may get any
// value. No allocation; any thread.
struct UnpackJob {
  struct Track {
    // A key whose length differs from that of `places` counts as empty.
    absl::Span<const float> key = {};  // x y z, w x y z, x y z, or one weight per element
    // Null: `out` keeps its contents and presence.
    const KeyPlaces* places = nullptr;
  };
  Track translations = {}, rotations = {}, scales = {}, weights = {};
  float translation_scale = 1;
  PoseSpan out;

  // INVALID_ARGUMENT unless `places` has as many elements as `out`.
  absl::Status Validate() const;
  // Returns false and writes nothing unless Validate() is OK.
  bool Run() const;
};

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_UNPACK_JOB_H_
