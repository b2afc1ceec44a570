// Settings that view, render, faces and stream share: the character, and how it is drawn.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_DRAW_SETTINGS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_DRAW_SETTINGS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/service/flags/flags.h"
#include "services/renderer_sink/draw/character_set.h"
#include "services/renderer_sink/draw/range_cache.h"

namespace posewire::renderer_sink {

struct PictureSize {
  int width = 0, height = 0;
};

// Parses "640x480", with 16 to 4096 pixels each way; otherwise INVALID_ARGUMENT.
absl::StatusOr<PictureSize> ParsePictureSize(absl::string_view text);

// Checks that a file of this name can be created, before the slow drawing begins.
absl::Status CheckPlace(const std::string& path);

// Each field is a flag, an environment variable and a config key; see --help.
struct DrawSettings {
  std::vector<std::string> avatars;  // see AvatarChoice
  bool outside_skel_root = false;    // as of character_file::ReadOptions and asset::ReadOptions
  std::string camera = "auto";       // render, stream
  double turn_deg = 0;               // render, stream
  std::string size;                  // "": by camera and kind of picture; not view
  std::string fps;                   // "": by command; render, stream
  std::string background;            // "#rrggbb", "none", or a picture's file; "": by command
  std::string props;                 // folder of their models; "": none
  std::string offsets;               // their location; "" or "none": without
  int offsets_mib = 256;             // stream, view
  std::string offsets_cache;         // folder for those of servers; "": none
  int offsets_cache_mib = 1024;
  int subdivide = 0;  // levels
  std::string look;   // "hair=long,skin=dark": choices of parts; not view

  // Declares --avatar to --fps.
  void DeclareCamera(service::Flags& flags);
  // Declares --background to --look. In the help, render's own flags come between the two.
  void DeclareLook(service::Flags& flags);

  AvatarChoice Avatars() const { return *AvatarChoice::Parse(avatars); }  // already checked
  // Characters for a stream of that id ("": none) with one avatar.
  CharacterSetOptions Characters(const std::string& stream_id) const;
  // Opens --offsets-cache; null if there is none. Call once: each has its own counts and log.
  std::shared_ptr<RangeCache> OffsetsCache(const service::Logger& log) const;
  size_t offsets_bytes() const { return static_cast<size_t>(offsets_mib) << 20; }
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_DRAW_SETTINGS_H_
