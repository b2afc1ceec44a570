// Consumer of the command record.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RECORD_RECORD_CONSUMER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RECORD_RECORD_CONSUMER_H_

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/service/logger.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "services/renderer_sink/core/recorder.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

struct RecordOptions {
  RecorderOptions recorder = {};
  // Not null: records only while requests play, each time in a take of its own. Returns whether one
  // plays on the avatar that a pull's header names. Called at each connection, and once a second
  // during a take. UNIMPLEMENTED ends the recording; after any other error it is called again. It
  // may block for a second.
  std::function<absl::StatusOr<bool>(const wire::StreamIds&)> playing = nullptr;
  // Not null: called with the name of each complete file, clips and voices.
  std::function<void(const std::string&)> written = nullptr;
};

// Records takes: one, and a further one ("take-2.animdata") when a header has other joints, shapes
// or audio, or when a take is full (Recorder::OnData). With `playing`, one for each time that
// requests play: it begins with the first frame of the first request, and ends within two seconds
// after the last one.
class RecordConsumer : public Consumer {
 public:
  // Creates the first file; with `playing`, only checks that files can be created there.
  static absl::StatusOr<std::unique_ptr<RecordConsumer>> Create(const RecordOptions& options,
                                                                service::Logger log);

  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk& status, const wire::MessageBytes& bytes) override;
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) override;
  absl::Status Tick(double now_s) override;
  absl::Status Close() override;

 private:
  RecordConsumer(const RecordOptions& options, service::Logger log)
      : options_(options), log_(std::move(log)) {}
  absl::Status Begin();
  absl::Status End();
  // A take that its format cannot represent is logged and does not affect later ones; Close reports
  // it.
  absl::Status EndAndGoOn();
  // Ends the take, and begins the next one with the header.
  absl::Status BeginNext(const absl::Status& why);
  absl::Status Ask(double now_s);

  RecordOptions options_;
  service::Logger log_;
  int takes_ = 0;  // number of the last take
  std::unique_ptr<Recorder> recorder_;
  absl::Status unwritten_;  // error of an earlier take that its format could not represent
  std::optional<wire::StreamHeader> header_;  // of the connection
  wire::MessageBytes header_bytes_;
  // With `playing`:
  double now_s_ = 0;
  double next_question_s_ = std::numeric_limits<double>::infinity();
  double end_s_ = std::numeric_limits<double>::infinity();  // end of the take, once nothing plays
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RECORD_RECORD_CONSUMER_H_
