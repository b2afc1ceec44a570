// Clips between what they are written in and memory.
#ifndef POSEWIRE_LIBS_CLIPIO_LOAD_CLIP_H_
#define POSEWIRE_LIBS_CLIPIO_LOAD_CLIP_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/clip/clip.h"
#include "libs/clip/stop_check.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::clipio {

struct LoadOptions {
  std::string name;  // "": the source's name without folder and extension
  timecode::FrameRate rate;
  bool loops = false;
  float translation_scale = 1;
  bool all_translations = true;
  // A clip is held in memory as a whole.
  double max_duration_s = 600;
  // As clip::StopCheck.
  std::function<bool()> stopped = clip::NeverStop;
  // Gets what ClipReader::warnings says of the clip, once it has been read.
  std::function<void(const std::string& warning)> warn = nullptr;
};

// Reads a clip for `rig`, with its names matched or mapped as a push's are, resampled at the rate
// from its earliest key to its last. What any key says of an element holds for the whole clip.
// Audio, camera and metadata are left aside. What brings a skeleton of its own is retargeted
// (libs/retarget/retarget.h).
//
// Errors are those of ClipReader and wire::SourceBinding; INVALID_ARGUMENT for a
// file without a header or without a key; RESOURCE_EXHAUSTED over max_duration_s; CANCELLED when it
// was stopped.
absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadClip(const std::string& path,
                                                           std::shared_ptr<const skel::Rig> rig,
                                                           const skel::RigCatalog& catalog,
                                                           const LoadOptions& options = {});
// The same of a source that is open and was not read from.
absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadClip(
    std::unique_ptr<recording::ClipReader> source, std::shared_ptr<const skel::Rig> rig,
    const skel::RigCatalog& catalog, const LoadOptions& options = {});

struct SaveOptions {
  std::string request_id;  // "": the clip's name
  std::string stream_id = "clip";
  std::string source_service_id = "posewire clip";
};

// Writes a clip, one message a frame and SUCCESS last. Named are the joints and shapes that the
// clip says anything of; what it does not say of a joint that is named is at rest. Joints are
// written as paths.
absl::Status WriteClip(const clip::Clip& clip, const std::string& path,
                       const SaveOptions& options = {});

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_LOAD_CLIP_H_
