// The settings that view, render, faces and stream share: who is drawn, and how.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_DRAW_SETTINGS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_DRAW_SETTINGS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/flags/flags.h"
#include "services/renderer_sink/draw/character_set.h"

namespace posewire::renderer_sink {

struct PictureSize {
  int width = 0, height = 0;
};

// "640x480", of 16 to 4096 pixels each way; else INVALID_ARGUMENT.
absl::StatusOr<PictureSize> ParsePictureSize(absl::string_view text);

// Whether there can be a file of this name; drawing takes its time, and this does not.
absl::Status CheckPlace(const std::string& path);

// Each field is a flag, an environment variable and a key of the config file; see --help.
struct DrawSettings {
  std::vector<std::string> avatars;  // see AvatarChoice
  std::string camera = "bust";       // render, stream
  double turn_deg = 0;               // render, stream
  std::string size;                  // "": by camera and kind of picture; not view
  std::string fps;                   // "": by command; render, stream
  std::string background;            // "#rrggbb", "none", or a picture's file; "": by command
  std::string offsets;     // where they are, or "none": the simple rig alone; "": shapes and all
  int offsets_mib = 256;   // stream, view
  bool subdivide = false;  // not view
  std::string look;        // "hair=long,skin=dark": choices of its parts; not view

  // --avatar to --fps.
  void DeclareCamera(service::Flags& flags);
  // --background to --look. In the help, what render has of its own is between the two.
  void DeclareLook(service::Flags& flags);

  AvatarChoice Avatars() const { return *AvatarChoice::Parse(avatars); }  // was checked
  // Who is drawn where a stream of that id ("": none) has one avatar.
  CharacterSetOptions Characters(const std::string& stream_id) const;
  size_t offsets_bytes() const { return static_cast<size_t>(offsets_mib) << 20; }
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_DRAW_SETTINGS_H_
