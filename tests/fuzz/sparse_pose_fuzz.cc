// Whatever a server sends in a sparse stream, the completed frames are legal: a reader accepts
// their bytes. A libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses the names, one that chooses the form, then messages: each two
// bytes of length (the lower first), then as many bytes, or what is left. Form 0 is sparse and 1
// quantised, both with messages of the stream; 2 is quantised with the bytes of poses alone.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <variant>

#include "libs/wire/any_entry.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/message.h"
#include "libs/wire/sparse_pose.h"
#include "libs/wire/wire_format.h"
#include "tests/fuzz/input.h"

namespace posewire::wire {
namespace {

void Expect(bool holds) {
  if (!holds) std::abort();
}
Bytes BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
StreamHeader HeaderOf(size_t joints, size_t shapes) {
  StreamHeader header;
  header.ids.stream_id = "s";
  header.audio_rate_hz = 16000;
  for (size_t j = 0; j < joints; ++j) header.joints.push_back(std::string(j + 1, 'j'));
  for (size_t s = 0; s < shapes; ++s) header.shapes.push_back(std::string(s + 1, 's'));
  return header;
}
FrameReader ReaderOf(const StreamHeader& header) {
  FrameReader reader(ClientLimits());
  Expect(reader.Read({SpanOf(SerializeHeader(header))}).ok());
  return reader;
}

DataChunk WithPose(const std::string& pose) {
  std::string value(1, '\x0a');  // field 1 of BytesValue
  size_t left = pose.size();
  for (; left >= 0x80; left >>= 7) value.push_back(static_cast<char>(left | 0x80));
  value.push_back(static_cast<char>(left));
  DataChunk chunk;
  chunk.metadata.push_back(PackEntry(kQuantisedPoseKey, kQuantisedPoseType, value + pose));
  return chunk;
}

void CheckCompleted(const StreamHeader& header, const DataChunk& frame) {
  FrameReader reader = ReaderOf(header);
  const absl::StatusOr<Chunk> again = reader.Read({SpanOf(SerializeData(frame))});
  Expect(again.ok());
  const auto& data = std::get<DataChunk>(*again);
  for (size_t track = 0; track < kPoseTracks; ++track) {
    const KeyBlock& block = frame.pose[track];
    Expect(block.time_codes_s.size() <= 1);
    Expect(block.empty() || block.values.size() == static_cast<size_t>(block.width));
    for (const float value : block.values) Expect(std::fabs(value) <= 1e9f);
    Expect(data.pose[track].values.size() == block.values.size());
  }
}

}  // namespace
}  // namespace posewire::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire;        // NOLINT: the name below is libFuzzer's
  using namespace posewire::wire;  // NOLINT
  static const StreamHeader kHeaders[] = {HeaderOf(2, 1), HeaderOf(9, 17), HeaderOf(0, 3),
                                          HeaderOf(3, 0)};
  FuzzInput input(data, size);
  StreamHeader header = kHeaders[input.Choose(std::size(kHeaders))];
  const size_t form = input.Choose(3);
  FrameReader reader = ReaderOf(header);
  PoseCompleter completer(form == 0 ? PoseForm::kSparse : PoseForm::kQuantised);
  completer.Begin(header);
  while (!input.done()) {
    const std::string text = input.Text();
    Chunk chunk;
    if (form == 2) {
      chunk = WithPose(text);
    } else if (!reader.Read({BytesOf(text)}, &chunk).ok()) {
      continue;
    }
    if (const auto* next = std::get_if<StreamHeader>(&chunk)) completer.Begin(header = *next);
    auto* const frame = std::get_if<DataChunk>(&chunk);
    if (frame == nullptr) continue;
    if (!completer.Complete(frame) && form != 0) continue;
    CheckCompleted(header, *frame);
    if (form != 0) Expect(FindMetadata(*frame, kQuantisedPoseKey) == nullptr);
  }
  return 0;
}
