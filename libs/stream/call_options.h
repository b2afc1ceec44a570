// Options that clients set in call metadata.
#ifndef POSEWIRE_LIBS_STREAM_CALL_OPTIONS_H_
#define POSEWIRE_LIBS_STREAM_CALL_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/wire/sparse_pose.h"

namespace posewire::stream {

// Looks up a metadata key. Returns nothing if the call does not have it.
using MetadataLookup = std::function<std::optional<std::string>(absl::string_view key)>;

// Mode: what a request does when its source is late. Policy: what it does to the request of the
// same source that is playing.
enum class Mode { kStall, kLive };
enum class Policy { kQueue, kInterrupt };

struct PushCallOptions {
  std::optional<Mode> mode;           // x-posewire-mode: stall | live
  std::optional<Policy> policy;       // x-posewire-policy: queue | interrupt
  std::optional<double> prebuffer_s;  // x-posewire-prebuffer-s: 0..30
  bool align_to_epoch = false;        // x-posewire-align: epoch
  bool resume = false;                // x-posewire-resume: 1
  std::string traceparent = {};       // see TraceparentOf
};
// INVALID_ARGUMENT names the key, its value and valid values.
absl::StatusOr<PushCallOptions> ParsePushOptions(const MetadataLookup& metadata);

struct PullCallOptions {
  std::string rig = {};                             // x-posewire-rig; "": the avatar's rig
  bool contributions = false;                       // x-posewire-contributions: 1
  wire::PoseForm form = wire::PoseForm::kComplete;  // wire::kSparseKey
};
// Errors: see ParsePushOptions.
absl::StatusOr<PullCallOptions> ParsePullOptions(const MetadataLookup& metadata);

// INVALID_ARGUMENT when x-stream-id is present and differs from the body's stream id.
absl::Status CheckStreamIdMetadata(const MetadataLookup& metadata, absl::string_view stream_id);

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_CALL_OPTIONS_H_
