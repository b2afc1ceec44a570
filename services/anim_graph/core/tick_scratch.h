// What the avatars of one engine need for the time of a tick.
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

// The poses of an avatar's sources while it ticks, all on one rig.
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

// Avatars of one thread tick in turn, so one scratch serves all of them and stays in the caches,
// where scratch of their own would be cold at each tick. What it holds grows to what the largest
// avatar needs, and no further.
class TickScratch {
 public:
  // `meter`: as of FramePool.
  TickScratch(const EngineSettings& settings, int joints, int shapes,
              std::shared_ptr<std::atomic<int64_t>> meter = nullptr)
      : said_(joints, shapes), mixer_(settings), frames_(std::move(meter)) {
    providers_.reserve(64);
  }

  // Room for so many sources at once, and for keys of that width.
  void MakeRoom(size_t sources, size_t key_width) {
    providers_.reserve(sources);
    for (auto& key : keys_) {
      if (key.size() < key_width) key.resize(key_width);
    }
  }

  // The encoder of a layout; of a rig that is there as long as the engine.
  wire::FrameWriter* WriterOf(const skel::Rig& rig) {
    for (auto& [of, writer] : writers_) {
      if (of == &rig) return &writer;
    }
    return &writers_.emplace_back(&rig, wire::FrameWriter(rig.joints(), rig.shapes(), &frames_))
                .second;
  }

  Mixer& mixer() { return mixer_; }
  wire::FramePool& frames() { return frames_; }
  // Of all avatars on the rig that the engine's avatars share.
  SourcePoses& said() { return said_; }
  // Of the avatar that ticks.
  std::vector<graph::ProviderInput>& providers() { return providers_; }
  std::vector<wire::MetadataEntry>& metadata() { return metadata_; }
  // Where a key of a track is interpolated.
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
