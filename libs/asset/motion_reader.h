// Interface for readers of third-party motion formats. Returns a file's animation key by key.
#ifndef POSEWIRE_LIBS_ASSET_MOTION_READER_H_
#define POSEWIRE_LIBS_ASSET_MOTION_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::asset {

// The joints and shapes that have keys, in the order of the values in each key.
struct MotionNames {
  std::vector<std::string> joints;  // paths
  std::vector<std::string> shapes;
};

// The voice that a file refers to, as the bytes of a WAV file. Its first `skipped_s` seconds are
// not used. The rest begins at time code `start_s` and ends at `end_s`. If `start_s` is negative,
// the part before time code 0 is not used either.
struct NamedVoice {
  std::string name;  // for errors
  std::string bytes;
  double start_s = 0;
  double skipped_s = 0;
  std::optional<double> end_s;
  // If false, bytes that cannot be a voice cause a warning, and the clip has no voice.
  bool needed = true;
};

// A file's skeleton in its rest pose, and the shapes that the file names.
struct SkeletonAtRest {
  std::shared_ptr<const skel::Rig> rig;  // null if the file has none
  std::vector<std::string> shapes;
};

// Implementations may leave the file's name out of errors; the caller adds it. One thread.
class MotionReader {
 public:
  MotionReader() = default;
  MotionReader(const MotionReader&) = delete;
  MotionReader& operator=(const MotionReader&) = delete;
  virtual ~MotionReader() = default;

  // Call first, and once. Returns INVALID_ARGUMENT and RESOURCE_EXHAUSTED as each format's header
  // states.
  virtual absl::StatusOr<MotionNames> Start() = 0;
  // Reads the keys at the next time that has keys into `keys`, which must be empty. Each track gets
  // at most one key, with values in the order of MotionNames. Does not set KeyBlock::width. Returns
  // false at the end of the file.
  virtual absl::StatusOr<bool> Next(wire::DataChunk* keys) = 0;

  // For errors: a path, or a description of the bytes.
  virtual const std::string& name() const = 0;
  // Position of the last keys, such as "line 7" or "time 0.5 s".
  virtual std::string place() const = 0;
  // Bytes read so far, and the file's size, which is 0 for a pipe.
  virtual int64_t offset() const = 0;
  virtual int64_t size() const = 0;

  // The file's skeleton in its rest pose, with the joints that Start returned and stance
  // skel::Stance::kAsItStands. Null if the file has no skeleton. Call after Start.
  virtual std::shared_ptr<const skel::Rig> skeleton() const { return nullptr; }
  // Metres per unit of length that the reader assumed, if the format leaves it open. Call after
  // Start.
  virtual double unit_m() const { return 1; }
  // Returns true if the joints are nodes of another program's scene and not the joints of a stream.
  // Needed for a file without skeleton().
  virtual bool moves_nodes() const { return false; }
  // Returns the voice that the file names. Most have none.
  virtual absl::StatusOr<std::optional<NamedVoice>> Voice() { return std::optional<NamedVoice>(); }

  // Warnings about the file, one sentence each: the assumption that the reader made, and the flag
  // that overrides it. Without the file's name. Each Next may add some.
  const std::vector<std::string>& doubts() const { return doubts_; }

 protected:
  void Doubt(std::string what) { doubts_.push_back(std::move(what)); }

 private:
  std::vector<std::string> doubts_;
};

inline void Put(const skel::Vec3& v, wire::KeyBlock& to) {
  to.values.insert(to.values.end(), {v.x, v.y, v.z});
}
inline void Put(const skel::Quat& q, wire::KeyBlock& to) {
  to.values.insert(to.values.end(), {q.w, q.x, q.y, q.z});
}
// Appends a key of each joint's translation and rotation. `Places` has a translation and a rotation
// for each.
template <typename Places>
void PutPlaces(double time_code_s, const Places& places, wire::DataChunk& keys) {
  wire::KeyBlock& to = keys.pose[wire::kTranslations];
  to.time_codes_s.push_back(time_code_s);
  for (const auto& place : places) Put(place.translation, to);
}
template <typename Places>
void PutTurns(double time_code_s, const Places& places, wire::DataChunk& keys) {
  wire::KeyBlock& to = keys.pose[wire::kRotations];
  to.time_codes_s.push_back(time_code_s);
  for (const auto& place : places) Put(place.rotation, to);
}
inline void PutWeights(double time_code_s, const std::vector<float>& weights,
                       wire::DataChunk& keys) {
  wire::KeyBlock& to = keys.pose[wire::kWeights];
  to.time_codes_s.push_back(time_code_s);
  to.values.insert(to.values.end(), weights.begin(), weights.end());
}

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_MOTION_READER_H_
