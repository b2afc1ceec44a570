#include "libs/client/connection.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace posewire::client {

double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double UnixSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

ConnectionEvent ConnectionStory::Complete(ConnectionEvent event, double now_s, bool resumes) {
  event.address = address_;
  event.stream_id = stream_id_;
  if (event.kind == ConnectionEvent::kLost) {
    event.minor = lost_s_.has_value();
    if (!lost_s_) lost_s_ = now_s;
    return event;
  }
  event.minor = resumes;
  if (lost_s_) event.away_s = now_s - *lost_s_;
  if (!resumes) lost_s_.reset();
  return event;
}

std::string Describe(const ConnectionEvent& event) {
  switch (event.kind) {
    case ConnectionEvent::kConnected:
      return event.away_s > 0 ? absl::StrFormat("connected again after %.1f s", event.away_s)
                              : "connected";
    case ConnectionEvent::kResumed: {
      std::string text = absl::StrFormat(
          "back after %.1f s, resumed after %.3f s of the request%s; sent %d messages again",
          event.away_s, event.received_until_s,
          event.unknown_to_server ? " (the server did not know the request)" : "", event.resent);
      if (event.lost_s > 0) absl::StrAppendFormat(&text, "; %.3f s are lost", event.lost_s);
      return text;
    }
    case ConnectionEvent::kLost:
      return absl::StrFormat("%s (%s), next attempt in %.2f s",
                             absl::IsResourceExhausted(event.why) ? "the server has no room for now"
                                                                  : "lost the server",
                             event.why.ToString(), event.retry_in_s);
    case ConnectionEvent::kGaveUp:
      return absl::StrCat("gave up on the server: ", event.why.ToString());
  }
  return "";
}

}  // namespace posewire::client
