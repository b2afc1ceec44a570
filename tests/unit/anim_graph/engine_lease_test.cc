// Streams whose leases end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

class FakeDirectory : public StreamDirectory {
 public:
  void Locate(absl::string_view, Done done) override { done(Location(Here{})); }
  absl::StatusOr<LeasePtr> Lease(absl::string_view) override {
    if (lease == nullptr) return absl::UnavailableError("no lease");
    return LeasePtr(lease);
  }
  void Grant(int64_t until_ns, double unix_offset_s) {
    lease = std::make_shared<StreamLease>();
    lease->until_ns = until_ns;
    lease->unix_offset_s = unix_offset_s;
  }
  std::shared_ptr<StreamLease> lease;
};

struct LeasedHarness : Harness {
  LeasedHarness() {
    parts.directory = &directory;
    engine = std::make_unique<Engine>(parts, now);
    directory.Grant(now.ns + 2'000'000'000, 5e8);
  }
  FakeDirectory directory;
};

TEST(EngineLease, MakesNoFrameAfterItAndGoesOnWhenItIsRenewed) {
  LeasedHarness h;
  const int64_t until_ns = h.directory.lease->until_ns;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(5);
  const double epoch_s = sink.header().start_time_code_since_epoch();
  const auto time_s = [&] {
    return epoch_s + sink.data().back().skel_animation().rotations(0).time_code();
  };
  const double end_s = 5e8 + static_cast<double>(until_ns) * 1e-9;
  EXPECT_LT(time_s(), end_s);
  EXPECT_GT(time_s(), end_s - 0.04);
  ASSERT_EQ(sink.statuses().size(), 1u);
  EXPECT_EQ(sink.statuses().back().code(), nvidia_ace::status::v1::Status::WARNING);
  EXPECT_EQ(sink.statuses().back().message(), "the stream pauses until its lease is renewed");
  const size_t frames = sink.data().size();
  h.directory.lease->until_ns = h.now.ns + 2'000'000'000;
  h.Run(1);
  EXPECT_NEAR(static_cast<double>(sink.data().size() - frames), 30, 1);
  EXPECT_EQ(sink.statuses().size(), 1u);
  EXPECT_NEAR(time_s(), 5e8 + static_cast<double>(h.now.ns) * 1e-9, 0.04);
}

TEST(EngineLease, MakesNoFrameAfterTheProcessStoodStill) {
  LeasedHarness h;
  FakeSink sink;
  ASSERT_TRUE(h.Pull(&sink).ok());
  h.Run(1);
  const size_t frames = sink.data().size();
  h.Freeze(20);
  h.Run(1);
  EXPECT_EQ(sink.data().size(), frames);
}

TEST(EngineLease, EndsTheCallsOfAStreamThatAnotherServerHas) {
  LeasedHarness h;
  FakeSink sink, window;
  FakePeer peer;
  ASSERT_TRUE(h.Pull(&sink).ok());
  ASSERT_TRUE(h.Pull(&window, "later").ok());
  ASSERT_TRUE(h.Push(Harness::Header("r"), &peer).ok());
  h.Run(0.5);
  const auto lease = h.directory.lease;
  h.directory.lease = nullptr;
  const auto why = absl::UnavailableError("stream_id \"stream\" is served by b:1");
  h.engine->EndStream({"stream", std::make_shared<StreamLease>(), why}, h.now);
  EXPECT_FALSE(sink.finished);
  h.engine->EndStream({"stream", lease, why}, h.now);
  EXPECT_EQ(sink.finished, why);
  EXPECT_EQ(window.finished, why);
  EXPECT_EQ(peer.finished->status, why);
  EXPECT_EQ(lease.use_count(), 1);
  FakeSink next;
  EXPECT_EQ(h.Pull(&next).status().message(), "no lease");
  EXPECT_EQ(h.parts.capacity->streams.used(), 0);
}

TEST(EngineLease, IsGivenUpWithTheStream) {
  LeasedHarness h;
  FakeSink sink;
  const auto pull = h.Pull(&sink);
  ASSERT_TRUE(pull.ok());
  h.Run(1);
  EXPECT_GT(h.directory.lease.use_count(), 1);
  EXPECT_TRUE(h.engine->RemoveStream("stream", h.now).ok());
  EXPECT_EQ(h.directory.lease.use_count(), 1);
}

}  // namespace
}  // namespace posewire::anim_graph
