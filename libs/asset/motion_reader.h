// What moves in a file, key by key: what each foreign format's reader is.
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

// Of the joints and shapes that have keys, in their order.
struct MotionNames {
  std::vector<std::string> joints;  // paths
  std::vector<std::string> shapes;
};

// A voice that a file names: the bytes of a WAV, of which `skipped_s` are left out at its
// beginning. It is heard from code `start_s` on, what were before 0 left out; and until `end_s`.
struct NamedVoice {
  std::string name;  // for errors
  std::string bytes;
  double start_s = 0;
  double skipped_s = 0;
  std::optional<double> end_s;
  // False: bytes that cannot be a voice are a warning, and the clip has none.
  bool needed = true;
};

// A file's skeleton as it stands, and the shapes that the file names.
struct SkeletonAtRest {
  std::shared_ptr<const skel::Rig> rig;  // null: it has none
  std::vector<std::string> shapes;
};

// Errors need not name the file. One thread.
class MotionReader {
 public:
  MotionReader() = default;
  MotionReader(const MotionReader&) = delete;
  MotionReader& operator=(const MotionReader&) = delete;
  virtual ~MotionReader() = default;

  // First, and once. INVALID_ARGUMENT and RESOURCE_EXHAUSTED as each format's header says.
  virtual absl::StatusOr<MotionNames> Start() = 0;
  // The keys of the next time that has any, into `keys`, which is empty: at most one a track, in
  // the order of the names. Widths are left to who called. False at the end.
  virtual absl::StatusOr<bool> Next(wire::DataChunk* keys) = 0;

  // For errors: a path, or what the bytes are.
  virtual const std::string& name() const = 0;
  // Where the last keys stand: "line 7", "time 0.5 s".
  virtual std::string place() const = 0;
  // Bytes that were read, and that there are; the latter is 0 for a pipe.
  virtual int64_t offset() const = 0;
  virtual int64_t size() const = 0;

  // The skeleton at rest that the file itself holds, whose joints Start named, kAsItStands; after
  // Start. Null for a file that says only what moves.
  virtual std::shared_ptr<const skel::Rig> skeleton() const { return nullptr; }
  // How many metres a unit of the file's lengths was taken for, where the format leaves it open;
  // after Start.
  virtual double unit_m() const { return 1; }
  // Whether its joints are those of any program, and not a stream's; for a file without skeleton().
  virtual bool moves_nodes() const { return false; }
  // What the file says is heard with it; nothing for most.
  virtual absl::StatusOr<std::optional<NamedVoice>> Voice() { return std::optional<NamedVoice>(); }

  // What is doubtful about the file, with what was assumed and which flag changes it, a sentence
  // each, without the file's name; more may come with each Next.
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
// A key of where each joint is, and of how it is turned. `Places` have a translation and a
// rotation.
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
