#include "tests/bench/instructions/jobs.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libs/gesture_loader/gestures.h"
#include "libs/graph/graph_instance.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/frame_writer.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/bench/micro/poses.h"
#include "tests/bench/micro/pushed_engine.h"
#include "tools/loadgen/push_message.h"

namespace {

using posewire::bench::MovingPose;
using posewire::bench::StandardRig;
using posewire::loadgen::PushMessage;
namespace skel = posewire::skel;
namespace graph = posewire::graph;
namespace wire = posewire::wire;

using Message = nvidia_ace::animation_data::v1::AnimationDataStream;

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

bool Read(PushMessage message, int64_t times) {
  wire::FrameReader reader;
  wire::Chunk chunk;
  const std::string header = message.Header("s", 0);
  if (!reader.Read({Bytes(header)}, &chunk).ok()) return false;
  for (int64_t k = 0; k < times; ++k) {
    if (!reader.Read({Bytes(message.Frame(k))}, &chunk).ok()) return false;
  }
  return true;
}

// `pool` has the memory of the frames; null: the writer's own.
bool Encode(int64_t times, wire::FramePool* pool = nullptr) {
  const auto rig = StandardRig();
  const skel::Pose pose = MovingPose(*rig, 1, 0.5);
  const std::vector<int16_t> audio(533, 1234);
  wire::FrameWriter writer(rig->joints(), rig->shapes(), pool);
  wire::OutputFrame out;
  out.pose = pose.view();
  out.audio = audio;
  size_t bytes = 0;
  for (int64_t k = 0; k < times; ++k) {
    out.time_code_s = out.audio_time_code_s = static_cast<double>(k) / 30;
    for (const auto& slice : writer.Write(out).Whole()) bytes += slice.size();
  }
  return bytes > 0;
}

bool Parse(PushMessage message, int64_t times) {
  Message parsed;
  for (int64_t k = 0; k < times; ++k) {
    if (!parsed.ParseFromString(message.Frame(k))) return false;
  }
  return true;
}

bool Serialize(PushMessage message, int64_t times) {
  Message parsed;
  if (!parsed.ParseFromString(message.Frame(0))) return false;
  std::string bytes;
  for (int64_t k = 0; k < times; ++k) {
    if (!parsed.SerializeToString(&bytes)) return false;
  }
  return true;
}

// Ticks of one avatar that a source drives.
bool Tick(const char* kind, int64_t times) {
  const auto rig = StandardRig();
  const auto clips = posewire::gesture::MakeGestures(rig);
  if (!clips.ok()) return false;
  const auto asset = graph::MakeBuiltinGraphAsset(kind, rig, *clips);
  if (!asset.ok()) return false;
  const auto instance = (*asset)->Instantiate(*asset, 1);
  const skel::Pose said = MovingPose(*rig, 3, 0.5);
  skel::Pose out(rig->joints(), rig->shapes());
  std::array<graph::ProviderInput, 1> provider;
  provider[0].playback_id = 1;
  provider[0].source_service_id = "bench";
  provider[0].owns_mouth = true;
  provider[0].pose = said.view();
  graph::Inputs inputs;
  inputs.providers = provider;
  for (int64_t k = 0; k < times; ++k) {
    instance->Tick(k, static_cast<double>(k) / 30, 1.0 / 30, inputs, out.span());
  }
  return true;
}

// As Encode, with the bytes of the frames counted as those of anim_graph.
bool EncodeCounted(int64_t times) {
  wire::FramePool pool(std::make_shared<std::atomic<int64_t>>(0));
  return Encode(times, &pool);
}

// Frames of one avatar from bytes that came to bytes that go.
bool Push(int64_t times) {
  posewire::bench::PushedEngine engine("passthrough", 1, true);
  for (int64_t k = 0; k < times; ++k) engine.RunFrame();
  return true;
}

}  // namespace

namespace posewire::bench {

bool RunJob(const std::string& job, int64_t times) {
  if (job == "encode") return Encode(times);
  if (job == "encode_counted") return EncodeCounted(times);
  if (job == "push") return Push(times);
  if (job == "passthrough" || job == "default") return Tick(job.c_str(), times);
  auto message = PushMessage::Make();
  if (!message.ok()) return false;
  if (job == "read") return Read(*std::move(message), times);
  if (job == "protobuf_parse") return Parse(*std::move(message), times);
  if (job == "protobuf_serialize") return Serialize(*std::move(message), times);
  return false;
}

}  // namespace posewire::bench
