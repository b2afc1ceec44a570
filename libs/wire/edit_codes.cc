#include "libs/wire/edit_codes.h"

#include <algorithm>
#include <memory>
#include <string>

#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

Bytes AsBytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void Append(Bytes raw, std::string* out) {
  out->append(reinterpret_cast<const char*>(raw.data()), raw.size());
}

void AppendField(uint32_t number, absl::string_view payload, std::string* out) {
  uint8_t head[16];
  WireWriter w(head);
  w.Open(number, payload.size());
  Append({head, static_cast<size_t>(w.position() - head)}, out);
  out->append(payload.data(), payload.size());
}

void AppendCode(double code_s, std::string* out) {
  uint8_t field[kDoubleFieldSize];
  WireWriter(field).DoubleField(field::kTimeCode, code_s);
  Append({field, kDoubleFieldSize}, out);
}

// The last one counts, as in protobuf; one that is not there is 0.
bool CodeOf(Bytes key, double* code_s) {
  *code_s = 0;
  FieldReader reader(key);
  Field f;
  while (reader.Next(&f)) {
    if (f.Is(field::kTimeCode, kFixed64)) *code_s = f.AsDouble();
  }
  return reader.ok();
}

// Writes the fields of `bytes`; `change` writes those that it changes, and returns whether it did.
// False when they are no fields.
template <typename Change>
bool Rewrite(Bytes bytes, std::string* out, const Change& change) {
  FieldReader reader(bytes);
  Field f;
  Bytes raw;
  while (reader.NextRaw(&f, &raw)) {
    if (!change(f)) Append(raw, out);
  }
  return reader.ok();
}

class Editor {
 public:
  explicit Editor(const CodeEdit& edit) : edit_(edit) {}

  bool Data(Bytes data, std::string* out) {
    bool ok = true;
    const bool read = Rewrite(data, out, [&](const Field& f) {
      if (f.type != kLength) return false;
      if (f.number == field::kAudio) {
        ok = Audio(f.bytes, out) && ok;
        return true;
      }
      if (f.number != field::kSkel && f.number != field::kCamera) return false;
      std::string part;
      bool dropped = false;
      ok = Tracks(f.number == field::kSkel, f.bytes, &part, &dropped) && ok;
      if (!part.empty() || !dropped) AppendField(f.number, part, out);
      return true;
    });
    return read && ok;
  }

 private:
  bool Tracks(bool pose, Bytes tracks, std::string* out, bool* dropped) {
    bool ok = true;
    const bool read = Rewrite(tracks, out, [&](const Field& f) {
      const size_t track = TrackOf(pose, f.number);
      if (f.type != kLength || track == kAllTracks) return false;
      double code_s = 0;
      ok = CodeOf(f.bytes, &code_s) && ok;
      if (!ok) return true;
      const std::optional<double> moved_s = edit_.key(track, code_s);
      if (!moved_s) {
        *dropped = true;
        return true;
      }
      key_.clear();
      AppendCode(*moved_s, &key_);
      ok = Rewrite(f.bytes, &key_,
                   [](const Field& g) { return g.Is(field::kTimeCode, kFixed64); }) &&
           ok;
      AppendField(f.number, key_, out);
      return true;
    });
    return read && ok;
  }

  bool Audio(Bytes audio, std::string* out) {
    double code_s = 0;
    if (!CodeOf(audio, &code_s)) return false;
    size_t samples = 0;
    FieldReader reader(audio);
    Field f;
    while (reader.Next(&f)) {
      if (f.Is(field::kValues, kLength)) samples = f.bytes.size() / sizeof(int16_t);
    }
    const std::optional<CodeEdit::Audio> moved = edit_.audio(code_s, samples);
    if (!moved) return true;
    key_.clear();
    AppendCode(moved->code_s, &key_);
    Rewrite(audio, &key_, [&](const Field& g) {
      if (g.Is(field::kTimeCode, kFixed64)) return true;
      if (!g.Is(field::kValues, kLength) || moved->skip_samples == 0) return false;
      const size_t skip = std::min(g.bytes.size(), moved->skip_samples * sizeof(int16_t));
      AppendField(field::kValues, AsText(g.bytes.subspan(skip)), &key_);
      return true;
    });
    AppendField(field::kAudio, key_, out);
    return true;
  }

  const CodeEdit& edit_;
  std::string key_;  // kept for its memory
};

}  // namespace

MessageBytes EditCodes(absl::string_view message, const CodeEdit& edit) {
  auto out = std::make_shared<std::string>();
  out->reserve(message.size() + message.size() / 8 + 64);
  Editor editor(edit);
  bool ok = true;
  const bool read = Rewrite(AsBytes(message), out.get(), [&](const Field& f) {
    if (!f.Is(field::kData, kLength)) return false;
    std::string data;
    data.reserve(f.bytes.size() + f.bytes.size() / 8 + 64);
    ok = editor.Data(f.bytes, &data) && ok;
    AppendField(field::kData, data, out.get());
    return true;
  });
  if (!read || !ok) return std::make_shared<const std::string>(message);
  return out;
}

MessageBytes ShiftCodes(absl::string_view message, double delta_s) {
  const auto move = [delta_s](double code_s) { return std::max(0.0, code_s + delta_s); };
  return EditCodes(
      message, {.key = [&](size_t, double code_s) -> std::optional<double> { return move(code_s); },
                .audio = [&](double code_s, size_t) -> std::optional<CodeEdit::Audio> {
                  return CodeEdit::Audio{move(code_s), 0};
                }});
}

}  // namespace posewire::wire
