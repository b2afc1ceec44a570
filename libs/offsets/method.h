// Ways to keep offsets in few bytes, each behind the same two functions.
//
// Offsets of a character move slowly and together, and most points have hardly any. Each method
// makes use of something else: that a point stays in a small box, that frames follow each other,
// that few motions explain all points, or that a curve needs few knots. A chunk (256 frames at
// most) is encoded by itself, so that any can be read alone; what remains alike in its bytes the
// file's deflate finds.
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
// The coarsest steps in which a chunk may hold offsets.
inline constexpr float kMostStep_m = 1000;

// One of these numbers stands in a file: never change them.
enum class Method : uint32_t {
  kFloat = 0,      // as they are
  kBox8 = 1,       // 8 bits of each point's tight box
  kBox16 = 2,      // 16 bits
  kMinifloat = 3,  // 8 bits, finer in the middle of the box: 1 sign, 5 mantissa, 2 exponent
  kDelta8 = 4,     // what box codes change from frame to frame
  kDelta16 = 5,
  kPca = 6,       // few poses that are mixed
  kClusters = 7,  // clusters of points, each with few motions that are mixed
  kSpline = 8,    // curves with as few knots as a tolerance allows
  kPng16 = 9,     // 16 bits of boxes as a picture
  kJpeg = 10,     // 8 bits of boxes as grey pictures
  kWebp = 11,
  kFlac = 12,  // 16 bits of boxes as sound
  kMp3 = 13,
  kH264 = 14,  // 8 bits of boxes as a film
  kH265 = 15,
  kVp9 = 16,
};

// Texture coordinates.
using Uv = std::array<float, 2>;

struct Settings {
  double variance = 0.9999;   // share of it that kPca and kClusters keep, above 0, at most 1
  double tolerance_m = 5e-4;  // of kSpline, and an eighth of it the step of kPca and kClusters
  int clusters = 24;          // of kClusters, at least 1
  int quality = 90;           // of kJpeg, kWebp and kMp3, 1 to 100; WebP is lossless at 100
  int crf = 12;               // of films, 0 to 51: more is coarser
  // By which kJpeg and all after it place points beside each other: one pair a point, finite.
  // Borrowed; empty: by index.
  absl::Span<const Uv> uv = {};
};

// Borrowed: `points` offsets for each frame, frame after frame, in metres.
struct Offsets {
  size_t points = 0;
  absl::Span<const skel::Vec3> values;

  size_t frames() const { return points == 0 ? 0 : values.size() / points; }
  skel::Vec3 at(size_t frame, size_t point) const { return values[frame * points + point]; }
};

// The frames of a chunk that was opened. Immutable; any thread.
class Chunk {
 public:
  virtual ~Chunk() = default;
  // Writes one offset a point; `frame` is counted from the chunk's first. No allocation.
  virtual void Frame(size_t frame, absl::Span<skel::Vec3> out) const = 0;
  // Of memory that it holds.
  virtual size_t held_bytes() const = 0;
};

struct MethodEntry {
  Method method;
  absl::string_view name;   // what it is called on command lines
  absl::string_view about;  // in a few words
  // Of 1 to kChunkFrames frames of finite values, with settings as WriteOffsets wants them.
  // UNAVAILABLE for a film without the ffmpeg program; RESOURCE_EXHAUSTED for what is too large.
  absl::StatusOr<std::string> (*encode)(const Offsets&, const Settings&);
  // INVALID_ARGUMENT for bytes that no encode made for so many points and frames. Memory stays in
  // proportion to the bytes and to a frame's points. Films are decoded by ffmpeg, a child process
  // of up to 2 GiB beside it: errors of ffmpeg::Run.
  absl::StatusOr<std::unique_ptr<Chunk>> (*open)(absl::string_view bytes, size_t points,
                                                 size_t frames);
  // No less than the memory that `open` takes for so many bytes, what it returns included.
  size_t (*open_bytes)(size_t bytes, size_t points, size_t frames);
};

// By number; an entry's place is its method's number.
absl::Span<const MethodEntry> Methods();
// NOT_FOUND with the names that there are.
absl::StatusOr<Method> FindMethod(absl::string_view name);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_METHOD_H_
