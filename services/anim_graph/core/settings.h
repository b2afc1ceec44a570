// Settings of anim_graph's core. The defaults are those of docs/protocol.md.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SETTINGS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "libs/skel/rig.h"
#include "libs/stream/call_options.h"
#include "libs/stream/pull_queue.h"
#include "libs/stream/request_end.h"
#include "libs/timecode/frame_rate.h"

namespace posewire::anim_graph {

using stream::Mode;
using stream::Policy;

// How requests from one kind of source are played. Push metadata overrides single fields.
struct SourceSettings {
  Mode mode = Mode::kStall;
  Policy policy = Policy::kQueue;
  double prebuffer_s = 0.1;
  double live_delay_s = 0;        // leaves room for interpolation between keys in live mode
  float translation_scale = 1;    // 0.01 for a source in centimetres
  bool all_translations = false;  // false: only those of root and hips
  bool align_to_epoch = false;    // play in sync with other such requests, by their pushed epochs
  // The source's skeleton with its rest pose. Null: the rig that is recognised by the pushed names.
  std::shared_ptr<const skel::Rig> skeleton = nullptr;
};

struct EngineSettings {
  timecode::FrameRate fps;
  int audio_rate_hz = 16000;
  std::string rig = "hanim_loa3";
  bool joint_paths = true;              // joint names are paths; false: last path elements
  bool upper_shapes = false;            // shape names like JawOpen; false: like jawOpen
  bool root_translations_only = false;  // --output-translations root: other joints have their rest
                                        // translation
  bool clamp_shapes = false;
  bool create_streams = true;  // a Pull or Push of an unknown stream creates it
  uint64_t seed = 1;

  SourceSettings source;                                     // for sources that are not in
                                                             // `sources`
  absl::flat_hash_map<std::string, SourceSettings> sources;  // by source_service_id

  int max_streams = 1024;
  int max_avatars = 1024;
  int max_pushes = 2048;
  int max_pulls = 4096;
  int max_watchers = 128;
  int max_calls = 512;         // control calls over HTTP and WebSocket
  int max_relayed = 1024;      // calls for streams that other processes serve
  int max_remembered = 65536;  // requests that are over
  int64_t max_buffered_bytes = int64_t{512} << 20;
  int64_t max_frame_bytes = int64_t{256} << 20;
  int max_avatar_requests = 32;  // playing, waiting or blending out
  int max_stream_pulls = 512;
  int max_queued_requests = stream::kMaxQueuedRequests;          // per source and avatar
  int max_remembered_requests = stream::kMaxRememberedRequests;  // per stream
  double buffer_s = stream::kBuffer_s;
  size_t buffer_bytes = stream::kBufferBytes;
  size_t pull_buffer_bytes = stream::PullQueue::kMostBytes;

  double start_wait_s = 2;  // how long a stall request waits for the avatar's first pull
  double hold_s = 0.1;      // how long a request without data holds its pose before it goes to idle
  double silence_timeout_s = stream::kSilence_s;
  double resume_s = 3;  // how long a request waits for its lost source
  double remember_s = stream::kRemember_s;
  double idle_avatar_s = 60;
  double max_gap_s = 1;  // after more time without a tick, missed ticks are not made up for
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_SETTINGS_H_
