// The moving points and joints that a skin is fitted to, and the character that gets it.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_FIT_SCENE_H_
#define POSEWIRE_TOOLS_ANIMCLIP_FIT_SCENE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/character/character.h"
#include "libs/mesh/fit_skin.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/timecode/frame_rate.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"

namespace posewire::animclip {

// Everything is in the space of the character's nodes: its root is applied last.
struct FitScene {
  character::Character person;
  std::vector<size_t> first;  // of each mesh, its first point in a frame
  size_t points = 0;          // of all meshes
  timecode::FrameRate rate;
  std::vector<std::vector<skel::Affine>> nodes;  // frame by frame, the transform of each node
  std::vector<skel::Vec3> complex;               // the points of all meshes, frame after frame
  std::vector<std::string> shape_names;          // of the clip
  std::vector<float> shapes;                     // their weights, frame after frame
  bool weighted = true;                          // the file has weights
  int rest_frame = -1;             // the frame in which the skin is bound; -1: its file says how
  std::vector<std::string> notes;  // for the user

  size_t frames() const { return nodes.size(); }
  // Metres per unit of the space.
  float unit_m() const;
  absl::Span<const skel::Vec3> Complex(size_t frame) const {
    return absl::MakeConstSpan(complex).subspan(frame * points, points);
  }
};

// A character that has weights, and the complex points that `bake` has of it. Keeps the meshes that
// are shown, and the materials and pictures of these.
absl::StatusOr<FitScene> SceneOfCharacter(FilmBake& bake);

// Meshes without weights, bound in one of their frames to the skeleton that the clip moves. One
// note lists what was assumed, and the flags that change it. INVALID_ARGUMENT for a clip without a
// skeleton, other numbers of frames, or lengths that no unit explains.
absl::StatusOr<FitScene> SceneOfMeshes(const FitOptions& options, const Console& console);

// The points of all meshes on one set of joints, in the form that FitSkin expects.
struct SkinPoints {
  std::vector<size_t> skins, meshes;
  std::vector<int> nodes;     // of the joints below
  std::vector<int> place_of;  // by joint of the skins: index into `joints`
  std::vector<mesh::JointAtRest> joints;
  std::vector<skel::Affine> bind;  // of each joint
  std::vector<size_t> frames;      // of the scene
  std::vector<skel::Vec3> rest, complex;
  std::vector<skel::Affine> transforms;
  int per_point = 1;
  std::vector<int> indices;  // the file's
  std::vector<float> weights;

  mesh::FitSkinInput Input(bool with_transforms) const {
    return {rest, complex, joints,
            with_transforms ? absl::MakeConstSpan(transforms) : absl::Span<const skel::Affine>()};
  }
};

// Returns the points of each set of skins that have the same joints and bind transforms, in these
// frames.
std::vector<SkinPoints> GatherSkins(const FitScene& scene, const std::vector<size_t>& frames);

// Writes weights into the meshes of `points`.
void SetWeights(const SkinPoints& points, const mesh::FittedSkin& fit, FitScene& scene);

// Gives the scene joints that are moved at rest (mesh::FitJoints), and their transforms in all of
// its frames. Gather the points again after that.
void ApplyTransforms(const SkinPoints& points, absl::Span<const skel::Vec3> shifts,
                     absl::Span<const skel::Affine> transforms, FitScene& scene);

// What moves the mouth of the written character.
struct FitFace {
  int own = 0;             // shapes of the file
  int learned = 0;         // shapes found by the clip's weights
  bool jaw = false;        // jawOpen was made from a jaw joint
  bool head = false;       // a joint is a head's
  bool stiff_jaw = false;  // a jaw joint does not turn in the clip, so nothing is known of it
};
// Gives a character without shapes those for which the clip has weights: what the skin leaves of
// the head's motion, explained by these. Without a shape that opens the mouth, makes one of the jaw
// joint, if there is one.
absl::StatusOr<FitFace> AddFace(FitScene& scene);
// Returns a sentence about it.
std::string DescribeFace(const FitFace& face);

// A written character.
struct FitFile {
  std::string glb;
  mesh::SkinError error;  // of its points in its own animation, read back
  std::string rig;        // that moves it
  std::vector<std::string> notes;
};
// Writes the character with the scene's motion as its animation, and reads it back.
absl::StatusOr<FitFile> WriteFit(const FitScene& scene);

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_FIT_SCENE_H_
