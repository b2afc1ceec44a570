// The things in the scene of one stream: where they stand, and which hand holds them.
//
// A thing that is held has no place of its own: it is where the hand is, as the avatar's last pose
// has it. So each avatar, after it has found its pose and before it is sent, moves what it holds
// along (Follow), and the frame that shows the hand tells where the thing is (Tell). A thing that
// changes hands glides from where it was, seen from the new hand, to where it is held, and one that
// is let go stays where it was then.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_SCENE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_SCENE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/skel/hand_grip.h"
#include "libs/wire/chunk.h"
#include "libs/wire/props.h"

namespace posewire::anim_graph {

struct PropSite {
  std::string name;
  skel::Placement place;  // in the thing's space
  bool any_side = false;
};

// In the space that the avatars of the stream stand in.
struct Prop {
  std::string name, shape;
  skel::Vec3 size;
  skel::Placement place;
  std::vector<PropSite> sites = {};

  // Who holds it, and in which hand (0 left, 1 right); -1: nobody.
  const void* holder = nullptr;
  std::string held_by = {};
  int hand = -1;
  // In the grip's frame of that hand: where it was when it was taken, and where it comes to be.
  skel::Placement taken = {}, held = {};
  double held_s = 0, glide_s = 0;
  skel::Placement in_hand = {};  // now
};

// What of a scene an avatar has told those who pull it. One a avatar.
struct PropsTold {
  uint64_t revision = 0;
  skel::Placement from = {};
  bool any = false;   // that they know of
  bool again = true;  // somebody has come who knows nothing
};

// One thread. Follow does not allocate; Tell does when there is something to tell.
class PropScene {
 public:
  static constexpr size_t kMost = wire::kMostProps;
  static constexpr size_t kMostSites = 16;

  const std::vector<Prop>& props() const { return props_; }
  bool empty() const { return props_.empty(); }
  const Prop* Find(absl::string_view name) const;

  // Whether one of that name was there; it keeps its hand. INVALID_ARGUMENT names the field, the
  // index and the value: places within 10 km, rotations of unit length, sizes above 0 and at most
  // 100 m (0 0 0: as the shape usually is), at most 16 sites of different names.
  // RESOURCE_EXHAUSTED over 32 things.
  absl::StatusOr<bool> Set(Prop prop);
  // NOT_FOUND names the known ones, here and below. Null for a rotation that stays.
  absl::Status Move(absl::string_view name, skel::Vec3 to, const skel::Quat* rotation);
  absl::Status Remove(absl::string_view name);
  // Into the hand of `holder`, whose grip is at `grip` in the stream's space now. An empty site is
  // the first. NOT_FOUND also for a site.
  absl::Status Attach(absl::string_view name, absl::string_view site, const void* holder,
                      absl::string_view held_by, int hand, const skel::Placement& grip);
  // Whether a hand held it.
  absl::StatusOr<bool> Detach(absl::string_view name);
  // The avatar goes: what it holds stays where it is.
  void LetGo(const void* holder);

  // Whether the avatar holds something in that hand.
  bool Holds(const void* holder, int hand) const;
  // Moves along what the avatar holds in that hand, whose grip is there now.
  void Follow(const void* holder, int hand, const skel::Placement& grip, double dt_s);
  // Adds to `metadata` where everything is, if that is news: seen from an avatar that stands at
  // `from`.
  void Tell(const skel::Placement& from, PropsTold& told,
            std::vector<wire::MetadataEntry>& metadata) const;
  // The same for graphs: as the avatar `self` sees it. Spans live until the next call on any of
  // them, or change of the scene.
  struct Inputs {
    std::vector<graph::PropInput> props;
    std::vector<graph::PropSiteInput> sites;
  };
  void Fill(const void* self, const skel::Placement& from, Inputs& out) const;

 private:
  Prop* FindOwn(absl::string_view name);
  absl::Status NotFound(absl::string_view name) const;

  std::vector<Prop> props_;
  uint64_t revision_ = 0;  // rises with each change
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_SCENE_H_
