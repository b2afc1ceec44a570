#include "services/renderer_sink/record/record_consumer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {

namespace {

constexpr double kNever_s = std::numeric_limits<double>::infinity();
constexpr double kQuestionPeriod_s = 1;
// Data sent between the server's answer and its arrival is part of the take.
constexpr double kTail_s = 0.5;

// docs/protocol.md: INFO request_id "r" starts at code 0.0333333333
bool SaysThatARequestStarts(const wire::StatusChunk& status) {
  return absl::StrContains(status.message, "\" starts at code ");
}

absl::Status CheckFolder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (access(folder.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  const int why = errno;
  return absl::ErrnoToStatus(why, absl::StrCat("cannot create files in ", folder));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordConsumer>> RecordConsumer::Create(const RecordOptions& options,
                                                                       service::Logger log) {
  std::unique_ptr<RecordConsumer> consumer(new RecordConsumer(options, std::move(log)));
  const absl::Status status =
      options.playing ? CheckFolder(options.recorder.path) : consumer->Begin();
  if (!status.ok()) return status;
  return consumer;
}

absl::Status RecordConsumer::Begin() {
  RecorderOptions options = options_.recorder;
  options.take = ++takes_;
  auto recorder = Recorder::Create(options);
  if (!recorder.ok()) return recorder.status();
  recorder_ = *std::move(recorder);
  if (recorder_->take() != takes_) {
    log_.Info("a file of this name exists and stays; this take gets the next free number",
              {{"asked", TakePath(options.path, takes_)}, {"file", recorder_->path()}});
    takes_ = recorder_->take();
  } else if (options_.playing) {
    log_.Info("recording", {{"file", recorder_->path()}});
  }
  return absl::OkStatus();
}

absl::Status RecordConsumer::End() {
  if (!recorder_) return absl::OkStatus();
  const absl::Status status = recorder_->Close();
  if (status.ok() && options_.written) {
    for (const std::string& path : recorder_->Written()) options_.written(path);
  }
  if (recorder_->empty()) takes_ = recorder_->take() - 1;
  recorder_ = nullptr;
  return status;
}

absl::Status RecordConsumer::EndAndGoOn() {
  const absl::Status ended = End();
  if (!absl::IsInvalidArgument(ended)) return ended;
  log_.Error("a take cannot be written in its format; recording goes on",
             {{"why", ended.message()}});
  unwritten_.Update(ended);
  return absl::OkStatus();
}

absl::Status RecordConsumer::OnHeader(const wire::StreamHeader& header,
                                      const wire::MessageBytes& bytes) {
  header_ = header;
  header_bytes_ = bytes;
  if (options_.playing) next_question_s_ = now_s_;
  if (!recorder_) return absl::OkStatus();
  const absl::Status status = recorder_->OnHeader(header, bytes);
  return absl::IsFailedPrecondition(status) ? BeginNext(status) : status;
}

absl::Status RecordConsumer::BeginNext(const absl::Status& why) {
  if (absl::Status s = EndAndGoOn(); !s.ok()) return s;
  if (absl::Status s = Begin(); !s.ok()) return s;
  log_.Warning("going on in another take", {{"file", recorder_->path()}, {"why", why.message()}});
  return recorder_->OnHeader(*header_, header_bytes_);
}

absl::Status RecordConsumer::OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                                    double receive_s) {
  if (receive_s >= end_s_) {
    end_s_ = kNever_s;
    if (absl::Status s = EndAndGoOn(); !s.ok()) return s;
  }
  if (!recorder_) return absl::OkStatus();
  const absl::Status status = recorder_->OnData(data, bytes, receive_s);
  if (!absl::IsFailedPrecondition(status)) return status;
  if (absl::Status s = BeginNext(status); !s.ok()) return s;
  return recorder_->OnData(data, bytes, receive_s);
}

absl::Status RecordConsumer::OnStatus(const wire::StatusChunk& status,
                                      const wire::MessageBytes& bytes) {
  if (options_.playing && header_ && SaysThatARequestStarts(status)) {
    end_s_ = kNever_s;
    next_question_s_ = now_s_ + kQuestionPeriod_s;
    if (!recorder_) {
      if (absl::Status s = Begin(); !s.ok()) return s;
      if (absl::Status s = recorder_->OnHeader(*header_, header_bytes_); !s.ok()) return s;
    }
  }
  return recorder_ ? recorder_->OnStatus(bytes) : absl::OkStatus();
}

absl::Status RecordConsumer::OnFaulty(const wire::MessageBytes& bytes, const absl::Status&) {
  return recorder_ ? recorder_->OnFaulty(bytes) : absl::OkStatus();
}

// A request announces its start but not its end, and a sink that joins midway missed even the
// start. So the server is asked.
absl::Status RecordConsumer::Ask(double now_s) {
  next_question_s_ = now_s + kQuestionPeriod_s;
  const absl::StatusOr<bool> playing = options_.playing(header_->ids);
  if (absl::IsUnimplemented(playing.status())) return playing.status();
  if (!playing.ok()) {
    log_.Warning("the server does not say whether a request plays; asking again",
                 {{"why", std::string(playing.status().message())}});
    return absl::OkStatus();
  }
  if (*playing) {
    end_s_ = kNever_s;
    if (recorder_) return absl::OkStatus();
    if (absl::Status s = Begin(); !s.ok()) return s;
    return recorder_->OnHeader(*header_, header_bytes_);
  }
  next_question_s_ = kNever_s;
  if (recorder_) end_s_ = std::min(end_s_, now_s + kTail_s);
  return absl::OkStatus();
}

absl::Status RecordConsumer::Tick(double now_s) {
  now_s_ = now_s;
  if (now_s >= next_question_s_) {
    if (absl::Status s = Ask(now_s); !s.ok()) return s;
  }
  return recorder_ ? recorder_->Tick(now_s) : absl::OkStatus();
}

absl::Status RecordConsumer::Close() {
  const absl::Status status = End();
  return status.ok() ? unwritten_ : status;
}

}  // namespace posewire::renderer_sink
