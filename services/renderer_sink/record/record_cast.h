// Records all avatars of a stream into one file, for the command record.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RECORD_RECORD_CAST_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RECORD_RECORD_CAST_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/asset/scene.h"
#include "libs/service/logger.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "services/renderer_sink/core/recorder.h"
#include "services/renderer_sink/pull/cast.h"
#include "services/renderer_sink/record/record_consumer.h"

namespace posewire::renderer_sink {

// The first avatar that is there is the first one of the file, and its first frame is time code 0;
// what the others send before that is left out. Takes are those of RecordConsumer without
// `playing`; a further one begins for all of them at once. Any thread.
class RecordCast final : public Cast {
 public:
  // Creates the first file, which must be an .animdata.
  static absl::StatusOr<std::unique_ptr<Cast>> Create(const RecordOptions& options,
                                                      service::Logger log);
  ~RecordCast() override;

  absl::StatusOr<std::unique_ptr<CastMember>> Join(const std::string& target,
                                                   const asset::GroundPlace& place) override;
  absl::Status Tick(double now_s) override;
  absl::Status Close() override;

 private:
  class Member;
  struct Avatar {
    asset::GroundPlace place;
    bool left = false;
    std::optional<wire::StreamHeader> header;  // of its connection
    wire::MessageBytes header_bytes;
    std::unique_ptr<Recorder> recorder;  // null: nothing of it in this take; or it is the lead
  };
  RecordCast(const RecordOptions& options, service::Logger log)
      : options_(options), log_(std::move(log)) {}
  // All with the mutex.
  absl::Status Begin();
  absl::Status End();
  absl::Status BeginNext(const absl::Status& why);
  // Returns what records the avatar; null: nothing does yet.
  absl::StatusOr<Recorder*> RecorderOf(Avatar& avatar);
  void Leave(Avatar& avatar);
  absl::Status OnHeader(Avatar& avatar, const wire::StreamHeader& header,
                        const wire::MessageBytes& bytes);
  absl::Status OnData(Avatar& avatar, const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s);

  const RecordOptions options_;
  const service::Logger log_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::shared_ptr<Avatar>> avatars_;
  const Avatar* lead_ = nullptr;    // of the take
  std::unique_ptr<Recorder> take_;  // of the lead; it has the file
  int takes_ = 0;                   // number of the last take
  int others_ = 0;                  // in it
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RECORD_RECORD_CAST_H_
