// Changes the shapes of what another consumer receives.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_RECORD_SHAPES_CONSUMER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_RECORD_SHAPES_CONSUMER_H_

#include <memory>
#include <utility>

#include "libs/retarget/change_shapes.h"
#include "libs/service/logger.h"
#include "libs/wire/message.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

// Passes on headers and data with the shapes of a set, and everything else as it is.
class ShapesConsumer : public Consumer {
 public:
  // `to` must outlive this.
  ShapesConsumer(std::unique_ptr<Consumer> consumer, const shapes::ShapeSet& to,
                 service::Logger log)
      : consumer_(std::move(consumer)), shapes_(to), log_(std::move(log)) {}

  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes) override;
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override;
  absl::Status OnStatus(const wire::StatusChunk& status, const wire::MessageBytes& bytes) override {
    return consumer_->OnStatus(status, bytes);
  }
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) override {
    return consumer_->OnFaulty(bytes, why);
  }
  void OnLost(const absl::Status& why) override { consumer_->OnLost(why); }
  void OnEnd(const absl::Status& status) override { consumer_->OnEnd(status); }
  absl::Status Tick(double now_s) override { return consumer_->Tick(now_s); }
  absl::Status Close() override { return consumer_->Close(); }

 private:
  const std::unique_ptr<Consumer> consumer_;
  retarget::StreamShapes shapes_;
  service::Logger log_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_RECORD_SHAPES_CONSUMER_H_
