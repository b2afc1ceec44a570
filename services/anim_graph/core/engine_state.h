// What an Engine keeps of streams, avatars, requests and calls. Private to the engine's own files.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_STATE_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_STATE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

struct Engine::AvatarEntry {
  Stream* stream = nullptr;
  std::string target;
  Avatar avatar;
  double epoch_s;  // Unix time of code 0
  double idle_since_s = 0;
  std::vector<PullCall*> pulls;  // bound to it, in order of opening
  std::vector<uint64_t> paused;  // pushes that are not read for now
  Place place;
  skel::Vec3 head;  // at its last tick, in its own space; only with company
};

// Outlives its playback by far, in great number: it holds what is asked of it then, and no more.
struct Engine::Request {
  std::string id;
  Stream* stream = nullptr;
  AvatarEntry* avatar = nullptr;  // null once the avatar was removed
  uint64_t playback_id = 0;
  uint64_t push = 0;       // the open call; 0 when there is none
  uint64_t last_push = 0;  // the call that closed last
  bool lost = false;       // broken off, and not resumed yet
  double lost_s = 0;
  bool over = false;
  double over_s = 0;
  Ending ending = Ending::kNone;
  double start_code_s = -1;  // in the avatar's codes; below 0 until it plays
  std::string counts;        // what was mended and ignored, for people
  double epoch_s = 0;        // of its avatar
};

struct Engine::Stream {
  std::string id;
  bool registered = false;
  std::vector<std::unique_ptr<AvatarEntry>> avatars;  // the first is the default
  std::map<std::string, std::unique_ptr<Request>, std::less<>> requests;
  // Replaced under their id by a new request, but still playing.
  std::vector<std::unique_ptr<Request>> detached;
  std::deque<std::string> order;                              // of requests, oldest first
  std::vector<PullCall*> waiting;                             // for a request that has not come yet
  std::map<std::string, std::string, std::less<>> variables;  // that were set for all its avatars
  struct UserEntry {
    std::string name;
    graph::UserInput input;  // in the stream's space
    double heard_s = 0;
  };
  std::vector<UserEntry> users;  // in order of appearance; at most kMostUsers
  double touched_s = -1e9;       // when it was last asked for by name
  // Nobody uses it: it only remembers its requests, and takes no place among the streams at once.
  bool resting = false;
  double rests_since_s = 0;
};

struct Engine::PushCall {
  uint64_t id = 0;
  PushPeer* peer = nullptr;
  Request* request = nullptr;
  double heard_s = 0;
  bool paused = false;
  int64_t messages = 0;
};

struct Engine::PullCall {
  uint64_t id = 0;
  FrameSink* sink = nullptr;
  Avatar::Layout* layout = nullptr;
  bool open = false;         // frames flow
  bool finished = false;     // to be swept
  bool window = false;       // keyed by a request
  uint64_t playback_id = 0;  // of the window; 0 until the request has come
  AvatarEntry* avatar = nullptr;
  Stream* stream = nullptr;
  double opened_s = 0;
  wire::StreamIds ids;
  PullOptions options;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_ENGINE_STATE_H_
