#include "services/renderer_sink/grpc/json_calls.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace posewire::renderer_sink {
namespace {

JsonCallOptions Nobody() {
  JsonCallOptions options;
  options.connection.address = "127.0.0.1:9";
  options.service = "posewire.control.v1.ControlService";
  options.timeout_s = 3;
  options.server = "anim_graph";
  return options;
}

// A callback of gRPC that releases the last reference to its channel ends the process.
TEST(JsonCalls, MayBeDestroyedAsSoonAsACallIsAnswered) {
  for (int i = 0; i < 300; ++i) {
    std::promise<absl::Status> answered;
    {
      JsonCalls calls(Nobody());
      calls.Call("ListStreams", "{}", [&](const absl::StatusOr<std::string>& json) {
        answered.set_value(json.status());
      });
      if (i % 2 == 0) answered.get_future().wait();
    }
    if (i % 2 == 1) answered.get_future().wait();
  }
}

}  // namespace
}  // namespace posewire::renderer_sink
