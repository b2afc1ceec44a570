// Writes characters and scenes of them as USD stages.
#ifndef POSEWIRE_LIBS_FORMATS_USD_CHARACTER_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_USD_CHARACTER_WRITER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/character/scene.h"

namespace posewire::usd {

struct WrittenStage {
  std::string usda;
  // The pictures of its materials, to be put next to it: names and PNGs.
  std::vector<std::pair<std::string, std::string>> pictures;
};

// Writes each member as a SkelRoot: a Skeleton with bind and rest transforms, meshes with joint
// influences and BlendShapes with their in-betweens, UsdPreviewSurface materials, and the motion as
// a SkelAnimation. A member without joints and shapes is an Xform. Several members are below an
// Xform "World". Metres, Y up; extents of meshes are those at bind; those of SkelRoots and
// Skeletons follow the motion. `stem` begins the pictures' names. Time codes are frames at
// `rate_hz`.
//
// A shape that is driven by one shape of the rig has that shape's name. A mesh without a skin
// follows its node as the only joint. Uniform scales of nodes are merged into the lengths below
// them. Springs and variants are dropped, and correctives are only in the motion. Props, camera and
// voices are written as in WriteUsdaScene, props with their meshes.
//
// INVALID_ARGUMENT for a motion of other sizes; INTERNAL for a picture that cannot be encoded.
absl::StatusOr<WrittenStage> WriteScene(absl::Span<const character::SceneMember> members,
                                        absl::string_view stem, double rate_hz = 30);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_CHARACTER_WRITER_H_
