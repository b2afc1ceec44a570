// Loads clip files into memory, and writes clips to files.
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
  // Whether a clip with a skeleton of its own is retargeted. If not, `rig` is that skeleton.
  bool retarget = true;
  // Maximum duration; the whole clip is kept in memory.
  double max_duration_s = 600;
  // If not null, receives the time code of the earliest key, which is the clip's 0 s.
  double* first_s = nullptr;
  // See clip::StopCheck.
  std::function<bool()> stopped = clip::NeverStop;
  // Called with each of ClipReader::warnings once the clip has been read.
  std::function<void(const std::string& warning)> warn = nullptr;
};

// Reads a clip for `rig`. Names are matched or mapped as for a push, and the clip is resampled at
// the rate from its earliest key to its last. An element with any key has values for the whole
// clip. Of a camera, the mean place is kept. Audio and metadata are ignored. A clip with a skeleton
// of its own is retargeted (libs/retarget/retarget.h).
//
// Errors are those of ClipReader and wire::SourceBinding; INVALID_ARGUMENT for a file without a
// header or without a key; RESOURCE_EXHAUSTED over max_duration_s; CANCELLED if `stopped` returned
// true.
absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadClip(const std::string& path,
                                                           std::shared_ptr<const skel::Rig> rig,
                                                           const skel::RigCatalog& catalog,
                                                           const LoadOptions& options = {});
// The same for an open source from which nothing has been read.
absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadClip(
    std::unique_ptr<recording::ClipReader> source, std::shared_ptr<const skel::Rig> rig,
    const skel::RigCatalog& catalog, const LoadOptions& options = {});

struct SaveOptions {
  std::string request_id;  // "": the clip's name
  std::string stream_id = "clip";
  std::string source_service_id = "posewire clip";
};

// Writes a clip with one message per frame and SUCCESS last. Names the joints and shapes that the
// clip has values for. A named joint is at rest wherever the clip has no value. Joints are written
// as paths.
absl::Status WriteClip(const clip::Clip& clip, const std::string& path,
                       const SaveOptions& options = {});

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_LOAD_CLIP_H_
