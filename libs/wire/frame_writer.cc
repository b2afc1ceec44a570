#include "libs/wire/frame_writer.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <optional>
#include <utility>

#include "libs/wire/any_entry.h"
#include "libs/wire/encoded_rep.h"
#include "libs/wire/quantised_pose.h"
#include "libs/wire/record_form.h"
#include "libs/wire/record_kernels.h"
#include "libs/wire/sparse_pose.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

// Number of frames that the pool keeps; further buffers are used once.
constexpr size_t kMaxPool = 256;
// Number of buffers made without a search, once all pooled ones were found in use.
constexpr size_t kRest = 16;
// Larger buffers are not kept, because megabytes of metadata are rare.
constexpr size_t kMaxPooledBytes = 128 << 10;

constexpr size_t RecordBytes(size_t floats) { return floats * kFloatFieldSize; }

// Size of a pose key's payload: its time code and its values.
size_t KeyBytes(size_t track, size_t elements) {
  const auto floats = static_cast<size_t>(kTracks[track].floats);
  if (track == kWeights) return kDoubleFieldSize + LengthFieldSize(elements * sizeof(float));
  return kDoubleFieldSize + elements * LengthFieldSize(RecordBytes(floats));
}

// Writes a vector or quaternion as tag, length and a tagged float for each number.
template <size_t kFloats>
uint8_t* PutRecord(uint8_t* p, const float (&v)[kFloats]) {
  *p++ = (field::kValues << 3) | kLength;
  *p++ = static_cast<uint8_t>(RecordBytes(kFloats));
  for (size_t i = 0; i < kFloats; ++i) {
    *p++ = static_cast<uint8_t>(((i + 1) << 3) | kFixed32);
    std::memcpy(p, &v[i], sizeof(float));
    p += sizeof(float);
  }
  return p;
}

size_t CameraBytes(const CameraSample& camera) {
  size_t n = 0;
  if (camera.has_position) n += LengthFieldSize(kDoubleFieldSize + LengthFieldSize(RecordBytes(3)));
  if (camera.has_rotation) n += LengthFieldSize(kDoubleFieldSize + LengthFieldSize(RecordBytes(4)));
  const size_t number = LengthFieldSize(kDoubleFieldSize + kFloatFieldSize);
  if (camera.has_focal_length) n += number;
  if (camera.has_focus_distance) n += number;
  return n;
}

void PutCamera(const CameraSample& camera, double time_code_s, WireWriter* w) {
  const auto open = [&](CameraTrack track, size_t value_bytes) {
    w->Open(static_cast<uint32_t>(track) + 1, kDoubleFieldSize + value_bytes);
    w->DoubleField(field::kTimeCode, time_code_s);
  };
  const auto record = [&]<size_t kFloats>(CameraTrack track, const float(&v)[kFloats]) {
    open(track, LengthFieldSize(RecordBytes(kFloats)));
    *w = WireWriter(PutRecord(w->position(), v));
  };
  if (camera.has_position) {
    record(kCameraPosition, {camera.position.x, camera.position.y, camera.position.z});
  }
  if (camera.has_rotation) {
    const skel::Quat& q = camera.rotation;
    record(kCameraRotation, {q.w, q.x, q.y, q.z});
  }
  if (camera.has_focal_length) {
    open(kFocalLength, kFloatFieldSize);
    w->FloatField(field::kValues, camera.focal_length);
  }
  if (camera.has_focus_distance) {
    open(kFocusDistance, kFloatFieldSize);
    w->FloatField(field::kValues, camera.focus_distance);
  }
}

size_t EntryBytes(const MetadataEntry& e) {
  return LengthFieldSize(e.key.size()) + LengthFieldSize(e.any.size());
}

size_t AudioBytes(const OutputFrame& frame) {
  return kDoubleFieldSize + LengthFieldSize(frame.audio.size() * sizeof(int16_t));
}

// Size of everything except the pose.
size_t RestBytes(const OutputFrame& frame) {
  size_t n = 0;
  if (!frame.audio.empty()) n += LengthFieldSize(AudioBytes(frame));
  if (frame.camera != nullptr) n += LengthFieldSize(CameraBytes(*frame.camera));
  for (const MetadataEntry& e : frame.metadata) n += LengthFieldSize(EntryBytes(e));
  return n;
}

void PutRest(const OutputFrame& frame, WireWriter* w) {
  if (!frame.audio.empty()) {
    w->Open(field::kAudio, AudioBytes(frame));
    w->DoubleField(field::kTimeCode, frame.audio_time_code_s);
    w->Open(field::kValues, frame.audio.size() * sizeof(int16_t));
    w->Raw(frame.audio.data(), frame.audio.size() * sizeof(int16_t));
  }
  if (frame.camera != nullptr) {
    w->Open(field::kCamera, CameraBytes(*frame.camera));
    PutCamera(*frame.camera, frame.time_code_s, w);
  }
  for (const MetadataEntry& e : frame.metadata) {
    w->Open(field::kMetadata, EntryBytes(e));
    w->TextField(field::kMapKey, e.key);
    w->TextField(field::kMapValue, e.any);
  }
}

}  // namespace

std::array<EncodedFrame::Slice, 3> EncodedFrame::Whole() const {
  if (rep_ == nullptr) return {};
  return {Slice(rep_->bytes.data() + rep_->whole_at, rep_->end - rep_->whole_at), {}, {}};
}

std::array<EncodedFrame::Slice, 3> EncodedFrame::WithoutPose() const {
  if (rep_ == nullptr || !rep_->has_pose) return Whole();
  return {Slice(rep_->bytes.data(), rep_->whole_at),
          Slice(rep_->bytes.data() + rep_->rest_at, rep_->end - rep_->rest_at),
          {}};
}

size_t EncodedFrame::size() const { return rep_ ? rep_->end - rep_->whole_at : 0; }
bool EncodedFrame::has_pose() const { return rep_ && rep_->has_pose; }
bool EncodedFrame::is_sparse() const { return rep_ && rep_->is_sparse; }
bool EncodedFrame::is_data() const { return rep_ && rep_->is_data; }
double EncodedFrame::time_code_s() const { return rep_ ? rep_->time_code_s : 0; }

struct FramePool::Impl {
  // Returns a buffer with room for this many bytes.
  std::shared_ptr<EncodedFrame::Rep> Take(size_t bytes);

  std::shared_ptr<std::atomic<int64_t>> meter;
  std::vector<std::shared_ptr<EncodedFrame::Rep>> pool;
  size_t next = 0;  // checked first
  size_t rest = 0;
};

FramePool::FramePool(std::shared_ptr<std::atomic<int64_t>> meter)
    : impl_(std::make_unique<Impl>()) {
  impl_->meter = std::move(meter);
}
FramePool::~FramePool() = default;
FramePool::FramePool(FramePool&&) noexcept = default;
FramePool& FramePool::operator=(FramePool&&) noexcept = default;

void FramePool::Rewind() { impl_->next = impl_->rest = 0; }

// Frames are released in about the order in which they were made, so the buffer after the last one
// taken is the most likely to be free.
std::shared_ptr<EncodedFrame::Rep> FramePool::Impl::Take(size_t bytes) {
  const bool pooled = bytes <= kMaxPooledBytes;
  const size_t looks = rest > 0 || !pooled ? 0 : pool.size();
  for (size_t look = 0; look < looks; ++look) {
    const auto& rep = pool[next];
    next = next + 1 < pool.size() ? next + 1 : 0;
    // With a count of one, no other thread can raise it. The fence orders the last reads of other
    // threads, which came before their release, before the writes here.
    if (rep.use_count() != 1) continue;
    std::atomic_thread_fence(std::memory_order_acquire);
    rep->bare.reset();
    rep->Reserve(bytes);
    return rep;
  }
  auto rep = std::make_shared<EncodedFrame::Rep>(meter);
  rep->Reserve(bytes);
  if (!pooled) return rep;
  if (pool.size() < kMaxPool) {
    pool.push_back(rep);
    next = 0;
  } else {
    rest = rest > 0 ? rest - 1 : kRest;
  }
  return rep;
}

struct FrameWriter::Impl {
  Impl(int j, int s, FramePool* p)
      : joints(static_cast<size_t>(j)), shapes(static_cast<size_t>(s)), pool(p) {
    if (pool == nullptr) pool = &own.emplace();
    const auto add = [this](size_t track, size_t elements) {
      key_bytes[track] = elements == 0 ? 0 : KeyBytes(track, elements);
    };
    add(kWeights, shapes);
    add(kTranslations, joints);
    add(kRotations, joints);
    add(kScales, joints);
  }

  // Payloads of the keys of a frame; 0: no key.
  using KeySizes = std::array<size_t, kPoseTracks>;
  KeySizes SizesOf(const PoseChanges& changes) const;
  void PutPose(const OutputFrame& frame, const KeySizes& sizes, const PoseChanges* changes,
               WireWriter* w) const;
  EncodedFrame Write(const OutputFrame& frame, const KeySizes& sizes, const PoseChanges* changes);
  // Writes a frame whose pose takes `pose` bytes, written by `put`.
  template <typename Put>
  EncodedFrame WriteParts(const OutputFrame& frame, size_t pose, bool sparse, const Put& put);

  const RecordKernels kernels = ChooseKernels();
  size_t joints, shapes;
  KeySizes key_bytes = {};  // of complete keys
  std::optional<FramePool> own;
  FramePool* pool;
};

FrameWriter::Impl::KeySizes FrameWriter::Impl::SizesOf(const PoseChanges& changes) const {
  KeySizes sizes = {};
  if (changes.weights || joints == 0) sizes[kWeights] = key_bytes[kWeights];
  for (const PoseTrack track : {kTranslations, kRotations, kScales}) {
    const auto sent = static_cast<size_t>(changes.count[track]);
    if (joints == 0 || (sent == 0 && track != kRotations)) continue;
    const auto floats = static_cast<size_t>(kTracks[track].floats);
    sizes[track] = kDoubleFieldSize + sent * LengthFieldSize(RecordBytes(floats)) +
                   (joints - sent) * LengthFieldSize(0);
  }
  return sizes;
}

void FrameWriter::Impl::PutPose(const OutputFrame& frame, const KeySizes& sizes,
                                const PoseChanges* changes, WireWriter* w) const {
  const skel::PoseView& pose = frame.pose;
  const auto open = [&](PoseTrack track) {
    w->Open(static_cast<uint32_t>(track) + 1, sizes[track]);
    w->DoubleField(field::kTimeCode, frame.time_code_s);
  };
  if (sizes[kWeights] != 0) {
    open(kWeights);
    w->Open(field::kValues, shapes * sizeof(float));
    w->Raw(pose.weights, shapes * sizeof(float));
  }
  if (joints == 0) return;
  const auto put = [&]<size_t kFloats>(PoseTrack track, const auto& write,
                                       const float* const(&rows)[kFloats]) {
    if (sizes[track] == 0) return;
    open(track);
    if (sizes[track] != key_bytes[track]) {
      const uint8_t* const sent = changes->joints[track].data();
      for (size_t j = 0; j < joints; ++j) {
        if (sent[j] == 0) {
          w->Open(field::kValues, 0);
          continue;
        }
        float value[kFloats];
        for (size_t i = 0; i < kFloats; ++i) value[i] = rows[i][j];
        *w = WireWriter(PutRecord(w->position(), value));
      }
      return;
    }
    write(rows, joints, w->position());
    *w = WireWriter(w->position() + joints * RecordForm<kFloats>::kBytes);
  };
  put(kTranslations, kernels.write_vectors, {pose.tx, pose.ty, pose.tz});
  put(kRotations, kernels.write_rotations, {pose.qw, pose.qx, pose.qy, pose.qz});
  put(kScales, kernels.write_vectors, {pose.sx, pose.sy, pose.sz});
}

FrameWriter::FrameWriter(int joints, int shapes, FramePool* pool)
    : impl_(std::make_unique<Impl>(joints, shapes, pool)) {}
FrameWriter::~FrameWriter() = default;
FrameWriter::FrameWriter(FrameWriter&&) noexcept = default;
FrameWriter& FrameWriter::operator=(FrameWriter&&) noexcept = default;

EncodedFrame FrameWriter::Write(const OutputFrame& frame) {
  return impl_->Write(frame, impl_->key_bytes, nullptr);
}

EncodedFrame FrameWriter::WriteSparse(const OutputFrame& frame, const PoseChanges& changes) {
  return impl_->Write(frame, impl_->SizesOf(changes), &changes);
}

EncodedFrame FrameWriter::Impl::Write(const OutputFrame& frame, const KeySizes& sizes,
                                      const PoseChanges* changes) {
  size_t skel_bytes = 0;
  for (const size_t size : sizes) skel_bytes += size == 0 ? 0 : LengthFieldSize(size);
  return WriteParts(frame, skel_bytes == 0 ? 0 : LengthFieldSize(skel_bytes), changes != nullptr,
                    [&](WireWriter* w) {
                      w->Open(field::kSkel, skel_bytes);
                      PutPose(frame, sizes, changes, w);
                    });
}

EncodedFrame FrameWriter::WriteQuantised(const OutputFrame& frame, absl::Span<const uint8_t> pose,
                                         bool complete) {
  const size_t url = kAnyPrefix.size() + kQuantisedPoseType.size();
  const size_t value = LengthFieldSize(pose.size());
  const size_t any = LengthFieldSize(url) + LengthFieldSize(value);
  const size_t entry = LengthFieldSize(kQuantisedPoseKey.size()) + LengthFieldSize(any);
  return impl_->WriteParts(frame, LengthFieldSize(entry), !complete, [&](WireWriter* w) {
    w->Open(field::kMetadata, entry);
    w->TextField(field::kMapKey, kQuantisedPoseKey);
    w->Open(field::kMapValue, any);
    w->Open(field::kTypeUrl, url);
    w->Raw(kAnyPrefix.data(), kAnyPrefix.size());
    w->Raw(kQuantisedPoseType.data(), kQuantisedPoseType.size());
    w->Open(field::kAnyValue, value);
    w->Open(1, pose.size());
    w->Raw(pose.data(), pose.size());
  });
}

template <typename Put>
EncodedFrame FrameWriter::Impl::WriteParts(const OutputFrame& frame, size_t pose, bool sparse,
                                           const Put& put) {
  // A pose of another size would be written past the end of the buffer.
  if (static_cast<size_t>(frame.pose.joints) != joints ||
      static_cast<size_t>(frame.pose.shapes) != shapes) {
    std::abort();
  }
  const bool has_pose = pose != 0;
  const size_t rest = RestBytes(frame);
  const size_t bare_prefix = has_pose ? 1 + VarintSize(rest) : 0;

  std::shared_ptr<EncodedFrame::Rep> rep =
      pool->impl_->Take(bare_prefix + LengthFieldSize(pose + rest));
  WireWriter w(rep->bytes.data());
  if (has_pose) w.Open(field::kData, rest);
  rep->whole_at = bare_prefix;
  w.Open(field::kData, pose + rest);
  if (has_pose) put(&w);
  rep->rest_at = static_cast<size_t>(w.position() - rep->bytes.data());
  PutRest(frame, &w);
  rep->end = static_cast<size_t>(w.position() - rep->bytes.data());
  assert(rep->end == rep->rest_at + rest && rep->end <= rep->bytes.size());
  rep->has_pose = has_pose;
  rep->is_data = true;
  rep->is_sparse = has_pose && sparse;
  rep->time_code_s = frame.time_code_s;

  EncodedFrame out;
  out.rep_ = std::move(rep);
  return out;
}

}  // namespace posewire::wire
