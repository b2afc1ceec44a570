// What a message costs on its way from the voice to what a push keeps of it.
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "libs/client/resume_buffer.h"
#include "services/a2f_source/core/runner.h"
#include "services/a2f_source/core/say_source.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/speech/fake_voice.h"

namespace posewire::a2f_source {
namespace {

class NoWait : public Clock {
 public:
  double Now() override { return 0; }
  bool SleepUntil(double) override { return true; }
};

// Keeps the messages as a push does, and counts what each of them took from the heap on its way.
class Keeper : public MessageSink {
 public:
  absl::Status Begin(const wire::StreamHeader&) override {
    counts.reserve(1000);
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Send(const wire::Message& message) override {
    if (message.data() == nullptr) return true;
    EXPECT_EQ(message.bytes.use_count(), 1);
    kept_.Add(message.bytes, wire::TimesOf(*message.data(), 16000));
    EXPECT_EQ(message.bytes.use_count(), 2) << "the bytes were copied";
    counts.push_back(since_.count());
    since_ = AllocationCount();
    return true;
  }
  absl::StatusOr<std::string> End() override { return std::string(); }

  std::vector<int64_t> counts;

 private:
  AllocationCount since_;
  client::ResumeBuffer kept_{30, 8 << 20};
};

// Weights, rotations and samples take five, and the bytes two.
TEST(SayAllocations, AMessageIsSerializedOnceAndItsBytesAreShared) {
  auto source = SaySource::Make("a longer text to say, and then some more.",
                                std::make_unique<speech::FakeVoice>());
  ASSERT_TRUE(source.ok()) << source.status();
  Keeper keeper;
  NoWait clock;
  const Pacer burst(std::numeric_limits<double>::infinity(), 0);
  ASSERT_TRUE(a2f_source::Run(**source, keeper, burst, clock, {"s", "r", "", ""}, 0, nullptr).ok());
  ASSERT_GT(keeper.counts.size(), 60u);
  // Some make a piece of the voice as well, or room for more of them.
  std::sort(keeper.counts.begin(), keeper.counts.end());
  EXPECT_LE(keeper.counts[keeper.counts.size() / 2], 7);
  EXPECT_GT(keeper.counts.front(), 0);
}

}  // namespace
}  // namespace posewire::a2f_source
