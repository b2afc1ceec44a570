// Graph, gesture and rig files and rig maps: whatever their text is, they are taken or refused with
// a reason; a graph that is taken plays, and a gesture becomes a clip of finite numbers. A
// libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses the kind of file, then the file.
#include <google/protobuf/stubs/logging.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "libs/gesture_loader/choreography.h"
#include "libs/graph_loader/graph_file.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/skel/naming.h"
#include "tests/fuzz/input.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire {
namespace {

void ReadRig(const std::string& text) {
  const auto rig = skel::Rig::Parse(text);
  if (!rig.ok() && rig.status().message().empty()) std::abort();
}

void PlayGraph(const std::string& text) {
  const auto graph = graph::ParseGraph(text);
  if (!graph.ok()) return;
  static anim_graph::Harness& harness = *new anim_graph::Harness();
  const auto asset = graph::MakeGraphAsset(*graph, harness.rig, nullptr);
  if (!asset.ok()) return;
  anim_graph::EngineParts parts = harness.parts;
  parts.asset = *asset;
  parts.capacity = std::make_shared<anim_graph::Capacity>(*parts.settings);
  anim_graph::Engine engine(parts, harness.now);
  anim_graph::FakeSink sink;
  sink.keep_parsed = false;
  anim_graph::Now now = harness.now;
  if (!engine.OpenPull({"", {"", "stream", ""}, "test"}, {}, &sink, now).ok()) std::abort();
  for (int tick = 0; tick < 10; ++tick) {
    now.ns += 33'333'334;
    engine.Advance(now);
  }
  wire::ReaderLimits limits;
  limits.require_ids = false;
  wire::FrameReader reader(limits);
  for (const std::string& message : sink.raw) {
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(message.data()), message.size()}};
    const auto read = reader.Read(slices);
    if (read.ok()) continue;
    std::fprintf(stderr, "a graph that was taken sends what breaks the rules: %s\n",
                 read.status().ToString().c_str());
    std::abort();
  }
}

void MakeGestures(const std::string& text) {
  const auto file = gesture::ParseChoreography(text, "fuzzed");
  if (!file.ok()) {
    if (file.status().message().empty()) std::abort();
    return;
  }
  static const auto& rig =
      *new std::shared_ptr<const skel::Rig>(*anim_graph::Harness::Catalog()->Find("hanim_loa3"));
  static const gesture::Body& body = *new gesture::Body(*gesture::Body::Make(*rig));
  double left_s = 20;  // of all
  for (const auto& one : file->gestures()) {
    left_s -= one.length_s();
    if (left_s < 0) return;
    const auto clip = gesture::MakeClip(one, body, rig);
    const skel::PoseView last = clip->frame(clip->frames() - 1);
    for (int j = 0; j < last.joints; ++j) {
      if (last.has_r[j] && !std::isfinite(last.rotation(j).w)) std::abort();
    }
  }
}

}  // namespace
}  // namespace posewire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer silence;
  posewire::FuzzInput in(data, size);
  const size_t kind = in.Choose(4);
  const std::string text = in.Rest();
  if (kind == 0) {
    posewire::ReadRig(text);
  } else if (kind == 1) {
    (void)posewire::skel::ParseNamings(text);
  } else if (kind == 3) {
    posewire::MakeGestures(text);
  } else {
    posewire::PlayGraph(text);
  }
  return 0;
}
