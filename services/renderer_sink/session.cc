#include "services/renderer_sink/session.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {
namespace {

using client::PullEvent;
using StatusMessage = nvidia_ace::status::v1::Status;

// Least pace of Consumer::Tick.
constexpr double kWait_s = 0.1;
// Frames of the last moment may still be on their way.
constexpr double kGrace_s = 0.5;
constexpr double kCodeSlack_s = 1e-3;
// For what was pushed and is not yet taken when the sink is told to stop.
constexpr double kRest_s = 2;

class Session {
 public:
  Session(const SessionOptions& options, const SessionParts& parts, Consumer& consumer,
          StreamStats& stats)
      : options_(options), parts_(parts), consumer_(consumer), stats_(stats) {}

  absl::Status Run() {
    auto next = parts_.open();
    while (!parts_.stopped() && !Enough()) {
      std::optional<PullEvent> event = next(kWait_s);
      if (absl::Status s = consumer_.Tick(parts_.now_s()); !s.ok()) return s;
      if (!event) continue;
      if (event->kind != PullEvent::kEnd) {
        if (absl::Status s = OnEvent(*std::move(event)); !s.ok()) return s;
        continue;
      }
      if (parts_.stopped()) break;
      absl::Status s = EndStatus(*event);
      if (options_.until_end || (!s.ok() && !(options_.pushed && event->why.ok()))) return s;
      if (!s.ok()) parts_.log.Warning("a push has failed", {{"why", s.message()}});
      if (!options_.pushed) parts_.log.Info("the stream was removed; pulling it again");
      next = parts_.open();
    }
    return options_.pushed && !Enough() ? TakeTheRest(next) : absl::OkStatus();
  }

 private:
  // Who pushed it has been told that it was accepted. Those that push on get no more than a moment.
  template <typename Next>
  absl::Status TakeTheRest(Next& next) {
    const double until_s = parts_.now_s() + kRest_s;
    while (parts_.now_s() < until_s) {
      std::optional<PullEvent> event = next(0);
      if (!event) break;
      if (event->kind == PullEvent::kEnd && !event->why.ok()) break;
      if (absl::Status s = OnEvent(*std::move(event)); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  bool Enough() const {
    if (options_.duration_s <= 0 || !first_frame_s_) return false;
    return stats_.seconds() >= options_.duration_s - kCodeSlack_s ||
           parts_.now_s() - *first_frame_s_ > options_.duration_s + kGrace_s;
  }

  absl::Status OnEvent(PullEvent event) {
    switch (event.kind) {
      case PullEvent::kHeader:
        stats_.OnHeader(event.message.animation_data_stream_header());
        return consumer_.OnHeader(event.message);
      case PullEvent::kStatus:
        parts_.log.Info("status",
                        {{"code", StatusMessage::Code_Name(event.message.status().code())},
                         {"text", event.message.status().message()}});
        return consumer_.OnStatus(event.message);
      case PullEvent::kData: {
        const auto place = stats_.OnData(event.message.animation_data(), event.receive_time_s);
        if (place && !first_frame_s_) first_frame_s_ = event.receive_time_s;
        // Requests that are pushed one after the other have holes between them.
        if (place && place->hole_s && !options_.pushed) {
          parts_.log.Warning("hole over a reconnection",
                             {{"seconds", *place->hole_s}, {"clock_disagreed", place->moved}});
        }
        return consumer_.OnData(std::move(event.message), event.receive_time_s);
      }
      case PullEvent::kLost:
        if (options_.pushed)
          parts_.log.Warning("push lost; waiting for its source", {{"why", event.why.message()}});
        break;
      case PullEvent::kEnd:
        break;
    }
    return absl::OkStatus();
  }

  absl::Status EndStatus(const PullEvent& event) const {
    if (!event.why.ok()) return event.why;
    if (!event.last_status) return absl::OkStatus();
    const std::string text = absl::StrCat(StatusMessage::Code_Name(event.last_status->code()), ": ",
                                          event.last_status->message());
    if (event.last_status->code() == StatusMessage::ERROR) return absl::AbortedError(text);
    parts_.log.Info(options_.pushed ? "a push has ended" : "the server ended the pull",
                    {{"status", text}});
    return absl::OkStatus();
  }

  const SessionOptions& options_;
  const SessionParts& parts_;
  Consumer& consumer_;
  StreamStats& stats_;
  std::optional<double> first_frame_s_;
};

}  // namespace

absl::Status RunSession(const SessionOptions& options, const SessionParts& parts,
                        Consumer& consumer, StreamStats& stats) {
  absl::Status status = Session(options, parts, consumer, stats).Run();
  const absl::Status closed = consumer.Close();
  return status.ok() ? closed : status;
}

}  // namespace posewire::renderer_sink
