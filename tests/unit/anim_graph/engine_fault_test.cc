// A tick that throws ends nothing but itself.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

class ThrowingSink : public FrameSink {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double) override {
    if (throws && frame.is_data()) throw std::runtime_error("bad sink");
    return Offered::kTaken;
  }
  void Finish(const absl::Status&) override {}
  bool throws = false;
};

TEST(EngineFault, ARequestThatEndsWhileTicksThrowIsToldAllTheSame) {
  HarnessSettings settings = Harness::Passthrough();
  settings.start_wait_s = 0;
  Harness h(settings);
  ThrowingSink bad;
  // Both avatars are on one slot, and the bad one is sent first.
  ASSERT_TRUE(h.engine->OpenPull(h.Context({"", "other", ""}), {}, &bad, h.now).ok());
  FakeSink window;
  FakePeer peer;
  const auto push = h.Push(Harness::Header("r"), &peer);
  ASSERT_TRUE(h.Pull(&window, "r").ok());
  h.engine->Offer(push->call, Harness::Keys(0, 15), h.now);
  h.engine->EndPush(push->call, PushEnd::kHalfClosed, h.now);
  h.Run(0.2);
  ASSERT_GT(window.data().size(), 0u);

  bad.throws = true;
  int faults = 0;
  for (int i = 0; i < 60; ++i) {
    h.Set(h.now.ns + 33'000'000);
    try {
      h.engine->Advance(h.now);
    } catch (const std::runtime_error&) {
      ++faults;
    }
  }
  EXPECT_GT(faults, 30);
  EXPECT_FALSE(window.finished);
  bad.throws = false;
  h.Run(0.2);
  ASSERT_TRUE(window.finished);
  EXPECT_TRUE(window.finished->ok());
  EXPECT_EQ(window.statuses().back().message(), "the request has ended");
  EXPECT_EQ(h.engine->StopRequest("stream", "r", h.now), absl::OkStatus()) << "it is remembered";
  EXPECT_TRUE(h.engine->Streams().back().avatars.at(0).requests.empty());
}

}  // namespace
}  // namespace posewire::anim_graph
