// A clip on a film's character, frame by frame, as offsets from its simple rig.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_FILM_BAKE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_FILM_BAKE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/character/film_deformer.h"
#include "libs/clip/clip.h"
#include "libs/offsets/offsets_file.h"
#include "libs/skel/math.h"
#include "tools/animclip/console.h"

namespace posewire::animclip {

struct FilmBake {
  std::unique_ptr<character::FilmDeformer> film;
  std::shared_ptr<const clip::Clip> clip;
  offsets::OffsetsHeader header;             // all but the method
  std::vector<skel::Vec3> offsets, complex;  // one a point, frame after frame
  float size_m = 0;                          // of the character at rest: its box's longest side
  size_t singular = 0;                       // points, at most in a frame, that needed the fallback
  size_t moving = 0;                         // points that are ever more than 0.1 mm off

  double raw_bytes() const { return 12.0 * static_cast<double>(offsets.size()); }
};

// "exercise" is the built-in demonstration; else a clip's file. `who` is as OpenCharacter takes it.
absl::StatusOr<FilmBake> BakeFilm(const std::string& clip, const std::string& who,
                                  const Console& console);

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
