// The fast path from bytes to a DataChunk, for the messages that nearly all senders send. Internal
// to libs/wire. docs/adr/0014-fast-frames.md has the measurements.
//
// Frames of a stream look alike: the same keys in the same order, each a row of records (a Float3
// or QuatF with its tags) of the same length. If a record has all of its numbers, they are at fixed
// places and are lifted out by shuffles; if zeros were omitted, it is read by its tags, and the
// pattern is remembered for the next frame.
//
// It handles messages with nothing but one animation_data, with at most one key per track, packed
// weights, and every length as the header's names require. Anything else (several keys, metadata,
// unknown fields, parts that merge, faults) is left to CountData and ParseData, and only they
// refuse messages.
#ifndef POSEWIRE_LIBS_WIRE_FAST_PARSER_H_
#define POSEWIRE_LIBS_WIRE_FAST_PARSER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libs/wire/chunk.h"
#include "libs/wire/frame_reader.h"
#include "libs/wire/record_kernels.h"
#include "libs/wire/tracks.h"
#include "libs/wire/wire_format.h"

namespace posewire::wire {

// What was learned from the records of one track: senders omit the same zeros in most frames.
struct LearnedShapes {
  std::vector<uint8_t> shapes;  // RecordShape of each record
  int64_t others = 0;           // how many of them are not full
};

// Where the keys of a SkelAnimation were. One of the same size with the same heads has them in the
// same places.
struct LearnedKeys {
  static constexpr size_t kHead = 4;  // the key's tag, a length of two bytes, the tag of its code
  struct Key {
    size_t track = 0;
    size_t at = 0;
    std::array<uint8_t, kHead> head = {};
    size_t bytes = 0;  // behind the code
  };
  size_t message_bytes = 0;  // 0: nothing is known
  size_t count = 0;
  std::array<Key, kPoseTracks> keys;
};

class FastParser {
 public:
  // Reads nothing if the header's names need more elements than the limit.
  FastParser(const StreamHeader& header, const ReaderLimits& limits);

  struct Records {
    int64_t full = 0;   // every number stood in its place
    int64_t other = 0;  // zeros left out, another order
  };
  // Fills `chunk`, whatever it held, from one serialized AnimationDataStream, with the same result
  // as CountData and ParseData, except for the counts of StreamChecks, which it leaves. The chunk's
  // arrays are reused. False: the message needs those two, and the chunk is spoilt. Allocates only
  // for what the header's names require, and for the audio.
  bool Read(Bytes message, DataChunk* chunk, Records* records);

  // Empties the chunk; its arrays keep their memory unless they are large.
  void Clear(DataChunk* chunk);

 private:
  void DropAudio(DataChunk* chunk);

  RecordKernels kernels_;
  std::array<size_t, kAllTracks> elements_ = {};  // in one key
  std::array<LearnedShapes, kAllTracks> shapes_;
  LearnedKeys keys_;
  bool usable_ = true;
  std::vector<int16_t> samples_;  // memory of a chunk's samples while a chunk has none
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FAST_PARSER_H_
