// Buffers that the avatars of one engine need during a tick.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCRATCH_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCRATCH_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/frame_writer.h"
#include "services/anim_graph/core/mixer.h"
#include "services/anim_graph/core/settings.h"

namespace posewire::anim_graph {

// The poses of an avatar's sources during its tick, all on one rig.
class SourcePoses {
 public:
  SourcePoses(int joints, int shapes) : joints_(joints), shapes_(shapes) {}

  void MakeRoom(size_t sources) {
    while (poses_.size() < sources) {
      poses_.push_back(std::make_unique<skel::Pose>(joints_, shapes_));
    }
  }
  const skel::PoseSpan& operator[](size_t i) { return poses_[i]->span(); }

 private:
  const int joints_, shapes_;
  std::vector<std::unique_ptr<skel::Pose>> poses_;
};

// Avatars of one thread tick in turn, so they share one scratch, which stays in the CPU caches;
// separate buffers would be cold at each tick. The buffers grow to the needs of the largest avatar.
class TickScratch {
 public:
  // `meter`: see FramePool.
  TickScratch(const EngineSettings& settings, int joints, int shapes,
              std::shared_ptr<std::atomic<int64_t>> meter = nullptr)
      : said_(joints, shapes), mixer_(settings), frames_(std::move(meter)) {
    providers_.reserve(64);
  }

  // Reserves room for this many simultaneous sources, and for keys of this width.
  void MakeRoom(size_t sources, size_t key_width) {
    providers_.reserve(sources);
    for (auto& key : keys_) {
      if (key.size() < key_width) key.resize(key_width);
    }
  }

  // Returns the encoder for a rig, which must live as long as the engine.
  wire::FrameWriter* WriterOf(const skel::Rig& rig) {
    for (auto& [of, writer] : writers_) {
      if (of == &rig) return &writer;
    }
    return &writers_.emplace_back(&rig, wire::FrameWriter(rig.joints(), rig.shapes(), &frames_))
                .second;
  }

  Mixer& mixer() { return mixer_; }
  wire::FramePool& frames() { return frames_; }
  // For all avatars that use the engine's shared rig.
  SourcePoses& said() { return said_; }
  // For the avatar that is ticking.
  std::vector<graph::ProviderInput>& providers() { return providers_; }
  std::vector<wire::MetadataEntry>& metadata() { return metadata_; }
  // Buffer for the interpolated key of a track.
  absl::Span<float> key(size_t track, size_t width) {
    return absl::MakeSpan(keys_[track]).subspan(0, width);
  }

 private:
  SourcePoses said_;
  Mixer mixer_;
  wire::FramePool frames_;
  std::deque<std::pair<const skel::Rig*, wire::FrameWriter>> writers_;
  std::vector<graph::ProviderInput> providers_;
  std::vector<wire::MetadataEntry> metadata_;
  std::array<std::vector<float>, wire::kPoseTracks> keys_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_TICK_SCRATCH_H_
