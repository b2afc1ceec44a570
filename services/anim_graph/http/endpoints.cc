#include "services/anim_graph/http/endpoints.h"

#include "absl/strings/string_view.h"

namespace posewire::anim_graph {
namespace {

constexpr char kProbes[] = "Probes";
constexpr char kStreams[] = "Streams";
constexpr char kVariables[] = "Graph and variables";
constexpr char kUsers[] = "Users and places";
constexpr char kClips[] = "Clips and arrangements";
constexpr char kAutoscaler[] = "Autoscaler";

std::vector<Endpoint> MakeEndpoints() {
  const std::vector<const char*> target = {"target_object_id"};
  using E = Endpoint;
  return {
      {"GET", "/readiness", "", kProbes, "200 when new streams are accepted, else 503."},
      {"GET", "/liveness", "", kProbes, "200 when every worker has responded within 5 s."},
      {"GET", "/healthz", "", kProbes, "The same as /liveness."},
      {"GET", "/health", "", kProbes, "The same as /liveness."},

      {"GET", "/streams", "ListStreams", kStreams,
       "Lists the streams with their avatars and requests."},
      {"POST", "/streams/{stream_id}", "RegisterStream", kStreams,
       "Registers a stream, which then stays until it is removed.", E::kIgnored, "", target},
      {"DELETE", "/streams/{stream_id}", "RemoveStream", kStreams,
       "Ends all calls of a stream and forgets it."},
      {"POST", "/move_streams", "MoveStreams", kStreams,
       "Hands streams over to the servers that are called for them next.", E::kJson},
      {"DELETE", "/streams/{stream_id}/requests/{request_id}", "StopRequest", kStreams,
       "Stops one request, playing or queued."},

      {"GET", "/animation_graphs", "ListGraphs", kVariables,
       "The graph that runs, with its variables, events, arrangements and timelines."},
      {"GET", "/animation_graphs/{graph}/variables", "ListVariables", kVariables,
       "Lists the variables with their defaults."},
      {"GET", "/streams/{stream_id}/animation_graphs/{graph}/variables", "ListVariables",
       kVariables, "Lists the variables with their values in a stream.", E::kIgnored, "", target},
      {"PUT", "/streams/{stream_id}/animation_graphs/{graph}/variables/{name}/{value}",
       "SetVariable", kVariables,
       "Sets a variable of a stream: for all its avatars, also those that come later.", E::kIgnored,
       "", target},
      {"GET", "/gestures", "ListGestures", kVariables, "Lists the gestures with their lengths."},
      {"PUT", "/streams/{stream_id}/gesture/{gesture}", "SetGesture", kVariables,
       "Plays a gesture; none ends the one that plays.", E::kIgnored, "", target},
      {"POST", "/streams/{stream_id}/events/{event}", "FireEvent", kVariables,
       "Fires an event of the graph.", E::kIgnored, "", target},
      {"PUT", "/streams/{stream_id}/arrangement/{arrangement}", "PlayArrangement", kVariables,
       "Plays an arrangement; none ends the one that plays.", E::kIgnored, "", target},

      {"PUT", "/streams/{stream_id}/users/{user}", "SetUser", kUsers,
       "Sets where a person is; unless set again within hold_s (2 s), the person is forgotten.",
       E::kJson, "user"},
      {"DELETE", "/streams/{stream_id}/users/{user}", "RemoveUser", kUsers, "Forgets a person."},
      {"PUT", "/streams/{stream_id}/place", "PlaceAvatar", kUsers,
       "Sets where an avatar stands: x_m, z_m, turn_deg.", E::kJson, "", target},
      {"GET",
       "/streams/{stream_id}/sites",
       "GetSites",
       kUsers,
       "Where the joints and sites of an avatar are now.",
       E::kIgnored,
       "",
       {"target_object_id", "names"}},

      {"GET", "/streams/{stream_id}/props", "ListProps", kUsers,
       "Lists the things of a stream's scene, with who holds them."},
      {"PUT", "/streams/{stream_id}/props/{prop}", "SetProp", kUsers,
       "Puts a thing into the scene: position, rotation, sites, shape, size.", E::kJson, "prop"},
      {"DELETE", "/streams/{stream_id}/props/{prop}", "RemoveProp", kUsers, "Removes a thing."},
      {"PUT", "/streams/{stream_id}/props/{prop}/place", "MoveProp", kUsers,
       "Moves an existing thing: position, rotation.", E::kJson, ""},
      {"PUT", "/streams/{stream_id}/props/{prop}/hand", "AttachProp", kUsers,
       "Puts a thing into a hand, or on another place of the body: site, hand (RIGHT_HAND, "
       "LEFT_HAND) or at (head, back, hips, a joint or site), at_once.",
       E::kJson, "", target},
      {"DELETE", "/streams/{stream_id}/props/{prop}/hand", "DetachProp", kUsers,
       "Lets a thing go, where it is."},

      {"GET", "/clips", "ListClips", kClips, "Lists the clips."},
      {"PUT",
       "/clips/{name}",
       "PutClip",
       kClips,
       "Adds or replaces a clip; the body is a recording (.animdata or .jsonl).",
       E::kBytes,
       "data",
       {"kind", "loop"}},
      {"DELETE", "/clips/{name}", "RemoveClip", kClips, "Removes a clip that was put."},
      {"GET", "/arrangements", "ListArrangements", kClips, "Lists the arrangements."},
      {"PUT", "/arrangements/{arrangement}", "PutArrangement", kClips,
       "Adds or replaces an arrangement.", E::kJson, "arrangement"},
      {"DELETE", "/arrangements/{arrangement}", "RemoveArrangement", kClips,
       "Removes an arrangement."},

      {"POST", "/sdr/add_stream", "RegisterStream", kAutoscaler,
       "Registers the stream that event.camera_id names.", E::kSdrEvent},
      {"POST", "/sdr/remove_stream", "RemoveStream", kAutoscaler,
       "Removes the stream that event.camera_id names.", E::kSdrEvent},
  };
}

}  // namespace

absl::Span<const Endpoint> Endpoints() {
  static const auto* const endpoints = new std::vector<Endpoint>(MakeEndpoints());
  return *endpoints;
}

bool IsProbe(const Endpoint& endpoint) { return *endpoint.call == '\0'; }

std::vector<std::string> NamesIn(const std::string& pattern) {
  std::vector<std::string> names;
  for (size_t at = pattern.find('{'); at != std::string::npos; at = pattern.find('{', at + 1)) {
    names.push_back(pattern.substr(at + 1, pattern.find('}', at) - at - 1));
  }
  return names;
}

std::string FieldOf(const Endpoint& endpoint, const std::string& name) {
  if (name == "graph") return "";
  // Here the body is the object that the name identifies.
  if (endpoint.body == Endpoint::kJson && name == endpoint.body_field) return name + ".name";
  const absl::string_view call = endpoint.call;
  if (call == "RemoveUser" && name == "user") return "name";
  if (call == "RemoveArrangement" && name == "arrangement") return "name";
  return name;
}

}  // namespace posewire::anim_graph
