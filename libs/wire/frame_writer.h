// Poses, audio, camera and metadata to bytes, encoded once for every pull that shares them.
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

struct CameraSample {
  bool has_position = false, has_rotation = false, has_focal_length = false,
       has_focus_distance = false;
  skel::Vec3 position;
  skel::Quat rotation;
  float focal_length = 0, focus_distance = 0;
};

// What one output tick carries.
struct OutputFrame {
  double code_s = 0;
  skel::PoseView pose;  // every element of the layout present
  double audio_code_s = 0;
  absl::Span<const int16_t> audio;       // empty: no audio field
  const CameraSample* camera = nullptr;  // null: none
  absl::Span<const MetadataEntry> metadata;
};

// An encoded message: immutable, reference counted, cheap to copy, safe on any thread. Its bytes
// are laid out so that the same memory serves with and without the pose: samples are copied into it
// once, however many pulls send them, in either form.
class EncodedFrame {
 public:
  EncodedFrame() = default;

  using Slice = absl::Span<const uint8_t>;
  // The whole message: three slices, some of which may be empty.
  std::array<Slice, 3> Whole() const;
  // The message without its pose: audio, camera and metadata. Equal to Whole() for headers and
  // statuses.
  std::array<Slice, 3> WithoutPose() const;
  // A copy of WithoutPose() that does not keep the pose's memory: with a voice, a fifth of the
  // whole. It is made once, and shared by all who ask while one of them still holds it; they ask
  // one after another. Allocates.
  EncodedFrame CopyWithoutPose() const;
  size_t size() const;
  bool has_pose() const;
  // True for data; false for headers and statuses, which are never dropped.
  bool is_data() const;
  double code_s() const;
  explicit operator bool() const { return rep_ != nullptr; }
  // Keeps the slices' memory alive.
  std::shared_ptr<const void> owner() const { return rep_; }

  struct Rep;  // private to frame_writer.cc

 private:
  friend class FrameWriter;
  friend EncodedFrame EncodeHeader(const StreamHeader& header);
  friend EncodedFrame EncodeStatus(StatusChunk::Code code, absl::string_view message);
  friend EncodedFrame EncodeMessage(absl::Span<const uint8_t> message, double code_s);
  std::shared_ptr<const Rep> rep_;
};

EncodedFrame EncodeHeader(const StreamHeader& header);
EncodedFrame EncodeStatus(StatusChunk::Code code, absl::string_view message);
// A serialized AnimationDataStream made elsewhere, laid out so that it can be sent without its
// pose. Fields keep their bytes, known or not; those of the pose come first.
EncodedFrame EncodeMessage(absl::Span<const uint8_t> message, double code_s);

// The memory of frames, reused once nobody holds them, so that a steady stream allocates nothing.
// Writers that take turns may share one: the buffer released last is still in the caches. Frames
// may outlive their pool and be released on any thread; everything else is for any one thread.
// It keeps 256 buffers of at most 128 KiB; others are for one use.
class FramePool {
 public:
  // `meter` (may be null) has the bytes added of all memory that frames take and the pool keeps.
  explicit FramePool(std::shared_ptr<std::atomic<int64_t>> meter = nullptr);
  ~FramePool();
  FramePool(FramePool&&) noexcept;
  FramePool& operator=(FramePool&&) noexcept;

  // The next frame takes the first buffer again if it is free: for use between bursts of frames
  // that are released together.
  void Rewind();

 private:
  friend class FrameWriter;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Encodes the frames of one output layout (joints and shapes of the header it goes with), into
// memory of `pool`, which outlives the writer, or of its own pool. Any number of outputs with that
// layout may share it; any one thread.
class FrameWriter {
 public:
  FrameWriter(int joints, int shapes, FramePool* pool = nullptr);
  ~FrameWriter();
  FrameWriter(FrameWriter&&) noexcept;
  FrameWriter& operator=(FrameWriter&&) noexcept;

  // The pose must have the layout's size: any other aborts the program.
  EncodedFrame Write(const OutputFrame& frame);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FRAME_WRITER_H_
