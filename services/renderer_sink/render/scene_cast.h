// The further characters of a scene, drawn with the lead, each at its place.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RENDER_SCENE_CAST_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RENDER_SCENE_CAST_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/scene.h"
#include "libs/character/character.h"
#include "libs/render/camera.h"
#include "libs/render/painter.h"
#include "libs/service/logger.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"
#include "services/renderer_sink/draw/companions.h"
#include "services/renderer_sink/draw/draw_settings.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/render/clip_offsets.h"
#include "services/renderer_sink/render/clip_source.h"

namespace posewire::renderer_sink {

// A clip of --with.
struct PlacedClip {
  std::string file;
  asset::GroundPlace place;
};
// Parses FILE, or FILE@X,Z or FILE@X,Z,DEGREES: metres to the left and the front, as the lead sees
// it. INVALID_ARGUMENT without a file, and for another number of numbers after the last @.
absl::StatusOr<PlacedClip> ParsePlacedClip(absl::string_view text);

// One thread. The painter of the lead is given with each call.
class SceneCast {
 public:
  // `with`: more clips to be drawn, each FILE, or FILE@X,Z,DEGREES with its place as the lead sees
  // it. Null if the file has fewer than two characters and there is no other clip. Errors: those of
  // clipio::OpenScene and character_file::OpenCharacter.
  static absl::StatusOr<std::unique_ptr<SceneCast>> Open(const std::string& path,
                                                         const std::vector<std::string>& with,
                                                         const DrawSettings& draw,
                                                         const skel::RigCatalog& catalog,
                                                         service::Logger log);
  // Reads the clips of all but the lead. Call once. Errors: those of ReadClipSource.
  absl::Status Read(const skel::RigCatalog& catalog, const timecode::FrameRate& rate);
  // Draws them with those of the offsets that were made of them, and of their clips; one that has
  // none is logged. Call after Read. Errors: those of ClipOffsets::Open.
  absl::Status OpenOffsets(const std::vector<OffsetsAt>& found);

  // Who shows the lead, by --avatar.
  const std::string& lead() const { return lead_; }
  const asset::Scene& scene() const { return scene_; }
  // Whether the lead is a character of the file, and not all that it has.
  bool of_scene() const { return scene_.characters.size() > 1; }

  // Lights the scene from where its viewer's left is, however the lead is turned.
  void Light(render::Painter& painter) const;

  // Mixes the voices of the others into the lead's, and plays characters of the scene by its time
  // codes, and clips that say when they were recorded as far apart as they were.
  void SetLead(ClipSource& lead);

  // Poses all of them for the following pictures; `drawn` false: only moves springs on. Errors:
  // those of the painter and of ClipOffsets::Of.
  absl::Status PoseAt(double t_s, render::Painter& painter, bool drawn);

  // Returns the camera that sees all characters and where they move, in the space of the lead, from
  // the front of the scene, or `turn_deg` to its left. `lead` is the character of the first;
  // `aspect`: width by height.
  render::Camera SeesAll(const character::Character& lead, double turn_deg, float aspect) const;

 private:
  struct Other {
    std::shared_ptr<const character::Character> character;
    std::string file;
    std::optional<size_t> number;  // of the scene; nothing for a clip of --with
    skel::Affine place;            // from its space to the lead's
    ClipSource source;
    double later_s = 0;  // it begins after the lead
    skel::Pose pose;
    std::unique_ptr<ClipOffsets> offsets;  // null: none
    wire::Contributions itself;            // of a clip that is no take
    asset::Bounds bounds;                  // of its motion, in its space; empty: not known
  };
  SceneCast(const DrawSettings& draw, service::Logger log);

  const service::Logger log_;
  const int subdivide_;
  const bool outside_skel_root_;
  timecode::FrameRate rate_;
  asset::Scene scene_;
  std::string lead_;
  Look look_;
  std::vector<Other> others_;
  Companions companions_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RENDER_SCENE_CAST_H_
