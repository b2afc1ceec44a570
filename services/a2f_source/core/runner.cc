#include "services/a2f_source/core/runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "libs/client/message_times.h"

namespace posewire::a2f_source {
namespace {

using nvidia_ace::animation_data::v1::AnimationDataStreamHeader;

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

}  // namespace

absl::StatusOr<RunResult> Run(Source& source, MessageSink& sink, Pacer pacer, Clock& clock,
                              const RunIds& ids, double epoch_s,
                              const std::function<void(const Progress&)>& on_progress) {
  auto header = source.Header();
  if (!header.ok()) return header.status();
  SetIds(ids, *header);
  header->set_start_time_code_since_epoch(epoch_s);
  const uint32_t audio_rate_hz = client::AudioRate(*header);
  if (absl::Status s = sink.Begin(*header); !s.ok()) return s;

  RunResult result;
  Progress& progress = result.progress;
  bool any_code = false;
  absl::Status fault;
  while (true) {
    auto data = source.Next();
    if (!data.ok()) {
      fault = data.status();
      break;
    }
    if (!*data) break;
    const client::MessageTimes times = client::TimesOf(**data, audio_rate_hz);
    double due_s = clock.Now();
    if (!times.empty()) {
      if (!std::exchange(any_code, true)) {
        progress.first_code_s = progress.last_code_s = times.earliest_s;
      }
      due_s = pacer.DueAt(times.earliest_s, clock.Now());
    }
    if (!clock.SleepUntil(due_s)) return absl::CancelledError("told to stop");
    auto sent = sink.Send(**data);
    if (!sent.ok()) return sent.status();
    if (!*sent) break;
    ++progress.messages;
    if (!times.empty()) progress.last_code_s = std::max(progress.last_code_s, times.latest_s);
    if (on_progress) on_progress(progress);
  }
  auto answer = sink.End();
  if (!fault.ok()) return fault;
  if (!answer.ok()) return answer.status();
  result.answer = *std::move(answer);
  return result;
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
