#include "services/a2f_source/core/runner.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/client/message_times.h"

namespace posewire::a2f_source {

using nvidia_ace::animation_data::v1::AnimationData;
using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;
using StatusMessage = nvidia_ace::status::v1::Status;

namespace {

constexpr char kDefaultSourceId[] = "a2f_source";

void SetIds(const RunIds& ids, AnimationDataStreamHeader& header) {
  auto& to = *header.mutable_animation_ids();
  to.set_stream_id(ids.stream_id);
  to.set_request_id(ids.request_id);
  // Ids that a recording was made under say nothing of where it plays now.
  to.set_target_object_id(ids.target_id);
  if (!ids.source_id.empty()) header.set_source_service_id(ids.source_id);
  if (header.source_service_id().empty()) header.set_source_service_id(kDefaultSourceId);
}

// Sends what the source gives until it ends or fails, or the far end wants no more.
class Carrier {
 public:
  Carrier(Source& source, MessageSink& sink, Pacer& pacer, Clock& clock)
      : source_(source), sink_(sink), pacer_(pacer), clock_(clock) {}

  // An error of the sink, or CANCELLED; one of the source is fault().
  absl::Status Carry(uint32_t audio_rate_hz,
                     const std::function<void(const Progress&)>& on_progress) {
    while (wanted_) {
      const auto part = source_.Next();
      fault_ = part.status();
      if (!part.ok() || !*part) break;
      const auto* data = std::get_if<AnimationData>(&**part);
      ended_in_status_ = data == nullptr;
      if (data == nullptr) {
        if (absl::Status s = Send(std::get<StatusMessage>(**part)); !s.ok()) return s;
        continue;
      }
      if (absl::Status s = SendWhenDue(*data, audio_rate_hz); !s.ok()) return s;
      if (wanted_ && on_progress) on_progress(progress_);
    }
    const bool lacks_last = !fault_.ok() || !ended_in_status_;
    return wanted_ && lacks_last ? Send(LastStatus(fault_)) : absl::OkStatus();
  }

  const absl::Status& fault() const { return fault_; }
  const Progress& progress() const { return progress_; }

 private:
  template <typename Part>
  absl::Status Send(const Part& part) {
    const auto sent = sink_.Send(part);
    wanted_ = sent.ok() && *sent;
    return sent.status();
  }

  absl::Status SendWhenDue(const AnimationData& data, uint32_t audio_rate_hz) {
    const client::MessageTimes times = client::TimesOf(data, audio_rate_hz);
    double due_s = clock_.Now();
    if (!times.empty()) {
      if (!std::exchange(any_code_, true)) {
        progress_.first_code_s = progress_.last_code_s = times.earliest_s;
      }
      due_s = pacer_.DueAt(times.earliest_s, clock_.Now());
    }
    if (!clock_.SleepUntil(due_s)) return absl::CancelledError("told to stop");
    if (absl::Status s = Send(data); !s.ok() || !wanted_) return s;
    ++progress_.messages;
    if (!times.empty()) progress_.last_code_s = std::max(progress_.last_code_s, times.latest_s);
    return absl::OkStatus();
  }

  Source& source_;
  MessageSink& sink_;
  Pacer& pacer_;
  Clock& clock_;
  Progress progress_;
  bool any_code_ = false;
  bool wanted_ = true;
  bool ended_in_status_ = false;
  absl::Status fault_;
};

}  // namespace

StatusMessage LastStatus(const absl::Status& fault) {
  StatusMessage status;
  if (fault.ok()) {
    status.set_message("the source has sent all");
  } else {
    status.set_code(StatusMessage::ERROR);
    // Names of files may be no UTF-8, and then nobody could read the message.
    status.set_message(absl::StrCat("the source failed: ", absl::CHexEscape(fault.message())));
  }
  return status;
}

absl::StatusOr<RunResult> Run(Source& source, MessageSink& sink, Pacer pacer, Clock& clock,
                              const RunIds& ids, double epoch_s,
                              const std::function<void(const Progress&)>& on_progress) {
  auto header = source.Header();
  if (!header.ok()) return header.status();
  SetIds(ids, *header);
  header->set_start_time_code_since_epoch(epoch_s);
  if (absl::Status s = sink.Begin(*header); !s.ok()) return s;
  Carrier carrier(source, sink, pacer, clock);
  const absl::Status carried = carrier.Carry(client::AudioRate(*header), on_progress);
  if (!carried.ok()) return carrier.fault().ok() ? carried : carrier.fault();
  auto answer = sink.End();
  if (!carrier.fault().ok()) return carrier.fault();
  if (!answer.ok()) return answer.status();
  return RunResult{carrier.progress(), *std::move(answer)};
}

std::string ProgressText(const Progress& progress, double duration_s) {
  std::string text = absl::StrFormat("%.1f s", progress.sent_s());
  if (duration_s > 0) {
    const double percent = std::min(100.0, 100 * progress.sent_s() / duration_s);
    absl::StrAppendFormat(&text, " of %.1f s (%.0f %%)", duration_s, percent);
  }
  absl::StrAppendFormat(&text, " sent, %d messages", progress.messages);
  return text;
}

}  // namespace posewire::a2f_source
