// A worker's engine without its transport: avatars that are pulled and, if wanted, pushed to.
#ifndef POSEWIRE_TESTS_BENCH_MICRO_PUSHED_ENGINE_H_
#define POSEWIRE_TESTS_BENCH_MICRO_PUSHED_ENGINE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/wire/frame_reader.h"
#include "services/anim_graph/core/engine.h"
#include "tools/loadgen/push_message.h"

namespace posewire::bench {

// One stream, avatar and pull each, and one push each where `pushed`. Every byte that is pushed or
// pulled is counted against the limits of anim_graph's defaults. Aborts on any error. One thread.
class PushedEngine {
 public:
  // `graph` names a built-in graph.
  PushedEngine(const char* graph, size_t avatars, bool pushed)
      : engine_(MakeEngine(graph, now_)), sinks_(avatars) {
    for (size_t i = 0; i < avatars; ++i) {
      const std::string stream = absl::StrCat("stream", i);
      if (!engine_->OpenPull({"", {"", stream, ""}, "bench"}, {}, &sinks_[i], now_).ok()) {
        std::abort();
      }
      if (!pushed) continue;
      sources_.push_back(std::make_unique<Source>());
      Give(*sources_.back(), message_.Header(stream, now_.unix_s));
    }
  }

  // What the sources push in one frame, and the ticks.
  void RunFrame() {
    const std::string& bytes = message_.Frame(frames_++);
    for (const auto& source : sources_) Give(*source, bytes);
    const int64_t end = now_.ns + 1'000'000'000 / 30;
    while (engine_->NextWake() <= end) {
      now_.ns = std::max(now_.ns, engine_->NextWake());
      engine_->Advance(now_);
    }
    now_.ns = end;
  }

 private:
  // Takes what comes and lets it go.
  struct Sink final : anim_graph::FrameSink {
    Offered Offer(const wire::EncodedFrame& frame, double) override {
      bytes += frame.size();
      return Offered::kTaken;
    }
    void Finish(const absl::Status&) override {}
    size_t bytes = 0;
  };
  struct Peer final : anim_graph::PushPeer {
    void ReadOn() override {}
    void Finish(const anim_graph::PushAnswer&) override {}
  };
  struct Source {
    Peer peer;
    wire::FrameReader reader;
    uint64_t push = 0;
  };

  static std::unique_ptr<anim_graph::Engine> MakeEngine(const char* graph, anim_graph::Now now) {
    anim_graph::EngineParts parts;
    parts.settings = std::make_shared<anim_graph::EngineSettings>();
    // Made once: repetitions make engines anew.
    static const auto catalog = std::make_shared<skel::RigCatalog>(*skel::RigCatalog::Builtin());
    static const auto rig = *catalog->Find(parts.settings->rig);
    static const auto clips = *gesture::MakeGestures(rig, clip::Precision{.quick = true});
    parts.catalog = catalog;
    parts.asset = graph::MakeBuiltinGraphAsset(graph, rig, clips).value();
    parts.capacity = std::make_shared<anim_graph::Capacity>();
    return std::make_unique<anim_graph::Engine>(parts, now);
  }

  void Give(Source& source, const std::string& message) {
    const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(message.data()),
                                          message.size());
    if (!source.reader.Read({bytes}, &chunk_).ok()) std::abort();
    if (const auto* header = std::get_if<wire::StreamHeader>(&chunk_)) {
      const auto opened = engine_->OpenPush(*header, {}, &source.peer, now_);
      if (!opened.ok()) std::abort();
      source.push = opened->call;
    } else {
      engine_->Offer(source.push, std::get<wire::DataChunk>(chunk_), now_);
    }
  }

  anim_graph::Now now_{1'000'000'000, 1.7e9};
  std::unique_ptr<anim_graph::Engine> engine_;
  std::vector<Sink> sinks_;  // the engine has their addresses
  std::vector<std::unique_ptr<Source>> sources_;
  loadgen::PushMessage message_ = *loadgen::PushMessage::Make();
  wire::Chunk chunk_;
  int64_t frames_ = 0;
};

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_MICRO_PUSHED_ENGINE_H_
