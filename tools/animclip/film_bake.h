// Bakes a clip on a film's character, frame by frame, to offsets from its simple rig. The film's
// character is ours with a stack of deformers, or external meshes whose points move. The simple rig
// is the character as it is drawn live: joints, shapes and correctives, and a shape set if there is
// one.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_FILM_BAKE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_FILM_BAKE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/deformer.h"
#include "libs/character/point_animation.h"
#include "libs/character/point_skin.h"
#include "libs/character/shape_offsets.h"
#include "libs/clip/clip.h"
#include "libs/clipio/load_clip.h"
#include "libs/offsets/offsets_file.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/console.h"

namespace posewire::animclip {

// A character as it is drawn live. One thread at a time.
struct SimpleRig {
  character::Deformer deformer;
  character::PointSkin skin;
  std::shared_ptr<const character::ShapeOffsets> shapes;  // null: none

  explicit SimpleRig(std::shared_ptr<const character::Character> character)
      : deformer(std::move(character)), skin(deformer) {}
  // Computes each point and its skin transform S (libs/mesh/offsets.h) in a pose. Errors: those of
  // Deformer::Pose.
  absl::Status Pose(const skel::PoseView& pose);

  std::vector<skel::Affine> transforms;  // of the last Pose
  std::vector<skel::Vec3> points;
  size_t singular = 0;  // points that needed the fallback

 private:
  std::vector<skel::Vec3> sum_;
};

// Name of the built-in clip of character::ShapeOffsets.
inline constexpr char kShapesClip[] = "shapes";

struct FilmBake {
  std::unique_ptr<SimpleRig> rig;
  std::shared_ptr<const clip::Clip> clip;
  offsets::OffsetsHeader header;             // all but the method
  std::vector<skel::Vec3> offsets, complex;  // one per point, frame after frame
  std::vector<offsets::Uv> uv;               // one per point
  float size_m = 0;                          // longest side of the character's bounding box at rest
  size_t singular = 0;             // maximum number of points in a frame that needed the fallback
  size_t moving = 0;               // points that ever differ by more than 0.1 mm
  std::vector<std::string> notes;  // for the user

  double raw_bytes() const { return 12.0 * static_cast<double>(offsets.size()); }
};
// Returns its clip, counts and size, as a sentence without a full stop.
std::string SummaryOf(const FilmBake& bake);
// Formats with four decimals.
std::string Millimetres(double metres);

// `clip` is "exercise" for the built-in demonstration, kShapesClip, a built-in gesture's name, or a
// clip's file. `who` is as in OpenCharacter. `shapes`: the .offsets file of a shape set that the
// clip is baked on top of; empty: none.
absl::StatusOr<FilmBake> BakeFilm(const std::string& clip, const std::string& who,
                                  const std::string& shapes, const Console& console);

// Loads a built-in clip, a built-in gesture, or a file.
absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadNamed(
    const std::string& clip, const std::shared_ptr<const skel::Rig>& rig,
    const skel::RigCatalog& catalog, const clipio::LoadOptions& options);
// Returns true for the names of clips that are built in.
bool IsBuiltinClip(const std::string& clip);

// Returns the rate at which moving meshes are read: `fps` if given, else the file's own, else 30.
// INVALID_ARGUMENT if `fps` is not a rate.
absl::StatusOr<timecode::FrameRate> RateOfMeshes(const character::PointAnimation& meshes,
                                                 const std::string& path, const std::string& fps);

// Writes the clip of BakeFilm's `clip` and `who` as a clip file, which can be baked and drawn like
// any other.
absl::Status WriteTake(const std::string& clip, const std::string& who, const std::string& path);

struct MeshBakeOptions {
  std::string complex;            // see character_file::OpenPointAnimation
  std::string clip, who, shapes;  // see BakeFilm
  std::string fps;                // see RateOfMeshes
  float scale = 1;                // from the file's lengths to those of the character's file
};
// Meshes are matched to those of the character by name, or else by order; points by their order in
// the files. INVALID_ARGUMENT names the meshes and counts, or numbers of frames, that do not match,
// and what would be valid.
absl::StatusOr<FilmBake> BakeMeshes(const MeshBakeOptions& options, const Console& console);

// Bakes either, as the options request.
absl::StatusOr<FilmBake> BakeAsAsked(const BakeOptions& options, const Console& console);

// Distance of points from the complex character's, over all frames and points.
struct Distance {
  double worst_m = 0, mean_m = 0;
};
// Returns the distances of the simple rig alone (null), and with the offsets of the decoded files.
// One for each. They must have this bake's points and frames.
absl::StatusOr<std::vector<Distance>> DistancesFrom(
    FilmBake& bake, const std::vector<const offsets::OffsetsFile*>& files);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_FILM_BAKE_H_
