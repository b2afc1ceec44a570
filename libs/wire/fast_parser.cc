#include "libs/wire/fast_parser.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "libs/wire/data_parser.h"
#include "libs/wire/record_form.h"
#include "libs/wire/record_kernels.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

// Larger arrays release their memory when they are cleared.
constexpr size_t kKeptBytes = 64 << 10;
// Number of records parsed by their tags before the kernel is tried again.
constexpr size_t kRun = 16;

constexpr uint8_t LengthTag(uint32_t number) { return static_cast<uint8_t>(number << 3 | kLength); }
constexpr uint8_t kCodeTag = field::kTimeCode << 3 | kFixed64;
constexpr uint8_t kFloatTag = field::kValues << 3 | kFixed32;

template <typename T>
void ClearArray(std::vector<T>* v) {
  if (v->empty()) return;
  if (v->capacity() * sizeof(T) > kKeptBytes) std::vector<T>().swap(*v);
  v->clear();
}

// The old contents become undefined.
template <typename T>
void Resize(size_t n, std::vector<T>* v) {
  if (v->size() == n) return;
  ClearArray(v);
  v->resize(n);
}

// Walks fields with one-byte tags and lengths below 2 MiB. Does not accept others.
class Cursor {
 public:
  explicit Cursor(Bytes bytes) : p_(bytes.data()), end_(p_ + bytes.size()) {}

  bool done() const { return p_ == end_; }
  // Returns the next tag; 0, which is not a tag, at the end.
  uint8_t tag() const { return p_ == end_ ? uint8_t{0} : *p_; }

  // Skips a tag that was checked, and reads the length and the bytes after it.
  bool TakeBytes(Bytes* bytes) {
    uint32_t n = 0;
    const uint8_t* p = p_ + 1;
    for (int shift = 0; shift < 21; shift += 7) {
      if (p == end_) return false;
      const uint8_t b = *p++;
      n |= static_cast<uint32_t>(b & 0x7f) << shift;
      if (b >= 0x80) continue;
      if (n > static_cast<size_t>(end_ - p)) return false;
      *bytes = {p, n};
      p_ = p + n;
      return true;
    }
    return false;
  }
  template <typename T>
  bool TakeFixed(T* value) {
    if (end_ - p_ < static_cast<ptrdiff_t>(1 + sizeof(T))) return false;
    std::memcpy(value, p_ + 1, sizeof(T));
    p_ += 1 + sizeof(T);
    return true;
  }
  // A time code of zero may be omitted.
  bool TakeCode(double* code) {
    if (tag() == kCodeTag) return TakeFixed(code);
    *code = 0;
    return true;
  }
  Bytes rest() const { return {p_, static_cast<size_t>(end_ - p_)}; }

 private:
  const uint8_t* p_;
  const uint8_t* end_;
};

// Parses one record by its tags, which may be fewer or in another order. Returns the position after
// it; null if it contains anything else. Learns its shape.
template <size_t kFloats>
const uint8_t* ReadRecord(const uint8_t* p, const uint8_t* end, uint8_t* shape, float* out) {
  if (end - p < 2 || p[0] != LengthTag(field::kValues) || p[1] > end - p - 2) return nullptr;
  if (p[1] > 5 * kFloats) return nullptr;  // also rejects lengths of two bytes
  const uint8_t* const behind = p + 2 + p[1];
  for (size_t k = 0; k < kFloats; ++k) out[k] = 0;
  size_t stand = 0;
  bool in_order = true;
  for (p += 2; p != behind; p += 5) {
    const size_t number = p[0] >> 3;
    if (behind - p < 5 || (p[0] & 7) != kFixed32 || number - 1 >= kFloats) return nullptr;
    std::memcpy(out + number - 1, p + 1, sizeof(float));
    in_order = in_order && stand >> (number - 1) == 0;
    stand |= size_t{1} << (number - 1);
  }
  // Another order has no shape: use that of an empty record, which does not match.
  *shape = in_order ? static_cast<uint8_t>(stand) : uint8_t{0};
  return behind;
}

template <size_t kFloats>
struct RecordReaders {
  RecordKernels::ReadFull full;
  RecordKernels::ReadShaped shaped;

  // Reads `n` records that fill `bytes`, part of a message that ends at `end`.
  bool Read(Bytes bytes, const uint8_t* end, size_t n, LearnedShapes* learned, float* out,
            FastParser::Records* records) const {
    constexpr size_t kBytes = RecordForm<kFloats>::kBytes;
    const uint8_t* p = bytes.data();
    const uint8_t* const behind = p + bytes.size();
    size_t done = 0;
    if (bytes.size() == n * kBytes) {
      done = full(p, end, n, out);
      p += done * kBytes;
      if (done == n) {
        records->full += static_cast<int64_t>(n);
        return true;
      }
    }
    uint8_t* const shapes = learned->shapes.data();
    while (done < n) {
      done += shaped(&p, end, shapes + done, n - done, out + done * kFloats);
      const size_t run = std::min(n, done + kRun);
      for (; done < run; ++done) {
        if (p > behind) return false;
        const bool was_full = shapes[done] == RecordShape<kFloats>::kFull;
        p = ReadRecord<kFloats>(p, behind, shapes + done, out + done * kFloats);
        if (p == nullptr) return false;
        learned->others += was_full - (shapes[done] == RecordShape<kFloats>::kFull);
      }
    }
    records->full += static_cast<int64_t>(n) - learned->others;
    records->other += learned->others;
    return p == behind;
  }
};

bool ReadPackedWeights(Cursor cursor, size_t n, float* out) {
  Bytes packed;
  if (cursor.tag() != LengthTag(field::kValues) || !cursor.TakeBytes(&packed)) return false;
  if (packed.size() != n * sizeof(float) || !cursor.done()) return false;
  std::memcpy(out, packed.data(), packed.size());
  return true;
}

bool ReadNumber(Cursor cursor, float* out) {
  return cursor.tag() == kFloatTag && cursor.TakeFixed(out) && cursor.done();
}

bool ReadOrderedAudio(Bytes bytes, AudioBuffer* audio) {
  Cursor cursor(bytes);
  Bytes buffer;
  if (!cursor.TakeCode(&audio->time_code_s)) return false;
  if (!cursor.done() &&
      (cursor.tag() != LengthTag(field::kValues) || !cursor.TakeBytes(&buffer) || !cursor.done())) {
    return false;
  }
  // Releases the memory of a longer buffer if it is large.
  if (audio->samples.size() > kKeptBytes && audio->samples.size() > buffer.size()) {
    ClearArray(&audio->samples);
  }
  CopySamples(buffer, audio);
  return true;
}

bool IsCameraNumber(size_t track) { return !IsPoseTrack(track) && kTracks[track].floats == 1; }

// One message; `elements` is the number of elements in a key of each track.
class OneMessage {
 public:
  OneMessage(const RecordKernels& kernels, const std::array<size_t, kAllTracks>& elements,
             std::array<LearnedShapes, kAllTracks>& shapes, const uint8_t* end, DataChunk* chunk,
             FastParser::Records* records)
      : kernels_(kernels),
        elements_(elements),
        shapes_(shapes),
        end_(end),
        chunk_(*chunk),
        records_(*records) {}

  // Reads the keys of a SkelAnimation or a Camera.
  bool ReadTracks(bool pose, Bytes message, LearnedKeys* learned) {
    if (pose && message.size() == learned->message_bytes && HasKeys(message, *learned)) {
      return ReadKnownKeys(message, *learned);
    }
    LearnedKeys found;
    bool learnable = pose;
    Cursor cursor(message);
    while (!cursor.done()) {
      const uint8_t tag = cursor.tag();
      const size_t at = message.size() - cursor.rest().size();
      const size_t track = TrackOf(pose, tag >> 3);
      Bytes key;
      if ((tag & 7) != kLength || track == kAllTracks || seen_[track] || !cursor.TakeBytes(&key) ||
          !ReadKey(track, key)) {
        return false;
      }
      seen_[track] = true;
      learnable = learnable && Learn(message, at, track, key, &found);
    }
    if (learnable) {
      found.message_bytes = message.size();
      *learned = found;
    }
    return true;
  }

  void EmptyTheOthers() {
    for (size_t track = 0; track < kAllTracks; ++track) {
      if (seen_[track]) continue;
      KeyBlock& block = BlockOf(chunk_, track);
      block.width = Width(track);
      ClearArray(&block.time_codes_s);
      ClearArray(&block.values);
    }
  }

 private:
  int Width(size_t track) const {
    return static_cast<int>(elements_[track]) * kTracks[track].floats;
  }

  // Returns false if the key's head has another form.
  static bool Learn(Bytes message, size_t at, size_t track, Bytes key, LearnedKeys* learned) {
    constexpr size_t kHead = LearnedKeys::kHead;
    const auto key_at = static_cast<size_t>(key.data() - message.data());
    if (key_at != at + kHead - 1 || key.size() < kDoubleFieldSize || key[0] != kCodeTag) {
      return false;
    }
    LearnedKeys::Key& k = learned->keys[learned->count++];
    k.track = track;
    k.at = at;
    std::copy_n(message.data() + at, kHead, k.head.begin());
    k.bytes = key.size() - kDoubleFieldSize;
    return true;
  }

  static bool HasKeys(Bytes message, const LearnedKeys& learned) {
    for (size_t i = 0; i < learned.count; ++i) {
      const LearnedKeys::Key& k = learned.keys[i];
      if (std::memcmp(message.data() + k.at, k.head.data(), LearnedKeys::kHead) != 0) return false;
    }
    return true;
  }

  bool ReadKnownKeys(Bytes message, const LearnedKeys& learned) {
    for (size_t i = 0; i < learned.count; ++i) {
      const LearnedKeys::Key& k = learned.keys[i];
      const uint8_t* const p = message.data() + k.at + LearnedKeys::kHead;
      KeyBlock& block = PrepareBlock(k.track);
      std::memcpy(block.time_codes_s.data(), p, sizeof(double));
      seen_[k.track] = true;
      if (!ReadValues(k.track, {p + sizeof(double), k.bytes}, block.values.data())) return false;
    }
    return true;
  }

  KeyBlock& PrepareBlock(size_t track) {
    KeyBlock& block = BlockOf(chunk_, track);
    const auto width = static_cast<size_t>(block.width = Width(track));
    Resize(1, &block.time_codes_s);
    Resize(width, &block.values);
    return block;
  }

  bool ReadKey(size_t track, Bytes key) {
    if (elements_[track] == 0) return false;
    KeyBlock& block = PrepareBlock(track);
    float* const out = block.values.data();
    Cursor cursor(key);
    if (!cursor.TakeCode(block.time_codes_s.data())) return false;
    if (!IsPoseTrack(track) && cursor.done()) {
      std::fill(block.values.begin(), block.values.end(), 0.0f);
      return true;
    }
    return ReadValues(track, cursor.rest(), out);
  }

  bool ReadValues(size_t track, Bytes bytes, float* out) {
    const size_t n = elements_[track];
    if (track == kWeights) return ReadPackedWeights(Cursor(bytes), n, out);
    if (IsCameraNumber(track)) return ReadNumber(Cursor(bytes), out);
    LearnedShapes* const shapes = &shapes_[track];
    if (kTracks[track].rotation) {
      const RecordReaders<4> read = {kernels_.read_full_rotations, kernels_.read_shaped_rotations};
      return read.Read(bytes, end_, n, shapes, out, &records_);
    }
    const RecordReaders<3> read = {kernels_.read_full_vectors, kernels_.read_shaped_vectors};
    return read.Read(bytes, end_, n, shapes, out, &records_);
  }

  const RecordKernels& kernels_;
  const std::array<size_t, kAllTracks>& elements_;
  std::array<LearnedShapes, kAllTracks>& shapes_;
  const uint8_t* const end_;
  DataChunk& chunk_;
  FastParser::Records& records_;
  std::array<bool, kAllTracks> seen_ = {};
};

}  // namespace

FastParser::FastParser(const StreamHeader& header, const ReaderLimits& limits)
    : kernels_(ChooseKernels()) {
  size_t most = 3;  // skel_animation, camera, audio
  for (size_t track = 0; track < kAllTracks; ++track) {
    elements_[track] = ElementsPerKey(track, header);
    most += 1 + elements_[track];
    if (kTracks[track].floats == 1) continue;
    shapes_[track].shapes.resize(elements_[track]);
    shapes_[track].others = static_cast<int64_t>(elements_[track]);
  }
  usable_ = most <= limits.elements;
}

bool FastParser::Read(Bytes message, DataChunk* chunk, Records* records) {
  Cursor stream(message);
  Bytes data;
  if (!usable_ || stream.tag() != LengthTag(field::kData) || !stream.TakeBytes(&data) ||
      !stream.done()) {
    return false;
  }
  OneMessage one(kernels_, elements_, shapes_, message.data() + message.size(), chunk, records);
  bool skel = false, camera = false, audio = false;
  Cursor cursor(data);
  while (!cursor.done()) {
    const uint8_t tag = cursor.tag();
    bool* const seen = tag == LengthTag(field::kSkel)     ? &skel
                       : tag == LengthTag(field::kCamera) ? &camera
                       : tag == LengthTag(field::kAudio)  ? &audio
                                                          : nullptr;
    Bytes part;
    if (seen == nullptr || *seen || !cursor.TakeBytes(&part)) return false;
    *seen = true;
    if (seen != &audio) {
      if (!one.ReadTracks(/*pose=*/seen == &skel, part, &keys_)) return false;
      continue;
    }
    if (!chunk->audio) chunk->audio.emplace().samples.swap(samples_);
    if (!ReadOrderedAudio(part, &*chunk->audio)) return false;
  }
  one.EmptyTheOthers();
  if (!audio) DropAudio(chunk);
  chunk->metadata.clear();
  return true;
}

void FastParser::DropAudio(DataChunk* chunk) {
  if (!chunk->audio) return;
  samples_.swap(chunk->audio->samples);
  ClearArray(&samples_);
  chunk->audio.reset();
}

void FastParser::Clear(DataChunk* chunk) {
  for (size_t track = 0; track < kAllTracks; ++track) {
    ClearArray(&BlockOf(*chunk, track).time_codes_s);
    ClearArray(&BlockOf(*chunk, track).values);
  }
  DropAudio(chunk);
  chunk->metadata.clear();
}

}  // namespace posewire::wire
