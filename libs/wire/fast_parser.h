// The fast path from bytes to a DataChunk, for the form of messages that nearly all senders send.
// Internal to libs/wire. docs/adr/0014-fast-frames.md has the measurements.
//
// Frames of a stream look alike: the same keys in the same order, each a row of records (a Float3
// or QuatF with its tags) of the same length. If a record has all of its numbers, they are at fixed
// offsets and are extracted by shuffles. If zeros were omitted, it is parsed by its tags, and the
// pattern is remembered for the next frame.
//
// It handles messages that contain only animation_data, with at most one key per track, packed
// weights, and all lengths as the header's names require. Anything else (several keys, metadata,
// unknown fields, parts that merge, errors) is left to CountData and ParseData, and only they
// reject messages.
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

// Patterns learned from the records of one track: senders omit the same zeros in most frames.
struct LearnedShapes {
  std::vector<uint8_t> shapes;  // RecordShape of each record
  int64_t others = 0;           // number of records that are not full
};

// Offsets of the keys in the last SkelAnimation. Another one with the same size and the same key
// heads has its keys at the same offsets.
struct LearnedKeys {
  static constexpr size_t kHead = 4;  // the key's tag, a length of two bytes, the tag of its time
                                      // code
  struct Key {
    size_t track = 0;
    size_t at = 0;
    std::array<uint8_t, kHead> head = {};
    size_t bytes = 0;  // bytes after the time code
  };
  size_t message_bytes = 0;  // 0: nothing learned yet
  size_t count = 0;
  std::array<Key, kPoseTracks> keys;
};

class FastParser {
 public:
  // Read always returns false if the header's names need more elements than the limit.
  FastParser(const StreamHeader& header, const ReaderLimits& limits);

  struct Records {
    int64_t full = 0;   // every number was in its place
    int64_t other = 0;  // zeros omitted, or another order
  };
  // Fills `chunk`, replacing its contents, from one serialized AnimationDataStream. The result is
  // the same as from CountData and ParseData, except for the counts of StreamChecks, which are not
  // changed. Reuses the chunk's arrays. Returns false if the message needs CountData and ParseData;
  // the chunk's contents are then undefined. Allocates only for sizes that the header's names
  // require, and for the audio.
  bool Read(Bytes message, DataChunk* chunk, Records* records);

  // Empties the chunk. Its arrays keep their memory unless they are large.
  void Clear(DataChunk* chunk);

 private:
  void DropAudio(DataChunk* chunk);

  RecordKernels kernels_;
  std::array<size_t, kAllTracks> elements_ = {};  // in one key of each track
  std::array<LearnedShapes, kAllTracks> shapes_;
  LearnedKeys keys_;
  bool usable_ = true;
  std::vector<int16_t> samples_;  // holds the memory for samples while the chunk has no audio
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_FAST_PARSER_H_
