// Sheets of codes in the formats of pictures, sound and films. Internal to libs/offsets.
//
// Each is two functions. `order` says which points stand side by side, `map` where each one's pixel
// is. Decode fills `out`, whose size is what the chunk's boxes and the file's header say; what a
// carrier says of its own size is held against that before memory is taken for it.
// INVALID_ARGUMENT tells what is wrong with the bytes; films also fail as ffmpeg::Run does.
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

// Grey pictures, a row for each point and axis, a column for each frame, at most 8192 rows each.
// (In colour, what codecs of photos save is colour.) WebP is lossless at a quality of 100.
extern const Carrier<uint8_t> kJpegCarrier, kWebpCarrier;

// Sound: the series of one point after the other, since codecs of sound foretell a sample from
// those before it, and a point's next frame is nearer to its last one than the next point is (frame
// after frame, FLAC takes four times as much). FLAC: a channel for each axis. MP3 has two channels
// at most, so it is three sounds.
extern const Carrier<uint16_t> kFlacCarrier, kMp3Carrier;

// Films of PixelMap's size, red, green and blue for the axes, a picture for each frame.
extern const Carrier<uint8_t> kH264Carrier, kH265Carrier, kVp9Carrier;

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_CARRIERS_H_
