// A small character with offsets of clips that were made up, for tests.
#ifndef POSEWIRE_TESTS_UNIT_RENDERER_SINK_FILM_CLIPS_H_
#define POSEWIRE_TESTS_UNIT_RENDERER_SINK_FILM_CLIPS_H_

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "libs/character/shape_offsets.h"
#include "libs/character_file/builtin.h"
#include "libs/files/byte_source.h"
#include "libs/offsets/offsets_file.h"
#include "libs/skel/pose_hash.h"
#include "libs/wire/contributions.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/draw/offset_mixer.h"

namespace posewire::renderer_sink {

// Bytes in memory. Reads from `held_from` on wait until it is raised.
class HeldSource : public files::ByteSource {
 public:
  explicit HeldSource(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& name() const override { return memory_.name(); }
  int64_t Size() const override { return memory_.Size(); }
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    for (int64_t from = held_from_; offset >= from; from = held_from_) held_from_.wait(from);
    return memory_.Read(offset, to);
  }
  void HoldFrom(int64_t offset) {
    held_from_ = offset;
    held_from_.notify_all();
  }
  void Release() { HoldFrom(std::numeric_limits<int64_t>::max()); }
  // Where a chunk lies.
  int64_t ChunkAt(size_t chunk) const {
    const auto index = *offsets::FileIndex::Parse(bytes_, bytes_.size());
    return static_cast<int64_t>(index.place(chunk).offset);
  }

 private:
  const std::string bytes_;
  files::MemorySource memory_{"held", bytes_};
  std::atomic<int64_t> held_from_ = std::numeric_limits<int64_t>::max();
};

// Asks again until it is so, for as long as a slow machine may take; says whether it is.
inline bool Eventually(absl::FunctionRef<bool()> so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

struct FilmClips {
  FilmClips() : figure(*character_file::PlainFigure(rigs)), mixer(figure, nullptr) {}

  size_t points() const { return mixer.skin().points(); }

  // The offset of a point, which moves by up to 3 cm.
  static skel::Vec3 Offset(uint64_t clip, size_t frame, size_t point) {
    const double t =
        static_cast<double>(clip) + 0.05 * static_cast<double>(frame) + static_cast<double>(point);
    return skel::Vec3{static_cast<float>(std::sin(t)), static_cast<float>(std::cos(1.3 * t)),
                      static_cast<float>(std::sin(0.7 * t))} *
           0.017f;
  }

  std::string FileOf(uint64_t clip, size_t frames) const {
    offsets::OffsetsHeader header;
    header.method = offsets::Method::kBox16;
    header.points = static_cast<uint32_t>(points());
    header.frames = static_cast<uint32_t>(frames);
    header.mesh_hash = mixer.mesh_hash();
    header.clip_hash = clip;
    header.shapes_hash = shapes_hash;
    std::vector<skel::Vec3> values;
    for (size_t f = 0; f < frames; ++f) {
      for (size_t i = 0; i < points(); ++i) values.push_back(Offset(clip, f, i));
    }
    return *offsets::WriteOffsets(header, {}, values);
  }

  std::shared_ptr<HeldSource> AddClip(uint64_t clip, size_t frames) {
    const std::string bytes = FileOf(clip, frames);
    const auto index = *offsets::FileIndex::Parse(bytes, bytes.size());
    auto source = std::make_shared<HeldSource>(bytes);
    files.push_back({"clip " + std::to_string(clip), source, index.header()});
    return source;
  }

  // A shape set in which shape s moves every point by (s + 1) tenths of a millimetre along x.
  std::shared_ptr<const character::ShapeOffsets> AddShapes() {
    const skel::Rig& rig = *figure->rig;
    offsets::OffsetsHeader header;
    header.content = offsets::Content::kShapes;
    header.points = static_cast<uint32_t>(points());
    header.frames = static_cast<uint32_t>(character::ShapeOffsets::Frames(rig));
    header.mesh_hash = mixer.mesh_hash();
    header.clip_hash = skel::kPoseHashSeed;
    skel::Pose pose(rig.joints(), rig.shapes());
    std::vector<skel::Vec3> values;
    for (uint32_t f = 0; f < header.frames; ++f) {
      character::ShapeOffsets::PoseAt(rig, static_cast<int>(f), pose.span());
      header.clip_hash = skel::PoseHash(pose.view(), header.clip_hash);
      values.insert(values.end(), points(), skel::Vec3{1e-4f * static_cast<float>(f), 0, 0});
    }
    const std::string bytes = *offsets::WriteOffsets(header, {}, values);
    files.push_back({"shapes", std::make_shared<HeldSource>(bytes), header});
    return *character::ShapeOffsets::Read(*offsets::OffsetsFile::Parse(bytes), rig, points());
  }
  OffsetFiles All() const { return *FilesOf(figure, files); }

  uint64_t shapes_hash = 0;  // of the next clips
  skel::RigCatalog rigs = *skel::RigCatalog::Builtin();
  std::shared_ptr<const character::Character> figure;
  OffsetMixer mixer;
  std::vector<OffsetsAt> files;
};

// The sum at a point.
inline skel::Vec3 SumAt(absl::Span<const mesh::WeighedOffsets> mix, size_t point) {
  skel::Vec3 sum;
  for (const mesh::WeighedOffsets& clip : mix) {
    const float share = clip.shares.empty() ? 1 : clip.shares[point];
    sum = sum + clip.offsets[point] * (clip.weight * share);
  }
  return sum;
}

inline wire::Contributions SeenOf(std::vector<wire::Contribution> contributions) {
  return {.contributions = std::move(contributions)};
}

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_TESTS_UNIT_RENDERER_SINK_FILM_CLIPS_H_
