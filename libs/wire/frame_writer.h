// Encodes poses, audio, camera and metadata, once for all pulls that share them.
#ifndef POSEWIRE_LIBS_WIRE_FRAME_WRITER_H_
#define POSEWIRE_LIBS_WIRE_FRAME_WRITER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

struct PoseChanges;

struct CameraSample {
  bool has_position = false, has_rotation = false, has_focal_length = false,
       has_focus_distance = false;
  skel::Vec3 position;
  skel::Quat rotation;
  float focal_length = 0, focus_distance = 0;
};

// The contents of one output tick.
struct OutputFrame {
  double time_code_s = 0;
  skel::PoseView pose;  // every element of the output format is present
  double audio_time_code_s = 0;
  absl::Span<const int16_t> audio;       // empty: no audio field
  const CameraSample* camera = nullptr;  // null: none
  absl::Span<const MetadataEntry> metadata;
};

// An encoded message: immutable, reference counted, cheap to copy, safe on any thread. The same
// memory serves with and without the pose, so samples are copied only once, however many pulls send
// the message in either form.
class EncodedFrame {
 public:
  EncodedFrame() = default;

  using Slice = absl::Span<const uint8_t>;
  // The whole message: three slices, some of which may be empty.
  std::array<Slice, 3> Whole() const;
  // The message without its pose: audio, camera and metadata. Equal to Whole() for headers and
  // statuses.
  std::array<Slice, 3> WithoutPose() const;
  // Returns a copy of WithoutPose() that does not keep the pose's memory; with a voice, it has a
  // fifth of the size. The copy is made once and shared while a caller still holds it. Not
  // thread-safe: callers must take turns. Allocates.
  EncodedFrame CopyWithoutPose() const;
  size_t size() const;
  bool has_pose() const;
  // True for data; false for headers and statuses, which are never dropped.
  bool is_data() const;
  // True if the pose builds on that of the frame before it (libs/wire/sparse_pose.h).
  bool is_sparse() const;
  double time_code_s() const;
  explicit operator bool() const { return rep_ != nullptr; }
  // Keeps the slices' memory alive.
  std::shared_ptr<const void> owner() const { return rep_; }

  struct Rep;  // private to frame_writer.cc

 private:
  friend class FrameWriter;
  friend EncodedFrame EncodeHeader(const StreamHeader& header);
  friend EncodedFrame EncodeStatus(StatusChunk::Code code, absl::string_view message);
  friend EncodedFrame EncodeMessage(absl::Span<const uint8_t> message, double time_code_s);
  std::shared_ptr<const Rep> rep_;
};

EncodedFrame EncodeHeader(const StreamHeader& header);
EncodedFrame EncodeStatus(StatusChunk::Code code, absl::string_view message);
// A serialized AnimationDataStream from elsewhere, rearranged so that it can be sent without its
// pose. All fields keep their bytes, including unknown ones; those of the pose come first.
EncodedFrame EncodeMessage(absl::Span<const uint8_t> message, double time_code_s);

// The memory of frames, reused when they are released, so that a steady stream does not allocate.
// Writers that take turns may share a pool: the buffer released last is still in the CPU caches.
// Frames may outlive their pool and be released on any thread; all other methods are for one
// thread. Keeps 256 buffers of at most 128 KiB; other buffers are used once.
class FramePool {
 public:
  // `meter` (may be null) counts the bytes of all frames and of the pool's buffers.
  explicit FramePool(std::shared_ptr<std::atomic<int64_t>> meter = nullptr);
  ~FramePool();
  FramePool(FramePool&&) noexcept;
  FramePool& operator=(FramePool&&) noexcept;

  // The next frame uses the first buffer if it is free. Call between bursts of frames that are
  // released together.
  void Rewind();

 private:
  friend class FrameWriter;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Encodes the frames of one output format (the joints and shapes of its header) into memory of
// `pool`, which must outlive the writer, or of its own pool. All outputs in this format may share
// it; any one thread.
class FrameWriter {
 public:
  FrameWriter(int joints, int shapes, FramePool* pool = nullptr);
  ~FrameWriter();
  FrameWriter(FrameWriter&&) noexcept;
  FrameWriter& operator=(FrameWriter&&) noexcept;

  // The pose must have the writer's size. A different size aborts the program.
  EncodedFrame Write(const OutputFrame& frame);
  // The same, but of the pose only `changes`, and always the track of the rotations. A rig without
  // joints has its weights in each frame.
  EncodedFrame WriteSparse(const OutputFrame& frame, const PoseChanges& changes);
  // The same with a quantised pose (QuantisePose of the same time), complete or not.
  EncodedFrame WriteQuantised(const OutputFrame& frame, absl::Span<const uint8_t> pose,
                              bool complete);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FRAME_WRITER_H_
