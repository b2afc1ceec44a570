// A clip on a film's character, frame by frame, as offsets from its simple rig. The film's
// character is ours with a stack of deformers, or meshes of others whose points move.
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
#include "libs/character/point_skin.h"
#include "libs/clip/clip.h"
#include "libs/offsets/offsets_file.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/console.h"

namespace posewire::animclip {

// A character moved by its joints alone. One thread at a time.
struct SimpleRig {
  character::Deformer deformer;
  character::PointSkin skin;

  explicit SimpleRig(std::shared_ptr<const character::Character> character)
      : deformer(std::move(character)), skin(deformer) {}
  // S of each point in a pose. Errors of Deformer::Pose.
  absl::Status Transforms(const skel::PoseView& pose, absl::Span<skel::Affine> out,
                          size_t* singular);
};

struct FilmBake {
  std::unique_ptr<SimpleRig> rig;
  std::shared_ptr<const clip::Clip> clip;
  offsets::OffsetsHeader header;             // all but the method
  std::vector<skel::Vec3> offsets, complex;  // one a point, frame after frame
  std::vector<offsets::Uv> uv;               // one a point
  float size_m = 0;                          // of the character at rest: its box's longest side
  size_t singular = 0;                       // points, at most in a frame, that needed the fallback
  size_t moving = 0;                         // points that are ever more than 0.1 mm off
  std::vector<std::string> notes;            // what a user should know

  double raw_bytes() const { return 12.0 * static_cast<double>(offsets.size()); }
};
// Its clip, counts and size, as a sentence without its full stop.
std::string SummaryOf(const FilmBake& bake);
// To four places.
std::string Millimetres(double metres);

// "exercise" is the built-in demonstration; else a built-in gesture's name, or a clip's file. `who`
// is as OpenCharacter takes it.
absl::StatusOr<FilmBake> BakeFilm(const std::string& clip, const std::string& who,
                                  const Console& console);

// Writes the clip of BakeFilm's `clip` and `who` as a clip file, which bakes and draws like any.
absl::Status WriteTake(const std::string& clip, const std::string& who, const std::string& path);

struct MeshBakeOptions {
  std::string complex;            // as character_file::OpenPointAnimation takes it
  std::string clip, who;          // as of BakeFilm
  timecode::FrameRate rate = {};  // if the file names none, or another is wanted
  bool own_rate = true;           // take the file's, if it names one
  float scale = 1;                // of the file's lengths, to the character's file's
};
// Meshes match those of the character by name, or else by order; points by their order in the
// files. INVALID_ARGUMENT names the meshes and counts that do not agree, numbers of frames that do
// not, and what would be right.
absl::StatusOr<FilmBake> BakeMeshes(const MeshBakeOptions& options, const Console& console);

// One or the other, as a command line asks for it.
absl::StatusOr<FilmBake> BakeAsAsked(const BakeOptions& options, const Console& console);

// How far points are from the complex character's, over all frames and points.
struct Distance {
  double worst_m = 0, mean_m = 0;
};
// Of the simple rig alone (null), and of what files give back: (v + o) S. One for each. They must
// be of this bake's points and frames.
absl::StatusOr<std::vector<Distance>> DistancesFrom(
    FilmBake& bake, const std::vector<const offsets::OffsetsFile*>& files);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_FILM_BAKE_H_
