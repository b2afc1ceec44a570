#include "libs/voice_http/http_run.h"

#include <array>
#include <chrono>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/speech/estimate_words.h"
#include "libs/voice_http/server_json.h"
#include "libs/voice_http/server_status.h"

namespace posewire::voice_http {
namespace {

using http_client::HttpHead;
using speech::SpeechPart;
using speech::SpeechRequest;

constexpr double kPauseAfterLoss_s = 0.1;

bool IsOneOf(absl::string_view type, std::initializer_list<absl::string_view> types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool IsWavType(absl::string_view type) {
  return IsOneOf(type, {"audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"});
}
bool IsPcmType(absl::string_view type) {
  return IsOneOf(type, {"audio/pcm", "audio/x-pcm", "audio/raw"});
}
// Content types that do not name a format.
bool IsAnyType(absl::string_view type) {
  return IsOneOf(type, {"", "application/octet-stream", "binary/octet-stream"});
}
bool IsObjectsType(absl::string_view type) {
  return IsAnyType(type) || IsOneOf(type, {"application/json", "application/x-ndjson",
                                           "application/jsonl", "application/x-json-stream"});
}

// Returns the rate of a content type such as "audio/pcm; rate=24000", or 0 if it has none in range.
int RateOf(absl::string_view content_type) {
  for (absl::string_view parameter : absl::StrSplit(content_type, ';')) {
    parameter = absl::StripAsciiWhitespace(parameter);
    int rate = 0;
    if (absl::ConsumePrefix(&parameter, "rate=") && absl::SimpleAtoi(parameter, &rate) &&
        rate >= 8000 && rate <= 192000) {
      return rate;
    }
  }
  return 0;
}

// The most successive bytes of a response without audio: twice the largest JSON object.
constexpr size_t kMostSoundless = 2 * kMostObjectBytes;
constexpr int kMostFailures = 2;

// The server may repeat the key anywhere in its message.
absl::Status WithoutKey(const absl::Status& status, const std::string& key) {
  if (key.empty()) return status;
  return absl::Status(status.code(), absl::StrReplaceAll(status.message(), {{key, "***"}}));
}

}  // namespace

HttpRun::HttpRun(std::shared_ptr<VoiceShared> shared, SpeechRequest request)
    : shared_(std::move(shared)),
      request_(std::move(request)),
      most_s_(30 + 4 * speech::EstimateSeconds(request_.text) / request_.speed) {}

void HttpRun::Cancel() {
  const std::lock_guard<std::mutex> lock(mutex_);
  cancelled_ = true;
  if (call_ != nullptr) call_->Cancel();
  wake_.notify_all();
}

absl::Status HttpRun::Cancelled() const {
  return absl::CancelledError(absl::StrCat(shared_->server.base, ": the speech was cancelled"));
}

absl::Status HttpRun::Open(http_client::HttpRequest request) {
  auto call = shared_->client->Open(std::move(request));
  if (!call.ok()) return call.status();
  std::shared_ptr<http_client::HttpCall> before;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cancelled_) return Cancelled();
  before = std::exchange(call_, *std::move(call));
  return absl::OkStatus();
}

// Sends GET /v1/models once per voice. A server without that list sends no marks either. A server
// that cannot be reached is asked once more.
absl::StatusOr<bool> HttpRun::AskForEvents() {
  const CheckedServer& server = shared_->server;
  if (server.api != Api::kOpenAi || server.settings.marks == AskForMarks::kNever) return false;
  if (server.settings.marks == AskForMarks::kAlways) return true;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    if (shared_->events.has_value()) return *shared_->events;
  }
  if (absl::Status s = Open(MakeGet(server, "/v1/models")); !s.ok()) return s;
  const absl::StatusOr<HttpHead> head = call_->ReadHead();
  if (absl::IsCancelled(head.status())) return head.status();
  if (absl::IsUnavailable(head.status()) || absl::IsDeadlineExceeded(head.status())) {
    // A server that hangs would delay every piece.
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    if (++shared_->failed == kMostFailures) shared_->events = false;
    return false;
  }
  bool events = false;
  if (head.ok() && head->status == 200) {
    const std::string list = ReadSome(*call_);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (cancelled_) return Cancelled();
    }
    const auto marks = ReadModelMarks(list, server.settings.model);
    events = marks.ok() && *marks != speech::Marks::kNone;
  } else if (head.ok() && head->status != 404 && head->status != 405) {
    return false;  // not final: the server may still be starting
  }
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  shared_->events = events;
  return events;
}

bool HttpRun::MayRetry(double pause_s) {
  if (retried_ || passed_on_) return false;
  retried_ = true;
  heard_ = {};
  reader_ = nullptr;
  samples_ = 0;
  std::unique_lock<std::mutex> lock(mutex_);
  wake_.wait_for(lock, std::chrono::duration<double>(pause_s), [&] { return cancelled_; });
  return true;
}

absl::Status HttpRun::Start() {
  const absl::StatusOr<bool> events = AskForEvents();
  if (!events.ok()) return events.status();
  while (true) {
    absl::Status s = Open(MakeSpeechRequest(shared_->server, shared_->voice, request_, *events));
    if (!s.ok()) return s;
    const absl::StatusOr<HttpHead> head = call_->ReadHead();
    if (!head.ok()) {
      if (absl::IsUnavailable(head.status()) && MayRetry(kPauseAfterLoss_s)) continue;
      return head.status();
    }
    if (head->status == 200) return ChooseReader(*head);
    const absl::Status rejection = ReadRejection(*call_, *head, shared_->server.settings.key);
    const std::optional<double> pause_s = RetryAfter_s(*head);
    if (!pause_s.has_value() || !MayRetry(*pause_s)) return rejection;
  }
}

absl::Status HttpRun::ChooseReader(const HttpHead& head) {
  const VoiceServer& settings = shared_->server.settings;
  const std::string& type = head.content_type;
  marks_ = std::make_unique<MarkCheck>(most_s_);
  SoundForm form{settings.format == "pcm", settings.pcm_rate_hz};
  if (shared_->server.api != Api::kOpenAi) {
    if (IsObjectsType(type)) {
      const bool kokoro = shared_->server.api == Api::kKokoroFastApi;
      form.is_pcm = form.is_pcm || !kokoro;
      reader_ =
          kokoro ? MakeCaptionedReader(form, settings.key) : MakeAlignedReader(form, settings.key);
      return absl::OkStatus();
    }
    return absl::DataLossError(
        absl::StrCat(call_->shown_url(), ": the answer is \"", absl::CEscape(type.substr(0, 100)),
                     "\", expected JSON with sound and times; check the URL and the api"));
  }
  if (type == "text/event-stream") {
    reader_ = MakeEventReader(form, settings.key);
    return absl::OkStatus();
  }
  if (IsWavType(type) || IsPcmType(type) || IsAnyType(type)) {
    if (!IsAnyType(type)) form.is_pcm = IsPcmType(type);
    if (const int rate = RateOf(head.Find("content-type")); rate > 0) form.pcm_rate_hz = rate;
    reader_ = MakeSoundReader(form);
    return absl::OkStatus();
  }
  std::string says;
  if (type == "application/json") {
    says = absl::StrCat(" (it says ", QuoteServer(ReadErrorMessage(ReadSome(*call_)), settings.key),
                        ")");
  }
  return absl::DataLossError(
      absl::StrCat(call_->shown_url(), ": the answer is \"", absl::CEscape(type.substr(0, 100)),
                   "\"", says, ", and ", settings.format,
                   " was asked for; the server has to support "
                   "response_format \"",
                   settings.format, "\", or this is not the URL of a voice"));
}

absl::Status HttpRun::Fault(const absl::Status& status) const {
  return absl::Status(status.code(),
                      absl::StrCat(call_->shown_url(), ": the answer: ", status.message()));
}

absl::Status HttpRun::CheckLength(size_t more) {
  samples_ += static_cast<int64_t>(more);
  const int rate = reader_->rate_hz();
  if (rate == 0 || static_cast<double>(samples_) <= most_s_ * rate) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "it has more than ", most_s_, " s of sound for a text of ", request_.text.size(), " bytes"));
}

absl::StatusOr<bool> HttpRun::ReadPart(SpeechPart& part) {
  while (true) {
    if (reader_ == nullptr) {
      if (absl::Status s = Start(); !s.ok()) return s;
    }
    std::array<char, 16384> buffer;
    absl::StatusOr<size_t> n = call_->Read(absl::MakeSpan(buffer));
    if (!n.ok() && reader_->done() && !absl::IsCancelled(n.status())) n = 0;
    if (!n.ok()) {
      if (absl::IsUnavailable(n.status()) && MayRetry(kPauseAfterLoss_s)) continue;
      return n.status();
    }
    const bool over = *n == 0;
    const size_t before = heard_.samples.size();
    absl::Status s = over ? reader_->Finish(heard_) : reader_->Add({buffer.data(), *n}, heard_);
    if (s.ok()) s = CheckLength(heard_.samples.size() - before);
    if (!s.ok()) return Fault(s);
    if (heard_.samples.empty() && !over) {
      soundless_ += *n;
      if (soundless_ <= kMostSoundless) continue;
      return Fault(absl::DataLossError(
          absl::StrCat("it has more than ", kMostSoundless, " bytes without sound")));
    }
    soundless_ = 0;
    Heard heard = std::exchange(heard_, {});
    part.samples = std::move(heard.samples);
    part.rate_hz = part.samples.empty() ? 0 : reader_->rate_hz();
    part.notes = std::move(heard.notes);
    passed_on_ = passed_on_ || !part.samples.empty();
    marks_->Take(heard.marks, part);
    if (over) {
      marks_->Finish(part);
      end_ = absl::OkStatus();
    }
    return true;
  }
}

absl::StatusOr<bool> HttpRun::Read(SpeechPart& part) {
  part = {};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cancelled_) {
      call_ = nullptr;
      return Cancelled();
    }
  }
  if (end_.has_value()) {
    if (!end_->ok()) return *end_;
    return false;
  }
  absl::StatusOr<bool> read = ReadPart(part);
  if (!read.ok()) read = WithoutKey(read.status(), shared_->server.settings.key);
  if (read.ok() && !end_.has_value()) return read;
  // The connection is closed, or free for another run.
  const std::lock_guard<std::mutex> lock(mutex_);
  call_ = nullptr;
  if (read.ok()) return read;
  part = {};
  end_ = cancelled_ ? Cancelled() : read.status();
  return *end_;
}

}  // namespace posewire::voice_http
