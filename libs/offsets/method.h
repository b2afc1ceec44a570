// Compression methods for offsets, all with the same two functions.
//
// A character's offsets move slowly and together, and most points have almost none. Each method
// uses another property: a point stays in a small box, frames are similar to the previous ones, few
// motions explain all points, or a curve needs few knots. A chunk (256 frames at most) is encoded
// by itself, so that any can be read alone; the file's deflate removes remaining redundancy.
#ifndef POSEWIRE_LIBS_OFFSETS_METHOD_H_
#define POSEWIRE_LIBS_OFFSETS_METHOD_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/math.h"

namespace posewire::offsets {

inline constexpr size_t kChunkFrames = 256;
// The coarsest step of offsets in a chunk.
inline constexpr float kMostStep_m = 1000;

// These numbers are stored in files: never change them.
enum class Method : uint32_t {
  kFloat = 0,      // uncompressed
  kBox8 = 1,       // 8 bits of each point's tight box
  kBox16 = 2,      // 16 bits
  kMinifloat = 3,  // 8 bits, finer in the middle of the box: 1 sign, 5 mantissa, 2 exponent
  kDelta8 = 4,     // differences of box codes from frame to frame
  kDelta16 = 5,
  kPca = 6,       // mixture of few poses
  kClusters = 7,  // clusters of points, each a mixture of few motions
  kSpline = 8,    // curves with as few knots as a tolerance allows
  kPng16 = 9,     // 16 bits of boxes as a picture
  kJpeg = 10,     // 8 bits of boxes as grey pictures
  kWebp = 11,
  kFlac = 12,  // 16 bits of boxes as audio
  kMp3 = 13,
  kH264 = 14,  // 8 bits of boxes as video
  kH265 = 15,
  kVp9 = 16,
};

// Texture coordinates.
using Uv = std::array<float, 2>;

struct Settings {
  double variance = 0.9999;   // share that kPca and kClusters keep, above 0, at most 1
  double tolerance_m = 5e-4;  // of kSpline, and an eighth of it the step of kPca and kClusters
  int clusters = 24;          // of kClusters, at least 1
  int quality = 90;           // of kJpeg, kWebp and kMp3, 1 to 100; WebP is lossless at 100
  int crf = 12;               // of video, 0 to 51: higher is coarser
  // Used by kJpeg and later methods to place points side by side: one finite pair per point. Not
  // owned; empty: by index.
  absl::Span<const Uv> uv = {};
};

// Not owned: `points` offsets for each frame, frame after frame, in metres.
struct Offsets {
  size_t points = 0;
  absl::Span<const skel::Vec3> values;

  size_t frames() const { return points == 0 ? 0 : values.size() / points; }
  skel::Vec3 at(size_t frame, size_t point) const { return values[frame * points + point]; }
};

// The frames of an opened chunk. Immutable; any thread.
class Chunk {
 public:
  virtual ~Chunk() = default;
  // Writes one offset per point; `frame` is relative to the chunk's first. Does not allocate.
  virtual void Frame(size_t frame, absl::Span<skel::Vec3> out) const = 0;
  // Memory used.
  virtual size_t held_bytes() const = 0;
};

struct MethodEntry {
  Method method;
  absl::string_view name;   // name on command lines
  absl::string_view about;  // short description
  // Encodes 1 to kChunkFrames frames of finite values, with settings valid for WriteOffsets.
  // UNAVAILABLE for video without the ffmpeg program; RESOURCE_EXHAUSTED if it is too large.
  absl::StatusOr<std::string> (*encode)(const Offsets&, const Settings&);
  // INVALID_ARGUMENT for bytes that encode cannot have made for this many points and frames. Memory
  // is proportional to the bytes and to a frame's points. Video is decoded by ffmpeg, a child
  // process of up to 2 GiB: errors of ffmpeg::Run.
  absl::StatusOr<std::unique_ptr<Chunk>> (*open)(absl::string_view bytes, size_t points,
                                                 size_t frames);
  // Upper bound of the memory that `open` uses for this many bytes, including its result.
  size_t (*open_bytes)(size_t bytes, size_t points, size_t frames);
};

// Ordered by number; an entry's index is its method's number.
absl::Span<const MethodEntry> Methods();
// NOT_FOUND with the valid names.
absl::StatusOr<Method> FindMethod(absl::string_view name);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_METHOD_H_
