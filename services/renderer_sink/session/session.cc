#include "services/renderer_sink/session/session.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "libs/service/traced_log.h"
#include "libs/stream/trace.h"
#include "libs/wire/message.h"
#include "libs/wire/text_entry.h"

namespace posewire::renderer_sink {
namespace {

using client::PullEvent;

// Minimum rate of Consumer::Tick.
constexpr double kWait_s = 0.1;
// Frames of the last moment may still be on their way.
constexpr double kGrace_s = 0.5;
constexpr double kCodeSlack_s = 1e-3;
// Time for pushed data that is not processed yet when the sink is stopped.
constexpr double kRest_s = 2;
constexpr size_t kMostTraceBytes = 256;

class Session {
 public:
  Session(const SessionOptions& options, const SessionParts& parts, Consumer& consumer,
          StreamStats& stats)
      : options_(options), parts_(parts), consumer_(consumer), stats_(stats) {}

  absl::Status Run() {
    NextEvent next = parts_.open();
    while (!parts_.stopped() && !Enough()) {
      const bool came = next(kWait_s, &event_);
      if (absl::Status s = consumer_.Tick(parts_.now_s()); !s.ok()) return s;
      if (!came) continue;
      if (event_.kind != PullEvent::kEnd) {
        if (absl::Status s = OnEvent(); !s.ok()) return s;
        continue;
      }
      if (parts_.stopped()) break;
      consumer_.OnEnd(event_.why);
      absl::Status s = EndStatus();
      if (options_.until_end || (!s.ok() && !(options_.pushed && event_.why.ok()))) return s;
      if (!s.ok()) Warn("a push has failed", s);
      if (!options_.pushed) parts_.log.Info("the stream was removed; pulling it again");
      next = parts_.open();
    }
    return options_.pushed && !Enough() ? TakeTheRest(next) : absl::OkStatus();
  }

 private:
  // Its client was told that it was accepted. Pushes that continue are limited to a moment.
  absl::Status TakeTheRest(const NextEvent& next) {
    const double until_s = parts_.now_s() + kRest_s;
    while (parts_.now_s() < until_s) {
      if (!next(0, &event_)) break;
      if (event_.kind == PullEvent::kEnd && !event_.why.ok()) break;
      if (absl::Status s = OnEvent(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  bool Enough() const {
    if (options_.duration_s <= 0 || !first_frame_s_) return false;
    return stats_.seconds() >= options_.duration_s - kCodeSlack_s ||
           parts_.now_s() - *first_frame_s_ > options_.duration_s + kGrace_s;
  }

  absl::Status OnEvent() {
    const wire::MessageBytes& bytes = event_.message.bytes;
    switch (event_.kind) {
      case PullEvent::kHeader: {
        const auto& header = std::get<wire::StreamHeader>(event_.message.chunk);
        stream_id_ = header.ids.stream_id;
        if (!event_.why.ok()) OnFault();
        stats_.OnHeader(header);
        return consumer_.OnHeader(header, bytes);
      }
      case PullEvent::kStatus: {
        const auto& status = std::get<wire::StatusChunk>(event_.message.chunk);
        parts_.log.Info("status", {{"stream_id", stream_id_},
                                   {"code", wire::CodeName(status.code)},
                                   {"text", status.message}});
        return consumer_.OnStatus(status, bytes);
      }
      case PullEvent::kData: {
        const auto& data = std::get<wire::DataChunk>(event_.message.chunk);
        const auto place = stats_.OnData(data, event_.receive_time_s);
        if (!data.metadata.empty()) TellTrace(data);
        if (place && !first_frame_s_) first_frame_s_ = event_.receive_time_s;
        // There are gaps between pushed requests.
        if (place && place->gap_s && !options_.pushed) {
          parts_.log.Warning("gap across a reconnection", {{"stream_id", stream_id_},
                                                           {"seconds", *place->gap_s},
                                                           {"clock_disagreed", place->moved}});
        }
        if (place && place->jumps > 0 && !std::exchange(told_jump_, true)) {
          parts_.log.Warning("the time codes jump; recordings and durations leave that time out",
                             {{"stream_id", stream_id_},
                              {"time_code_s", data.earliest_time_code_s},
                              {"left_out_s", place->left_out_s}});
        }
        return consumer_.OnData(data, bytes, event_.receive_time_s);
      }
      case PullEvent::kFaulty:
        OnFault();
        return consumer_.OnFaulty(bytes, event_.why);
      case PullEvent::kLost:
        if (options_.pushed) Warn("push lost; waiting for its source", event_.why);
        consumer_.OnLost(event_.why);
        break;
      case PullEvent::kEnd:
        break;
    }
    return absl::OkStatus();
  }

  // Logs once per request, so that it can be traced from client to viewer.
  void TellTrace(const wire::DataChunk& data) {
    for (const wire::MetadataEntry& entry : data.metadata) {
      const auto trace = wire::ReadTextEntry(entry, stream::kTraceparent, kMostTraceBytes);
      if (!trace || !stream::CheckTraceparent(*trace).ok()) continue;
      service::WriteTraced(parts_.log, service::LogLevel::kInfo, "a request begins", *trace,
                           {{"stream_id", stream_id_}, {"time_code_s", data.earliest_time_code_s}});
    }
  }

  void OnFault() {
    stats_.OnFaulty();
    Warn("a message breaks the rules; going on", event_.why);
  }

  void Warn(absl::string_view what, const absl::Status& why) {
    parts_.log.Warning(what, {{"stream_id", stream_id_}, {"why", why.message()}});
  }

  absl::Status EndStatus() const {
    if (!event_.why.ok()) return event_.why;
    if (!event_.last_status) return absl::OkStatus();
    const std::string text =
        absl::StrCat(wire::CodeName(event_.last_status->code), ": ", event_.last_status->message);
    if (event_.last_status->code == wire::StatusChunk::kError) return absl::AbortedError(text);
    parts_.log.Info(options_.pushed ? "a push has ended" : "the server ended the pull",
                    {{"stream_id", stream_id_}, {"status", text}});
    return absl::OkStatus();
  }

  const SessionOptions& options_;
  const SessionParts& parts_;
  Consumer& consumer_;
  StreamStats& stats_;
  PullEvent event_;        // reused to avoid allocation
  std::string stream_id_;  // of the last header
  bool told_jump_ = false;
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
