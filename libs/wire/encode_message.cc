#include <memory>
#include <utility>

#include "libs/wire/encoded_rep.h"
#include "libs/wire/frame_writer.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

// Visits the fields of a message that have the number, and the others, in order, with their bytes.
template <typename Visit>
bool ForEach(Bytes message, uint32_t number, const Visit& visit) {
  FieldReader reader(message);
  Field f;
  Bytes raw;
  while (reader.NextRaw(&f, &raw)) visit(f.Is(number, kLength), f.bytes, raw);
  return reader.ok();
}

struct Sizes {
  size_t chosen = 0, others = 0;
  Bytes payload;  // of the last field with the number
  int count = 0;
  bool ok = false;
};

Sizes Measure(Bytes message, uint32_t number) {
  Sizes sizes;
  sizes.ok = ForEach(message, number, [&](bool chosen, Bytes payload, Bytes field) {
    (chosen ? sizes.chosen : sizes.others) += field.size();
    if (!chosen) return;
    ++sizes.count;
    sizes.payload = payload;
  });
  return sizes;
}

void Copy(Bytes message, uint32_t number, bool chosen, WireWriter* w) {
  ForEach(message, number, [&](bool is_chosen, Bytes, Bytes field) {
    if (is_chosen == chosen) w->Raw(field.data(), field.size());
  });
}

}  // namespace

EncodedFrame EncodeMessage(absl::Span<const uint8_t> message, double time_code_s) {
  auto rep = std::make_shared<EncodedFrame::Rep>();
  rep->time_code_s = time_code_s;
  const Sizes whole = Measure(message, field::kData);
  rep->is_data = whole.ok && whole.count > 0;
  const Sizes data = whole.count == 1 ? Measure(whole.payload, field::kSkel) : Sizes();
  if (rep->is_data && data.ok && data.count > 0) {
    const size_t pose = data.chosen, rest = data.others;
    rep->Reserve(1 + VarintSize(rest) + LengthFieldSize(pose + rest) + whole.others);
    WireWriter w(rep->bytes.data());
    const auto at = [&] { return static_cast<size_t>(w.position() - rep->bytes.data()); };
    w.Open(field::kData, rest);
    rep->whole_at = at();
    w.Open(field::kData, pose + rest);
    Copy(whole.payload, field::kSkel, true, &w);
    rep->rest_at = at();
    Copy(whole.payload, field::kSkel, false, &w);
    Copy(message, field::kData, false, &w);
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
