// What the outside says to avatars beside what is pushed: variables, events, users and places; and
// where their joints are.
//
// Variables and events go to the graphs of avatars. A variable may be set for a stream; then it
// holds for the avatars that come later, too. Users and the avatars of a stream stand in one space;
// at each tick an avatar is told where the others are, as seen from its own place.
// docs/control.md has the calls, docs/graph.md what graphs make of them.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_CONTROL_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_CONTROL_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/anim_graph/core/streams.h"

namespace posewire::anim_graph {

// An empty target means all avatars of the stream where something is set or fired, else its
// default. NOT_FOUND for streams and avatars that are not known. One thread.
class StreamControl {
 public:
  // Both outlive it.
  StreamControl(const EngineParts* parts, Streams* streams) : parts_(*parts), streams_(*streams) {}

  // What was set, and on how many avatars.
  struct SetDone {
    int avatars = 0;
    std::string value;
    std::string note;  // for people; mostly empty
  };
  // Sets a variable of the graph, for a stream also for the avatars that come later. A stream that
  // is not known is made. INVALID_ARGUMENT lists the known values, NOT_FOUND the known variables.
  absl::StatusOr<SetDone> SetVariable(absl::string_view stream_id, absl::string_view target,
                                      absl::string_view name, absl::string_view value, Now now);
  // The same as the variable gesture_state. FAILED_PRECONDITION where the graph has none.
  absl::StatusOr<SetDone> SetGesture(absl::string_view stream_id, absl::string_view target,
                                     absl::string_view gesture, Now now);
  // The value of each variable, in the order of the plan's: of the avatar, else of the stream, else
  // its default.
  absl::StatusOr<std::vector<std::string>> Variables(absl::string_view stream_id,
                                                     absl::string_view target) const;
  // On how many avatars. NOT_FOUND lists the events of the graph.
  absl::StatusOr<int> FireEvent(absl::string_view stream_id, absl::string_view target,
                                absl::string_view event);

  // One that is not heard of for 2 s is forgotten. A stream that is not known is made.
  absl::Status SetUser(absl::string_view stream_id, const StreamUser& user, Now now);
  absl::Status RemoveUser(absl::string_view stream_id, absl::string_view name);
  // Things of the stream's scene; see PropScene, also for errors. A stream that is not known is
  // made by SetProp. Whether one of that name was there.
  absl::StatusOr<bool> SetProp(absl::string_view stream_id, Prop prop, Now now);
  absl::Status MoveProp(absl::string_view stream_id, absl::string_view name, skel::Vec3 to,
                        const skel::Quat* rotation);
  absl::Status RemoveProp(absl::string_view stream_id, absl::string_view name);
  absl::StatusOr<std::vector<Prop>> Props(absl::string_view stream_id) const;
  // FAILED_PRECONDITION where the avatar's rig has no such hand (0 left, 1 right).
  absl::Status AttachProp(absl::string_view stream_id, absl::string_view name,
                          absl::string_view site, absl::string_view target, int hand);
  absl::Status DetachProp(absl::string_view stream_id, absl::string_view name);

  absl::Status PlaceAvatar(absl::string_view stream_id, absl::string_view target,
                           const AvatarPlace& place);
  // Where joints and sites of the avatar are at its last tick, in its own space.
  struct SitePlace {
    std::string name;
    skel::Vec3 position;
    skel::Quat rotation;
  };
  absl::StatusOr<std::vector<SitePlace>> Sites(absl::string_view stream_id,
                                               absl::string_view target) const;

  // Around a tick of the avatar: before it, who is where as it sees them; after it, where the
  // others will find its head, and how loud it was with these samples.
  void SetSurroundings(StreamAvatar& avatar, double now_s);
  static void Note(StreamAvatar& avatar, absl::Span<const int16_t> voice);

 private:
  absl::StatusOr<Stream*> Known(absl::string_view stream_id) const;
  absl::StatusOr<StreamAvatar*> KnownAvatar(absl::string_view stream_id,
                                            absl::string_view target) const;

  const EngineParts& parts_;
  Streams& streams_;
  std::vector<graph::UserInput> users_;            // of the avatar that ticks
  std::vector<graph::NeighbourInput> neighbours_;  // of the avatar that ticks
  PropScene::Inputs props_;                        // of the avatar that ticks
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_STREAM_CONTROL_H_
