// USD stages as text (.usda): a skeleton moved by a SkelAnimation, its blend shape weights, a
// camera, and the WAV of a SpatialAudio. The other headers of this folder describe each.
//
// In a stream, a joint is its path in the skeleton, in metres with Y up; the skeleton's place moves
// its root joints. A time code of the stage is seconds times timeCodesPerSecond; if the first is
// negative, times begin at 0.
#ifndef POSEWIRE_LIBS_FORMATS_USD_USDA_H_
#define POSEWIRE_LIBS_FORMATS_USD_USDA_H_

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/asset/scene.h"
#include "libs/files/byte_source.h"

namespace posewire::usd {

// Keys: at each time at which anything has one. Keeps the stage in memory. Of several animations,
// uses the first that moves a skeleton below the defaultPrim, else the first that moves any, else
// the first; or the one in options.prim; or that of options.character, in the space of its place.
// Scales are included only if they differ from the rest pose. Files that the stage refers to come
// from options.sidecar. The camera is that of FindCamera, the voice that of FindSound, which needs
// options.sidecar too.
//
// INVALID_ARGUMENT, with the line: files that libs/formats/usd rejects, a stage without an
// animation, and a prim that does not exist or moves nothing.
std::unique_ptr<asset::MotionReader> OpenUsda(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options);

// Returns what is in the stage besides one clip: see libs/formats/usd/stage_scene.h.
absl::StatusOr<asset::Scene> ReadUsdaScene(std::unique_ptr<files::ByteSource> source,
                                           const asset::ReadOptions& options);

// Writes a SkelRoot with a Skeleton and its SkelAnimation; for a clip without joints, only the
// weights. With a camera, a Camera "main_cam"; with motion.voice, a SpatialAudio "Voice" that
// refers to its file. For a built-in rig, all joints are written, with those that the clip does not
// name at rest. The SkelRoot and the Skeleton have the box around the joints at each key as their
// extent. Time codes are frames if keys are at a rate, and all convert back to the exact seconds.
// Joint names that are not valid in a path are written as jointNames.
//
// INVALID_ARGUMENT for a clip with neither joints nor shapes, and for one of an unknown rig without
// translations.
absl::Status WriteUsda(const asset::Motion& motion, asset::PutBytes put);

// Writes a scene: an Xform "Scene" with a SkelRoot for each clip, as WriteUsda writes it, at its
// place; the lead's has the camera. Each prop is an Xform with `posewire:shape`, `posewire:size`
// and a Cube of that size, for programs that draw no shapes. Errors: those of WriteUsda, after the
// character's name; INVALID_ARGUMENT without a clip.
absl::Status WriteUsdaScene(const std::vector<asset::SceneClip>& clips,
                            const std::vector<asset::SceneProp>& props, asset::PutBytes put);

// Writes the same as three stages for separate use: STEM.rig.usda has the skeleton, STEM.clip.usda
// the SkelAnimation, and the take refers to both and has camera and voice. The composed take equals
// the output of WriteUsda.
inline constexpr char kRigEnding[] = ".rig.usda";
inline constexpr char kClipEnding[] = ".clip.usda";
struct UsdaFiles {
  asset::PutBytes take, rig, clip;
};
absl::Status WriteSplitUsda(const asset::Motion& motion, absl::string_view stem,
                            const UsdaFiles& files);

// Writes the same with the animation as value clips of `clip_s` seconds or a little more, which can
// be played alone, and their manifest: STEM.clip001.usda and on, and STEM.manifest.usda. `put_file`
// opens the file of that ending and passes what writes it. INVALID_ARGUMENT for over
// kMostValueClips.
inline constexpr char kManifestEnding[] = ".manifest.usda";
inline constexpr size_t kMostValueClips = 200;
using PutFile = absl::FunctionRef<absl::Status(
    absl::string_view ending, absl::FunctionRef<absl::Status(asset::PutBytes)> write)>;
absl::Status WriteClippedUsda(const asset::Motion& motion, absl::string_view stem, double clip_s,
                              PutFile put_file, asset::PutBytes put);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_USDA_H_
