// Encodes headers and statuses. They are rare, so a growing string is fast enough.
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "libs/wire/encoded_rep.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

// A message that is appended to.
class GrowingMessage {
 public:
  void Text(uint32_t number, absl::string_view text) {
    uint8_t head[16];
    WireWriter w(head);
    w.Open(number, text.size());
    Append(head, w);
    bytes_.append(text.data(), text.size());
  }
  // proto3 omits empty strings.
  void TextUnlessEmpty(uint32_t number, absl::string_view text) {
    if (!text.empty()) Text(number, text);
  }
  void Sub(uint32_t number, const GrowingMessage& message) { Text(number, message.bytes_); }
  void Varint(uint32_t number, uint64_t v) {
    uint8_t head[16];
    WireWriter w(head);
    w.VarintField(number, v);
    Append(head, w);
  }
  void Double(uint32_t number, double v) {
    uint8_t head[16];
    WireWriter w(head);
    w.DoubleField(number, v);
    Append(head, w);
  }
  // Appends fields that are already encoded.
  void Fields(const std::string& bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }

 private:
  void Append(const uint8_t* head, const WireWriter& w) {
    bytes_.append(reinterpret_cast<const char*>(head), static_cast<size_t>(w.position() - head));
  }
  std::string bytes_;
};

std::shared_ptr<const EncodedFrame::Rep> MakeRep(const GrowingMessage& message) {
  auto rep = std::make_shared<EncodedFrame::Rep>();
  const std::string& bytes = message.bytes();
  rep->Reserve(bytes.size());
  std::memcpy(rep->bytes.data(), bytes.data(), bytes.size());
  rep->rest_at = rep->end = bytes.size();
  return rep;
}

}  // namespace

EncodedFrame EncodeHeader(const StreamHeader& header) {
  GrowingMessage ids;
  ids.TextUnlessEmpty(field::kRequestId, header.ids.request_id);
  ids.TextUnlessEmpty(field::kStreamId, header.ids.stream_id);
  ids.TextUnlessEmpty(field::kTargetObjectId, header.ids.target_object_id);
  GrowingMessage out;
  if (!ids.bytes().empty()) out.Sub(field::kIds, ids);
  out.TextUnlessEmpty(field::kSourceServiceId, header.source_service_id);
  if (header.audio_rate_hz) {
    GrowingMessage audio;
    audio.Varint(field::kChannels, 1);
    audio.Varint(field::kRate, static_cast<uint64_t>(*header.audio_rate_hz));
    audio.Varint(field::kBits, 16);
    out.Sub(field::kAudioHeader, audio);
  }
  if (!header.shapes.empty() || !header.joints.empty()) {
    GrowingMessage names;
    for (const std::string& s : header.shapes) names.Text(field::kShapeNames, s);
    for (const std::string& j : header.joints) names.Text(field::kJointNames, j);
    out.Sub(field::kSkelHeader, names);
  }
  out.Double(field::kEpoch, header.epoch_s);
  out.Fields(header.unknown_fields);
  GrowingMessage stream;
  stream.Sub(field::kHeader, out);
  EncodedFrame frame;
  frame.rep_ = MakeRep(stream);
  return frame;
}

EncodedFrame EncodeStatus(StatusChunk::Code code, absl::string_view message) {
  GrowingMessage status;
  if (code != StatusChunk::kSuccess) status.Varint(field::kStatusCode, static_cast<uint64_t>(code));
  status.TextUnlessEmpty(field::kStatusMessage, message);
  GrowingMessage stream;
  stream.Sub(field::kStatus, status);
  EncodedFrame frame;
  frame.rep_ = MakeRep(stream);
  return frame;
}

}  // namespace posewire::wire
