// renderer_sink render: a clip as film or picture, without display, browser or server.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_RENDER_CLIP_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_RENDER_CLIP_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/flags/flags.h"
#include "libs/service/logger.h"
#include "libs/service/process.h"
#include "services/renderer_sink/draw/cast.h"

namespace posewire::renderer_sink {

struct PictureSize {
  int width = 0, height = 0;
};

// "640x480", of 16 to 4096 pixels each way; else INVALID_ARGUMENT.
absl::StatusOr<PictureSize> ParsePictureSize(absl::string_view text);

// Whether there can be a file of this name; drawing takes its time, and this does not.
absl::Status CheckPlace(const std::string& path);

struct RenderConfig {
  std::string in, out;  // faces: in is ""
  std::string camera = "bust";
  double turn_deg = 0;
  std::string size;  // "": by camera and kind of picture
  std::string fps;   // "": by command
  bool sheet = false;
  int instants = 12;
  double at_s = -1;        // of a single PNG; below 0: the middle
  std::string background;  // "#rrggbb", "none", or a picture's file; "": by command
  std::string offsets;     // where they are, or "none": the simple rig alone; "": shapes and all
  int offsets_mib = 256;   // of memory, for those that stream
  bool subdivide = false;
  std::string look;  // "hair=long,skin=dark": choices of its parts

  // Camera, background and look as given here.
  CastOptions Cast(AvatarChoice avatars, const std::string& who) const;
  void Declare(service::Flags& flags);
};

// Of `render`, and of `faces`, which draws every face shape at 1 on one sheet instead of a clip.
// The exit code. What was written is named on standard output; on a terminal a bar on standard
// error shows how far it is. A stop leaves no half film. Of `cast`, who is drawn and who may be
// named is taken.
int RunRender(const RenderConfig& config, const CastOptions& cast, const service::Process& process,
              const service::Logger& log);
int RunFaces(const RenderConfig& config, const CastOptions& cast, const service::Process& process,
             const service::Logger& log);

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_RENDER_CLIP_H_
