// One text spoken by a server: the request, its one retry, and its response as parts.
#ifndef POSEWIRE_LIBS_VOICE_HTTP_HTTP_RUN_H_
#define POSEWIRE_LIBS_VOICE_HTTP_HTTP_RUN_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/http_client/http_client.h"
#include "libs/speech/voice.h"
#include "libs/voice_http/answer_readers.h"
#include "libs/voice_http/heard.h"
#include "libs/voice_http/mark_check.h"
#include "libs/voice_http/server_requests.h"

namespace posewire::voice_http {

// State that the runs of a voice share. Thread-safe.
struct VoiceShared {
  CheckedServer server;
  std::string voice;
  std::shared_ptr<http_client::HttpClient> client;

  std::mutex mutex;
  std::optional<bool> events;  // whether the server sends marks; guarded by mutex
  int failed = 0;              // failed attempts to find out; guarded by mutex
};

class HttpRun : public speech::SpeechRun {
 public:
  HttpRun(std::shared_ptr<VoiceShared> shared, speech::SpeechRequest request);

  absl::StatusOr<bool> Read(speech::SpeechPart& part) override;
  void Cancel() override;

 private:
  absl::StatusOr<bool> ReadPart(speech::SpeechPart& part);
  absl::StatusOr<bool> AskForEvents();
  absl::Status Open(http_client::HttpRequest request);
  // Sends the request until a response with audio begins; includes the retry.
  absl::Status Start();
  absl::Status ChooseReader(const http_client::HttpHead& head);
  // Returns true if the request may be sent once more, after the pause.
  bool MayRetry(double pause_s);
  absl::Status Fault(const absl::Status& status) const;
  absl::Status CheckLength(size_t more);
  absl::Status Cancelled() const;

  const std::shared_ptr<VoiceShared> shared_;
  const speech::SpeechRequest request_;
  const double most_s_;
  std::optional<absl::Status> end_;  // OK: everything was spoken
  bool retried_ = false;
  bool passed_on_ = false;  // samples were passed on
  std::unique_ptr<AnswerReader> reader_;
  std::unique_ptr<MarkCheck> marks_;
  Heard heard_;  // not passed on yet
  int64_t samples_ = 0;
  size_t soundless_ = 0;  // bytes since the last audio

  std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;                       // guarded by mutex_
  std::shared_ptr<http_client::HttpCall> call_;  // replaced under mutex_, by the reader
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_LIBS_VOICE_HTTP_HTTP_RUN_H_
