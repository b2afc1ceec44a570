// USD stages as text (.usda): a skeleton that a SkelAnimation moves, its blend shape weights,
// a camera, and the WAV that a SpatialAudio names. The other headers of this folder say what they
// mean.
//
// In a stream, a joint is its path in the skeleton, in metres with Y up; where the skeleton stands
// moves its root joints. A time code of the stage is so many seconds times timeCodesPerSecond;
// where the first is negative, times begin at 0.
#ifndef POSEWIRE_LIBS_FORMATS_USD_USDA_H_
#define POSEWIRE_LIBS_FORMATS_USD_USDA_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::usd {

// Keys: at each time at which anything has one. Holds the stage. Of several
// animations the first that moves a skeleton below the defaultPrim counts, else the first that
// moves any, else the first; or what options.prim says. Scales come only where they are not those
// of the rest pose. Other files that the stage names come from options.beside. The camera is that
// of FindCamera, the voice that of FindSound; without options.beside there is none.
//
// INVALID_ARGUMENT, with the line: what libs/formats/usd refuses, a stage without an animation, and
// a prim that is not there or moves nothing.
std::unique_ptr<asset::MotionReader> OpenUsda(std::unique_ptr<files::ByteSource> source,
                                              const asset::ReadOptions& options);

// A SkelRoot with a Skeleton and its SkelAnimation; of a clip without joints, the weights alone.
// With a camera, a Camera "main_cam"; with motion.voice, a SpatialAudio "Voice" that names its
// file. Of a built-in rig all joints are written, those that the clip does not name at rest. Time
// codes are frames where keys are at a rate, and all divide back to the very seconds. Joints' names
// that a path cannot hold are written as jointNames.
//
// INVALID_ARGUMENT for a clip with neither joints nor shapes, and for one of an unknown rig without
// translations.
absl::Status WriteUsda(const asset::Motion& motion, asset::PutBytes put);

// The same as three stages, of which programs take what they need: STEM.rig.usda has the skeleton,
// STEM.clip.usda the SkelAnimation, and the take refers to both and has camera and voice. Composed,
// the take is what WriteUsda writes.
inline constexpr char kRigEnding[] = ".rig.usda";
inline constexpr char kClipEnding[] = ".clip.usda";
struct UsdaFiles {
  asset::PutBytes take, rig, clip;
};
absl::Status WriteSplitUsda(const asset::Motion& motion, absl::string_view stem,
                            const UsdaFiles& files);

}  // namespace posewire::usd

#endif  // POSEWIRE_LIBS_FORMATS_USD_USDA_H_
