#include "services/renderer_sink/record/shapes_consumer.h"

#include <string>
#include <variant>

namespace posewire::renderer_sink {

absl::Status ShapesConsumer::OnHeader(const wire::StreamHeader& header,
                                      const wire::MessageBytes& bytes) {
  wire::Chunk chunk = header;
  const bool changed = shapes_.Change(chunk);
  if (const std::string note = shapes_.TakeNote(); !note.empty()) {
    log_.Info("shapes", {{"note", note}});
  }
  if (!changed) return consumer_->OnHeader(header, bytes);
  const wire::Message message = wire::MakeMessage(std::move(chunk));
  return consumer_->OnHeader(std::get<wire::StreamHeader>(message.chunk), message.bytes);
}

absl::Status ShapesConsumer::OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                                    double receive_s) {
  wire::Chunk chunk = data;
  if (!shapes_.Change(chunk)) return consumer_->OnData(data, bytes, receive_s);
  const wire::Message message = wire::MakeMessage(std::move(chunk));
  return consumer_->OnData(std::get<wire::DataChunk>(message.chunk), message.bytes, receive_s);
}

}  // namespace posewire::renderer_sink
