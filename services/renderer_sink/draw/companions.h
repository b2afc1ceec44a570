// The further characters of a picture, drawn by the painter of the lead, and the camera that sees
// them all.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_DRAW_COMPANIONS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_DRAW_COMPANIONS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/asset/scene.h"
#include "libs/character/character.h"
#include "libs/mesh/offsets.h"
#include "libs/render/camera.h"
#include "libs/render/painter.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"
#include "libs/skel/pose.h"

namespace posewire::renderer_sink {

// By part: "hair" is "long".
using Look = std::map<std::string, std::string>;

// Returns the transform from the space of one place to that of another.
skel::Affine FromTo(const asset::GroundPlace& from, const asset::GroundPlace& to);

// One of the characters in a picture.
struct InPicture {
  skel::Affine place;  // from its space to the lead's
  float height_m = 0;
  asset::Bounds moves = {};  // of its motion, in its space; empty: not known
};
float HeightOf(const character::Character& c);
// Returns the camera that sees all of them and where they move, from `turn_deg` to the left of the
// lead's front. `aspect`: width by height.
render::Camera SeesAll(absl::Span<const InPicture> all, double turn_deg, float aspect);

// One thread, which draws.
class Companions {
 public:
  struct Member {
    int id = 0;  // the same in each picture
    std::shared_ptr<const character::Character> character;
    const Look* look = nullptr;  // unknown parts and choices are ignored
    double at_s = 0;
    skel::PoseView pose;
    skel::Affine place;                                   // from its space to the lead's
    int subdivide = 0;                                    // levels by which its surface is refined
    absl::Span<const mesh::WeighedOffsets> offsets = {};  // as of Painter::DrawOffsets
  };
  // `tell` gets the name of each character whose surface is not refined everywhere, and why.
  using Tell = std::function<void(const std::string& character, const std::string& why)>;
  explicit Companions(Tell tell = nullptr) : tell_(std::move(tell)) {}
  // Draws just these next to the painter's own character in its following pictures. `drawn` false:
  // only moves springs on. One that has left makes room for the next with the same character.
  // Errors: those of Painter::AddCompanion and PoseCompanion.
  absl::Status Show(absl::Span<const Member> members, render::Painter& painter, bool drawn = true);

 private:
  struct Slot {
    std::shared_ptr<const character::Character> character;
    int id = 0;
    bool taken = false;
    Look look = {};
    int subdivide = 0;
  };
  absl::StatusOr<size_t> SlotFor(const Member& member, absl::Span<const Member> members,
                                 render::Painter& painter);

  void Subdivide(const Member& member, Slot& slot, size_t number, render::Painter& painter);

  Tell tell_;
  std::map<const render::Painter*, std::vector<Slot>> slots_;  // by their numbers in the painter
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_DRAW_COMPANIONS_H_
