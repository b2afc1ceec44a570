// The props in the scene of one stream: where they are, and which avatars hold or wear them.
//
// A held or worn prop has no place of its own: it follows a place on the body (skel::BodySite) in
// the avatar's last pose. After an avatar has computed its pose and before the frame is sent, it
// moves the props that it holds (Follow), and the frame with that pose reports their new places
// (Tell). A prop that changes hands glides from its old place, in the frame of the new place, to
// where it ends up. A released prop stays where it is.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_SCENE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_SCENE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/skel/body_site.h"
#include "libs/skel/hand_grip.h"
#include "libs/wire/chunk.h"
#include "libs/wire/props.h"

namespace posewire::anim_graph {

struct PropSite {
  std::string name;
  skel::Placement place;  // in the prop's own space
  bool any_side = false;
};

// INVALID_ARGUMENT for a name or a place that no prop may have, after the prefix `field`.
absl::Status CheckSite(absl::string_view field, const PropSite& site);

// The avatar that holds or wears a prop, and where on its body.
struct PropHolder {
  const void* avatar = nullptr;  // null: not held
  std::string target = {};       // its target object id
  std::string at = {};           // "left_hand", "head", a joint...
  int hand = -1;                 // 0 left, 1 right, -1 elsewhere
  skel::BodySite where = {};
};

// `at`: the name of the place on the body.
PropHolder HolderOf(const void* avatar, absl::string_view target, absl::string_view at,
                    const skel::BodySite& where);

// Places are in the space that the avatars of the stream share.
struct SceneProp {
  std::string name, shape;
  skel::Vec3 size;
  skel::Placement place;
  std::vector<PropSite> sites = {};
  bool usual_size = false;  // no size was set

  PropHolder holder = {};
  // In the frame of the place on the body: where the prop was when it was taken, and where it ends
  // up.
  skel::Placement taken = {}, held = {};
  double held_s = 0, glide_s = 0;
  skel::Placement in_hand = {};  // current place in that frame

  bool is_held() const { return holder.avatar != nullptr; }
};

// Which state of a scene the pulls of an avatar have received. One per avatar.
struct PropsTold {
  uint64_t revision = 0;
  skel::Placement from = {};
  bool any = false;   // the pulls know of at least one prop
  bool again = true;  // a new pull has opened that knows nothing yet
};

// Follow does not allocate; Tell allocates only if something has changed. One thread.
class PropScene {
 public:
  static constexpr size_t kMost = wire::kMostProps;
  static constexpr size_t kMostSites = 16;

  const std::vector<SceneProp>& props() const { return props_; }
  bool empty() const { return props_.empty(); }
  const SceneProp* Find(absl::string_view name) const;

  // Adds or replaces a prop. Returns whether one with that name existed; if so, it stays where
  // it is held. INVALID_ARGUMENT names the field, the index and the value: places must be within 10
  // km, rotations of unit length, sizes above 0 and at most 100 m (0 0 0: the usual size of the
  // shape), and at most 16 sites with different names. RESOURCE_EXHAUSTED over 32 props.
  absl::StatusOr<bool> Set(SceneProp prop);
  // NOT_FOUND lists the known props, here and below. A null rotation keeps the current one.
  absl::Status Move(absl::string_view name, skel::Vec3 to, const skel::Quat* rotation);
  absl::Status Remove(absl::string_view name);
  // Puts the prop where `holder` says, which is at `place` in the stream's space now. An empty site
  // selects the first one for a hand, and elsewhere the one with the name of that place, if there
  // is one, else its origin. `at_once`: it does not glide. NOT_FOUND also if the site is unknown.
  absl::Status Attach(absl::string_view name, absl::string_view site, PropHolder holder,
                      const skel::Placement& place, bool at_once = false);
  // Continues a scene: the holder has the prop already, which is at `held` in that frame.
  void Hold(absl::string_view name, PropHolder holder, const skel::Placement& held);
  // Returns whether an avatar held the prop.
  absl::StatusOr<bool> Detach(absl::string_view name);
  // The avatar is removed: its props stay where they are.
  void LetGo(const void* avatar);

  // Moves the props that the avatar holds. `place_of` returns the current place of a site of its
  // body.
  void Follow(const void* avatar,
              absl::FunctionRef<skel::Placement(const skel::BodySite&)> place_of, double dt_s);
  // Adds the places of all props to `metadata`, relative to an avatar at `from`, if they have
  // changed since `told`.
  void Tell(const skel::Placement& from, PropsTold& told,
            std::vector<wire::MetadataEntry>& metadata) const;
  // The same as input for graphs, relative to the avatar `self` at `from`. The spans stay valid
  // until the next call with the same `out` or the next change of the scene.
  struct Inputs {
    std::vector<graph::PropInput> props;
    std::vector<graph::PropSiteInput> sites;
  };
  void Fill(const void* self, const skel::Placement& from, Inputs& out) const;

 private:
  SceneProp* FindOwn(absl::string_view name);
  absl::Status NotFound(absl::string_view name) const;

  std::vector<SceneProp> props_;
  uint64_t revision_ = 0;  // incremented by each change
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PROP_SCENE_H_
