#include "services/a2f_source/speaker/call_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "libs/stream/busy.h"

namespace posewire::a2f_source {
namespace {

using End = CallThreads::End;

// A call that runs until it is told to end in one of these ways.
class Waiting {
 public:
  explicit Waiting(End heeds) : heeds_(heeds) {}
  absl::Status Start(CallThreads& threads) {
    return threads.Start([this] { ended_.get_future().wait(); },
                         [this](End end) {
                           ends.push_back(end);
                           if (end == heeds_) Finish();
                         });
  }
  void Finish() { ended_.set_value(); }

  std::vector<End> ends;

 private:
  const End heeds_;
  std::promise<void> ended_;
};

TEST(CallThreads, RejectsMoreThanTheMost) {
  Waiting first(End::kInOrder), second(End::kInOrder), third(End::kInOrder);
  CallThreads threads(2, "sound");
  ASSERT_TRUE(first.Start(threads).ok());
  ASSERT_TRUE(second.Start(threads).ok());
  const absl::Status rejected = third.Start(threads);
  EXPECT_EQ(rejected.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(stream::IsBusy(rejected));
  EXPECT_NE(rejected.message().find("2 sounds"), absl::string_view::npos);
}

TEST(CallThreads, TakesAnotherWhenOneHasEnded) {
  CallThreads threads(1, "sound");
  for (int i = 0; i < 100; ++i) {
    // The thread before may need a moment more after its work.
    absl::Status started;
    std::promise<void> ran;
    do {
      started = threads.Start([&] { ran.set_value(); }, [](End) {});
    } while (absl::IsResourceExhausted(started));
    ASSERT_TRUE(started.ok()) << started;
    ran.get_future().wait();
  }
}

TEST(CallThreads, ClosesInOrderAndThenAtOnce) {
  Waiting polite(End::kInOrder), deaf(End::kAtOnce);
  CallThreads threads(2, "sound");
  ASSERT_TRUE(polite.Start(threads).ok());
  ASSERT_TRUE(deaf.Start(threads).ok());
  threads.Close(0.05);
  EXPECT_EQ(polite.ends, std::vector<End>{End::kInOrder});
  EXPECT_EQ(deaf.ends, (std::vector<End>{End::kInOrder, End::kAtOnce}));
}

TEST(CallThreads, RejectsOnceItIsClosed) {
  CallThreads threads(2, "sound");
  threads.Close(0);
  EXPECT_EQ(threads.Start([] {}, [](End) {}).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace posewire::a2f_source
