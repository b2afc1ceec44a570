// A scene: several characters, the props among them and a camera, all in one file and one world.
//
// Readers of formats that hold scenes (USD, glTF) list what is in one. A character is then read as
// a clip of its own (ReadOptions::character), in the space of its place: as if it stood at the
// origin and faced +Z. The first character is the lead. Its clip also has the camera, the voice
// that belongs to no character, and the props, as metadata (libs/wire/props.h), all relative to
// the lead's place.
#ifndef POSEWIRE_LIBS_ASSET_SCENE_H_
#define POSEWIRE_LIBS_ASSET_SCENE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"
#include "libs/wire/props.h"

namespace posewire::asset {

// A skeleton with fewer bones of a human is no character of a scene.
inline constexpr int kLeastCharacterBones = 8;
// A file with more is rejected. Each is read, and sent, on its own.
inline constexpr size_t kMostCharacters = 16;
// A prop that moves has at least this many places a second, so that they can be joined by lines.
inline constexpr double kPropRate_hz = 30;
// A larger prop is left out.
inline constexpr float kMostPropSize_m = 100;
// Places of all props together.
inline constexpr size_t kMostPropPlaces = 1u << 20;

// A place on the ground: metres, and degrees counter-clockwise seen from above, as of PlaceAvatar.
struct GroundPlace {
  float x_m = 0, z_m = 0;
  float turn_deg = 0;

  friend bool operator==(const GroundPlace&, const GroundPlace&) = default;
};

// Returns where a transform puts the origin, and how far it turns about +Y.
GroundPlace OnGround(const skel::Affine& transform);
// Returns the transform from the world into the space of a place.
skel::Affine Into(const GroundPlace& place);

// A rigid position and rotation.
struct RigidPlace {
  skel::Vec3 at;
  skel::Quat turn;
};
RigidPlace Seen(const GroundPlace& from, const RigidPlace& place);

// A box around points.
struct Bounds {
  skel::Vec3 low, high;
  bool any = false;

  void Add(skel::Vec3 point);
};
struct SceneCharacter {
  std::string name;  // unique in the scene; 1 to 128 bytes
  GroundPlace place;
  // Of its whole motion, in the space of its place; empty: not known.
  Bounds bounds = {};
};

struct SceneProp {
  std::string name;   // likewise, and without a slash
  std::string shape;  // as in wire::Prop
  skel::Vec3 size{0.1f, 0.1f, 0.1f};
  // Ascending times in the clips of the characters, and the place in the world at each. At least
  // one; the place of the last one remains.
  std::vector<double> times_s;
  std::vector<RigidPlace> places;

  const RigidPlace& At(double time_s) const;
};

struct Scene {
  std::vector<SceneCharacter> characters;  // the lead first; at most kMostCharacters
  std::vector<SceneProp> props;            // at most wire::kMostProps
  bool has_camera = false;
  // Time of the last key of any character or prop. Characters hold their last poses until then, so
  // that all clips are as long, also in a loop.
  double last_s = 0;
  // Assumptions and omissions, one sentence each.
  std::vector<std::string> warnings;
};

// A character of a scene that is written.
struct SceneClip {
  SceneCharacter character;
  Motion motion;  // in the space of its place; the lead's has the camera
};

// Returns RESOURCE_EXHAUSTED, with the count, for over kMostCharacters characters.
absl::Status CheckCharacterCount(size_t count);
// Returns true if this is a human's skeleton; false for null.
bool IsCharacter(const skel::Rig* skeleton);

// Guesses from the name of a node what to draw: "cup", "table", "box", or "" if it says nothing.
// A prop that moves then has its name as its shape: sinks that have a model of that name draw it.
std::string ShapeOfName(absl::string_view name);

// Returns the origin of the shape (wire::Prop) in a box, and sets the size: that of the box, or the
// usual one of the shape if the box is empty. The model that a file names has the prop's own
// origin.
skel::Vec3 FitShape(absl::string_view shape, bool named_by_file, const Bounds& bounds,
                    skel::Vec3* size);

// Returns when a prop is to be placed, from two or more keys: at each, and where it moves between
// two, at least kPropRate_hz times a second. Times are the file's, with `keys_per_s` to a second.
// Adds to `places`, those of all props; RESOURCE_EXHAUSTED, with the prop's name, over
// kMostPropPlaces.
absl::StatusOr<std::vector<double>> PlaceTimes(absl::Span<const double> keys, double keys_per_s,
                                               absl::FunctionRef<RigidPlace(double)> place_at,
                                               absl::string_view name, size_t& places);
// Returns the first names for a message, with "..." for the others.
std::string FirstFew(const std::vector<std::string>& names);

// Returns text without what ids may not have: control characters and bytes that are not UTF-8 are
// "_", and what is over 120 bytes is cut off.
std::string ValidText(absl::string_view text);

// Makes names unique, and valid for characters and props: "Anna", "Anna_2".
class SceneNames {
 public:
  std::string Take(absl::string_view wanted);

 private:
  absl::flat_hash_set<std::string> taken_;
};

// Returns the times at which the props must be announced: when one moves, and once a second until
// `last_s`, for those who join late. Empty without props.
std::vector<double> PropTimes(const std::vector<SceneProp>& props, double first_s, double last_s);
// Returns all props at a time, as seen from a place.
wire::MetadataEntry PropsAt(const std::vector<SceneProp>& props, const GroundPlace& from,
                            double time_s);

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_SCENE_H_
