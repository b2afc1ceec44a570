// One message of an animation data stream, checked, in plain arrays.
//
// Every Chunk that FrameReader returns has these properties: time codes are finite, at least 0 and
// strictly increasing within a track, across messages too; values are finite; rotations are of unit
// length; arrays have the length that the header's names require. Values are in the header's order.
#ifndef POSEWIRE_LIBS_WIRE_CHUNK_H_
#define POSEWIRE_LIBS_WIRE_CHUNK_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/types/span.h"

namespace posewire::wire {

struct StreamIds {
  std::string request_id;
  std::string stream_id;
  std::string target_object_id;
};

struct StreamHeader {
  StreamIds ids;
  std::string source_service_id;     // "" when absent
  std::optional<int> audio_rate_hz;  // PCM, mono, 16 bit
  std::vector<std::string> shapes;
  std::vector<std::string> joints;
  double epoch_s = 0;  // Unix time of time code 0
  // Fields with numbers unknown to the stream's definition, as bytes, in order.
  std::string unknown_fields;
};

// Keys of one track: `values` has `width` floats for each time code.
struct KeyBlock {
  int width = 0;
  std::vector<double> time_codes_s;
  std::vector<float> values;

  bool empty() const { return time_codes_s.empty(); }
  absl::Span<const float> key(size_t i) const {
    return absl::MakeConstSpan(values).subspan(i * static_cast<size_t>(width),
                                               static_cast<size_t>(width));
  }
};

struct AudioBuffer {
  double time_code_s = 0;
  std::vector<int16_t> samples;
  // The byte after the last whole sample. FrameReader sets it while parsing, to complete it with
  // the next buffer. Always absent in chunks that it returns.
  std::optional<uint8_t> half = {};
};

// A metadata value is an opaque, serialized google.protobuf.Any.
struct MetadataEntry {
  std::string key;
  std::string any;
};

// The four pose tracks, one per type of value. All arrays of tracks use this order.
enum PoseTrack { kWeights = 0, kTranslations = 1, kRotations = 2, kScales = 3, kPoseTracks = 4 };
enum CameraTrack {
  kCameraPosition = 0,
  kCameraRotation = 1,
  kFocalLength = 2,
  kFocusDistance = 3,
  kCameraTracks = 4
};

struct DataChunk {
  // Widths: shapes; 3 per joint (x y z); 4 per joint (w x y z); 3 per joint.
  KeyBlock pose[kPoseTracks];
  // Widths 3, 4, 1, 1.
  KeyBlock camera[kCameraTracks];
  std::optional<AudioBuffer> audio;
  // The message's audio_buffer begins or ends within a sample, so its bytes differ from `audio`,
  // which has whole samples. SetWholeSamples (libs/wire/edit_codes.h) rewrites the bytes.
  bool cuts_sample = false;
  std::vector<MetadataEntry> metadata;
  // Smallest time code in the message; infinite if it has none.
  double earliest_time_code_s = std::numeric_limits<double>::infinity();
  // Number of all-zero rotations, read as identity, and of rotations that had to be normalised.
  int zero_rotations = 0;
  int normalized_rotations = 0;
};

struct StatusChunk {
  enum Code { kSuccess = 0, kInfo = 1, kWarning = 2, kError = 3 };
  Code code = kSuccess;
  std::string message;
};

using Chunk = std::variant<StreamHeader, DataChunk, StatusChunk>;

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_CHUNK_H_
