#include "libs/stream/call_options.h"

#include <cmath>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "libs/stream/trace.h"

namespace posewire::stream {
namespace {

absl::Status Unknown(absl::string_view key, absl::string_view value, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrFormat("metadata %s is \"%s\"; it must be %s", key,
                                                    absl::Utf8SafeCEscape(value), right));
}

}  // namespace

absl::StatusOr<PushCallOptions> ParsePushOptions(const MetadataLookup& metadata) {
  PushCallOptions options;
  if (const auto v = metadata("x-posewire-mode")) {
    if (*v != "stall" && *v != "live") return Unknown("x-posewire-mode", *v, "stall or live");
    options.mode = *v == "live" ? Mode::kLive : Mode::kStall;
  }
  if (const auto v = metadata("x-posewire-policy")) {
    if (*v != "queue" && *v != "interrupt") {
      return Unknown("x-posewire-policy", *v, "queue or interrupt");
    }
    options.policy = *v == "interrupt" ? Policy::kInterrupt : Policy::kQueue;
  }
  if (const auto v = metadata("x-posewire-prebuffer-s")) {
    double s = 0;
    if (!absl::SimpleAtod(*v, &s) || !std::isfinite(s) || s < 0 || s > 30) {
      return Unknown("x-posewire-prebuffer-s", *v, "a number of seconds from 0 to 30");
    }
    options.prebuffer_s = s;
  }
  if (const auto v = metadata("x-posewire-align")) {
    if (*v != "epoch") return Unknown("x-posewire-align", *v, "epoch");
    options.align_to_epoch = true;
  }
  if (const auto v = metadata("x-posewire-resume")) {
    if (*v != "1" && *v != "0") return Unknown("x-posewire-resume", *v, "1 or 0");
    options.resume = *v == "1";
  }
  options.traceparent = TraceparentOf(metadata);
  return options;
}

absl::StatusOr<PullCallOptions> ParsePullOptions(const MetadataLookup& metadata) {
  PullCallOptions options;
  options.rig = metadata("x-posewire-rig").value_or("");
  if (const auto v = metadata("x-posewire-contributions")) {
    if (*v != "1" && *v != "0") return Unknown("x-posewire-contributions", *v, "1 or 0");
    options.contributions = *v == "1";
  }
  if (const auto v = metadata(wire::kSparseKey)) {
    const auto form = wire::PoseFormOf(*v);
    if (!form) return Unknown(wire::kSparseKey, *v, "0, 1 or quantised");
    options.form = *form;
  }
  return options;
}

absl::Status CheckStreamIdMetadata(const MetadataLookup& metadata, absl::string_view stream_id) {
  const auto v = metadata("x-stream-id");
  if (!v || *v == stream_id) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "metadata x-stream-id is \"%s\", and the body's stream_id is \"%s\"; they must be the same",
      absl::Utf8SafeCEscape(*v), absl::Utf8SafeCEscape(stream_id)));
}

}  // namespace posewire::stream
