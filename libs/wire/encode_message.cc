#include <memory>
#include <utility>
#include <vector>

#include "libs/wire/encoded_rep.h"
#include "libs/wire/frame_writer.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

// The fields of one message that have a number, and all others, as they lie.
struct Parts {
  std::vector<uint8_t> chosen, others;
  Bytes payload;  // of the chosen one that came last
  int count = 0;
  bool ok = false;
};

Parts Split(Bytes message, uint32_t number) {
  Parts parts;
  FieldReader reader(message);
  Field f;
  const uint8_t* from = reader.position();
  while (reader.Next(&f)) {
    const uint8_t* const to = reader.position();
    const bool chosen = f.Is(number, kLength);
    auto& out = chosen ? parts.chosen : parts.others;
    out.insert(out.end(), from, to);
    if (chosen) {
      ++parts.count;
      parts.payload = f.bytes;
    }
    from = to;
  }
  // A group at the end.
  parts.others.insert(parts.others.end(), from, message.data() + message.size());
  parts.ok = reader.ok();
  return parts;
}

}  // namespace

EncodedFrame EncodeMessage(absl::Span<const uint8_t> message, double code_s) {
  auto rep = std::make_shared<EncodedFrame::Rep>();
  rep->code_s = code_s;
  const Parts whole = Split(message, field::kData);
  rep->is_data = whole.ok && whole.count > 0;
  const Parts data = whole.count == 1 ? Split(whole.payload, field::kSkel) : Parts();
  if (rep->is_data && data.ok && data.count > 0) {
    const size_t pose = data.chosen.size(), rest = data.others.size();
    rep->Reserve(1 + VarintSize(rest) + LengthFieldSize(pose + rest) + whole.others.size());
    WireWriter w(rep->bytes.data());
    const auto at = [&] { return static_cast<size_t>(w.position() - rep->bytes.data()); };
    w.Open(field::kData, rest);
    rep->whole_at = at();
    w.Open(field::kData, pose + rest);
    w.Raw(data.chosen.data(), pose);
    rep->rest_at = at();
    w.Raw(data.others.data(), rest);
    w.Raw(whole.others.data(), whole.others.size());
    rep->end = at();
    rep->has_pose = true;
  } else {
    rep->bytes.assign(message.begin(), message.end());
    rep->end = message.size();
  }
  EncodedFrame frame;
  frame.rep_ = std::move(rep);
  return frame;
}

}  // namespace posewire::wire
