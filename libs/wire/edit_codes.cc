#include "libs/wire/edit_codes.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "libs/wire/data_parser.h"
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

void AppendDouble(uint32_t number, double value, std::string* out) {
  uint8_t field[kDoubleFieldSize];
  WireWriter(field).DoubleField(number, value);
  Append({field, kDoubleFieldSize}, out);
}

// The time code of a key or audio buffer. The last one counts, as in protobuf; a missing one is 0.
struct Code {
  double time_code_s = 0;
  const uint8_t* at = nullptr;  // its eight bytes
  size_t samples = 0;           // of an audio buffer
};

bool FindCode(Bytes key, Code* code) {
  FieldReader reader(key);
  Field f;
  Bytes record;
  while (true) {
    while (reader.TakeShort(field::kValues, &record)) code->samples = record.size() / 2;
    if (!reader.Next(&f)) return reader.ok();
    if (f.Is(field::kValues, kLength)) code->samples = f.bytes.size() / sizeof(int16_t);
    if (!f.Is(field::kTimeCode, kFixed64)) continue;
    code->time_code_s = f.AsDouble();
    code->at = reader.position() - sizeof(double);
  }
}

// The edit of a key or audio buffer; nothing: it is dropped.
struct Verdict {
  std::optional<CodeEdit::Audio> moved;
  const uint8_t* at = nullptr;
};

// Collects the edit of each key and audio buffer, in the order of the bytes.
class Plan {
 public:
  // Returns false if the bytes are not a message.
  bool Make(Bytes message, const CodeEdit& edit) {
    return ForEach(message, [&](const Field& f) {
      return !f.Is(field::kData, kLength) || Data(f.bytes, edit);
    });
  }
  // Every key stays, and has a time code that can be overwritten, or needs no change.
  bool in_place() const { return in_place_; }
  absl::Span<const Verdict> verdicts() const { return verdicts_; }

 private:
  template <typename Visit>
  static bool ForEach(Bytes bytes, const Visit& visit) {
    FieldReader reader(bytes);
    Field f;
    while (reader.Next(&f)) {
      if (!visit(f)) return false;
    }
    return reader.ok();
  }

  bool Data(Bytes data, const CodeEdit& edit) {
    return ForEach(data, [&](const Field& f) {
      if (f.type != kLength) return true;
      if (f.number == field::kAudio) {
        Code code;
        if (!FindCode(f.bytes, &code)) return false;
        Add(code, edit.audio(code.time_code_s, code.samples));
        return true;
      }
      return (f.number != field::kSkel && f.number != field::kCamera) ||
             Tracks(f.number == field::kSkel, f.bytes, edit);
    });
  }

  bool Tracks(bool pose, Bytes tracks, const CodeEdit& edit) {
    return ForEach(tracks, [&](const Field& f) {
      const size_t track = TrackOf(pose, f.number);
      if (f.type != kLength || track == kAllTracks) return true;
      Code code;
      if (!FindCode(f.bytes, &code)) return false;
      const std::optional<double> moved_s = edit.key(track, code.time_code_s);
      Add(code, moved_s ? std::make_optional(CodeEdit::Audio{*moved_s, 0}) : std::nullopt);
      return true;
    });
  }

  void Add(const Code& code, const std::optional<CodeEdit::Audio>& moved) {
    in_place_ = in_place_ && moved && moved->skip_samples == 0 &&
                moved->keep_samples >= code.samples &&
                (code.at != nullptr || moved->time_code_s == 0);
    verdicts_.push_back({moved, code.at});
  }

  bool in_place_ = true;
  absl::InlinedVector<Verdict, 16> verdicts_;
};

// Copies the fields of `bytes`. `change` writes a changed field itself, and returns whether it did.
// Returns false if the bytes are not fields.
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

double Moved(double time_code_s, double delta_s) { return std::max(0.0, time_code_s + delta_s); }

// Rebuilds the enclosing fields of dropped keys. The plan has parsed the whole message.
class Editor {
 public:
  Editor(absl::Span<const Verdict> verdicts, bool keys_alone)
      : verdicts_(verdicts), keys_alone_(keys_alone) {}

  void Message(Bytes message, std::string* out) {
    Rewrite(message, out, [&](const Field& f) {
      if (!f.Is(field::kData, kLength)) return keys_alone_;
      std::string data;
      data.reserve(f.bytes.size() + 64);
      Data(f.bytes, &data);
      AppendField(field::kData, data, out);
      return true;
    });
  }

 private:
  void Data(Bytes data, std::string* out) {
    Rewrite(data, out, [&](const Field& f) {
      if (f.type != kLength) return keys_alone_;
      if (f.number == field::kAudio) {
        Key(f, out);
        return true;
      }
      if (f.number != field::kSkel && f.number != field::kCamera) return keys_alone_;
      std::string part;
      bool dropped = false;
      Rewrite(f.bytes, &part, [&](const Field& key) {
        if (key.type != kLength || TrackOf(true, key.number) == kAllTracks) return keys_alone_;
        dropped = !Key(key, &part) || dropped;
        return true;
      });
      if (!part.empty() || !(dropped || keys_alone_)) AppendField(f.number, part, out);
      return true;
    });
  }

  // Returns false if the key is dropped.
  bool Key(const Field& key, std::string* out) {
    const std::optional<CodeEdit::Audio> moved = verdicts_.front().moved;
    verdicts_.remove_prefix(1);
    if (!moved) return false;
    const bool cuts =
        moved->skip_samples > 0 || moved->keep_samples < std::numeric_limits<size_t>::max();
    key_.clear();
    AppendDouble(field::kTimeCode, moved->time_code_s, &key_);
    Rewrite(key.bytes, &key_, [&](const Field& f) {
      if (f.Is(field::kTimeCode, kFixed64)) return true;
      if (!cuts || !f.Is(field::kValues, kLength)) return false;
      const size_t skip = std::min(f.bytes.size(), moved->skip_samples * sizeof(int16_t));
      const size_t keep = std::min(f.bytes.size() - skip,
                                   std::min(moved->keep_samples, f.bytes.size()) * sizeof(int16_t));
      AppendField(field::kValues, AsText(f.bytes.subspan(skip, keep)), &key_);
      return true;
    });
    AppendField(key.number, key_, out);
    return true;
  }

  absl::Span<const Verdict> verdicts_;
  const bool keys_alone_;
  std::string key_;  // reused for its memory
};

}  // namespace

void EditCodes(absl::string_view message, const CodeEdit& edit, std::string* out) {
  Plan plan;
  const bool read = plan.Make(AsBytes(message), edit);
  if (!read || (plan.in_place() && !edit.keys_alone)) {
    out->assign(message.data(), message.size());
    if (!read) return;
    const auto* const begin = reinterpret_cast<const uint8_t*>(message.data());
    for (const Verdict& verdict : plan.verdicts()) {
      if (verdict.at == nullptr) continue;
      std::memcpy(out->data() + (verdict.at - begin), &verdict.moved->time_code_s, sizeof(double));
    }
    return;
  }
  out->clear();
  out->reserve(message.size() + 64);
  Editor(plan.verdicts(), edit.keys_alone).Message(AsBytes(message), out);
}

MessageBytes EditCodes(absl::string_view message, const CodeEdit& edit) {
  auto out = std::make_shared<std::string>();
  EditCodes(message, edit, out.get());
  return out;
}

MessageBytes ShiftCodes(absl::string_view message, double delta_s) {
  const auto move = [delta_s](double time_code_s) { return Moved(time_code_s, delta_s); };
  return EditCodes(message,
                   {.key = [&](size_t, double time_code_s) -> std::optional<double> {
                      return move(time_code_s);
                    },
                    .audio = [&](double time_code_s, size_t) -> std::optional<CodeEdit::Audio> {
                      return CodeEdit::Audio{move(time_code_s), 0};
                    }});
}

MessageBytes SetEpoch(absl::string_view header, double epoch_s) {
  auto out = std::make_shared<std::string>();
  std::string fields;
  bool ok = true;
  const bool read = Rewrite(AsBytes(header), out.get(), [&](const Field& f) {
    if (!f.Is(field::kHeader, kLength)) return false;
    ok = Rewrite(f.bytes, &fields, [](const Field& g) { return g.Is(field::kEpoch, kFixed64); }) &&
         ok;
    AppendDouble(field::kEpoch, epoch_s, &fields);
    AppendField(field::kHeader, fields, out.get());
    return true;
  });
  if (!read || !ok) out->assign(header.data(), header.size());
  return out;
}

void AddMetadata(Message* message, MetadataEntry entry) {
  auto* const data = std::get_if<DataChunk>(&message->chunk);
  if (data == nullptr) return;
  std::string field;
  AppendField(field::kMapKey, entry.key, &field);
  AppendField(field::kMapValue, entry.any, &field);
  auto out = std::make_shared<std::string>();
  out->reserve(message->bytes->size() + field.size() + 16);
  bool added = false;
  Rewrite(AsBytes(*message->bytes), out.get(), [&](const Field& f) {
    if (!f.Is(field::kData, kLength) || std::exchange(added, true)) return false;
    std::string fields(AsText(f.bytes));
    AppendField(field::kMetadata, field, &fields);
    AppendField(field::kData, fields, out.get());
    return true;
  });
  message->bytes = std::move(out);
  data->metadata.push_back(std::move(entry));
}

void SetWholeSamples(Message* message) {
  auto* const data = std::get_if<DataChunk>(&message->chunk);
  if (data == nullptr || !data->cuts_sample) return;
  data->cuts_sample = false;
  absl::Span<const int16_t> samples;
  if (data->audio) samples = data->audio->samples;
  bool written = false;
  const auto audio = [&](const Field& sound, std::string* out) {
    std::string fields;
    Rewrite(sound.bytes, &fields, [](const Field& f) { return f.Is(field::kValues, kLength); });
    // If the field occurs several times, which merge, the first gets the samples.
    if (!samples.empty() && !std::exchange(written, true)) {
      const size_t bytes = samples.size() * sizeof(int16_t);
      AppendField(field::kValues, {reinterpret_cast<const char*>(samples.data()), bytes}, &fields);
    }
    AppendField(field::kAudio, fields, out);
  };
  auto out = std::make_shared<std::string>();
  out->reserve(message->bytes->size() + 8);
  Rewrite(AsBytes(*message->bytes), out.get(), [&](const Field& f) {
    if (!f.Is(field::kData, kLength)) return false;
    std::string fields;
    Rewrite(f.bytes, &fields, [&](const Field& part) {
      const bool is_audio = part.Is(field::kAudio, kLength);
      if (is_audio) audio(part, &fields);
      return is_audio;
    });
    AppendField(field::kData, fields, out.get());
    return true;
  });
  message->bytes = std::move(out);
}

Message ShiftCodes(Message message, double delta_s) {
  auto* data = std::get_if<DataChunk>(&message.chunk);
  if (data == nullptr) return message;
  message.bytes = ShiftCodes(*message.bytes, delta_s);
  for (size_t track = 0; track < kAllTracks; ++track) {
    for (double& time_code_s : BlockOf(*data, track).time_codes_s)
      time_code_s = Moved(time_code_s, delta_s);
  }
  if (data->audio) data->audio->time_code_s = Moved(data->audio->time_code_s, delta_s);
  data->earliest_time_code_s = Moved(data->earliest_time_code_s, delta_s);
  return message;
}

}  // namespace posewire::wire
