// Encodes sheets of codes in picture, audio and video formats. Internal to libs/offsets.
//
// Each carrier is two functions. `map` has the position of each point's pixel. Decode fills `out`,
// whose size follows from the chunk's boxes and the file's header; the carrier's own size is
// compared with that before memory is allocated. INVALID_ARGUMENT describes invalid bytes; video
// also has the errors of ffmpeg::Run.
#ifndef POSEWIRE_LIBS_OFFSETS_CARRIERS_H_
#define POSEWIRE_LIBS_OFFSETS_CARRIERS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/offsets/code_sheets.h"
#include "libs/offsets/method.h"
#include "libs/offsets/pixel_map.h"

namespace posewire::offsets {

template <typename Code>
struct Carrier {
  absl::StatusOr<std::string> (*encode)(const CodeSheets<Code>&, const PixelMap&, const Settings&);
  absl::Status (*decode)(absl::string_view bytes, const PixelMap& map, CodeSheets<Code>& out);
};

// Grey pictures with a row for each point and axis and a column for each frame, at most 8192 rows
// each. (Photo codecs would save on colour.) WebP is lossless at a quality of 100.
extern const Carrier<uint8_t> kJpegCarrier, kWebpCarrier;

// Audio: the series of one point after the other, because audio codecs predict a sample from those
// before it, and a point's next frame is closer to its last one than the next point is (frame by
// frame, FLAC takes four times as much). FLAC: a channel for each axis. MP3 has two channels at
// most, so it is three streams.
extern const Carrier<uint16_t> kFlacCarrier, kMp3Carrier;

// Video of PixelMap's size, red, green and blue for the axes, a picture for each frame.
extern const Carrier<uint8_t> kH264Carrier, kH265Carrier, kVp9Carrier;

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CARRIERS_H_
