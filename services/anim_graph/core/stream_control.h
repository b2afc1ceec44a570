// Controls the avatars of a stream apart from pushes: variables, events, users, props and places.
// Also reports where their joints are.
//
// Variables and events go to the graphs of avatars. A variable that is set for a whole stream also
// applies to avatars that are made later. Users and the avatars of a stream share one space. At
// each tick, an avatar's graph gets the places of the others relative to the avatar.
// docs/control.md has the calls, docs/graph.md how graphs use them.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_CONTROL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_CONTROL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/anim_graph/core/streams.h"

namespace posewire::anim_graph {

// An empty target means all avatars of the stream when something is set or fired, and its default
// avatar otherwise. NOT_FOUND for unknown streams and avatars. One thread.
class StreamControl {
 public:
  // Both arguments must outlive this.
  StreamControl(const EngineParts* parts, Streams* streams) : parts_(*parts), streams_(*streams) {}

  // The value that was set, and on how many avatars.
  struct SetDone {
    int avatars = 0;
    std::string value;
    std::string note;  // for people; usually empty
  };
  // Sets a variable of the graph; for a whole stream, also for avatars made later. Creates the
  // stream if it is unknown. INVALID_ARGUMENT lists the known values, NOT_FOUND the known
  // variables.
  absl::StatusOr<SetDone> SetVariable(absl::string_view stream_id, absl::string_view target,
                                      absl::string_view name, absl::string_view value, Now now);
  // Sets the variable gesture_state. FAILED_PRECONDITION if the graph has none.
  absl::StatusOr<SetDone> SetGesture(absl::string_view stream_id, absl::string_view target,
                                     absl::string_view gesture, Now now);
  // Returns the value of each variable, in the plan's order: the avatar's value, else the stream's,
  // else the default.
  absl::StatusOr<std::vector<std::string>> Variables(absl::string_view stream_id,
                                                     absl::string_view target) const;
  // Returns on how many avatars it fired. NOT_FOUND lists the events of the graph.
  absl::StatusOr<int> FireEvent(absl::string_view stream_id, absl::string_view target,
                                absl::string_view event);

  // A user that is not updated for 2 s is removed. Creates the stream if it is unknown.
  // INVALID_ARGUMENT names the field that is out of range; RESOURCE_EXHAUSTED over 16 users.
  absl::Status SetUser(absl::string_view stream_id, const StreamUser& user, Now now);
  absl::Status RemoveUser(absl::string_view stream_id, absl::string_view name);
  // Props of the stream's scene; see PropScene, also for errors. SetProp creates the stream if it
  // is unknown, and returns whether a prop with that name existed.
  absl::StatusOr<bool> SetProp(absl::string_view stream_id, SceneProp prop, Now now);
  absl::Status MoveProp(absl::string_view stream_id, absl::string_view name, skel::Vec3 to,
                        const skel::Quat* rotation);
  absl::Status RemoveProp(absl::string_view stream_id, absl::string_view name);
  absl::StatusOr<std::vector<SceneProp>> Props(absl::string_view stream_id) const;
  // `at`: a place on the avatar's body, as for skel::FindBodySite, also for its errors. `at_once`:
  // the prop does not glide there.
  absl::Status AttachProp(absl::string_view stream_id, absl::string_view name,
                          absl::string_view site, absl::string_view target, absl::string_view at,
                          bool at_once = false);
  absl::Status DetachProp(absl::string_view stream_id, absl::string_view name);

  // Does what the avatar's graph wants with props after the events of its last tick. Does not
  // allocate in a tick without such events. An action that fails is reported
  // (EngineEvent::kPropFailed).
  void ActOnProps(const StreamAvatar& avatar);

  absl::Status PlaceAvatar(absl::string_view stream_id, absl::string_view target,
                           const AvatarPlace& place);
  // A joint or site of the avatar at its last tick, in the avatar's own space.
  struct SitePlace {
    std::string name;
    skel::Vec3 position;
    skel::Quat rotation;
  };
  absl::StatusOr<std::vector<SitePlace>> Sites(absl::string_view stream_id,
                                               absl::string_view target) const;

  // Sets what waited for the graph that the avatar has adopted now.
  static void SetWaiting(StreamAvatar& avatar);
  // Call SetSurroundings before a tick of the avatar: it passes the places of users, other avatars
  // and props, relative to the avatar. Call Note after the tick: it records the avatar's head
  // position, and its loudness from `voice`, for the others.
  void SetSurroundings(StreamAvatar& avatar, double now_s);
  static void Note(StreamAvatar& avatar, absl::Span<const int16_t> voice);

 private:
  absl::StatusOr<Stream*> Known(absl::string_view stream_id) const;
  absl::StatusOr<StreamAvatar*> KnownAvatar(absl::string_view stream_id,
                                            absl::string_view target) const;

  const EngineParts& parts_;
  Streams& streams_;
  std::vector<graph::UserInput> users_;            // of the avatar that ticks
  std::vector<graph::UserPointInput> points_;      // of those users, one user after the other
  std::vector<graph::NeighbourInput> neighbours_;  // of the avatar that ticks
  PropScene::Inputs props_;                        // of the avatar that ticks
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_CONTROL_H_
