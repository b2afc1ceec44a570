#include "services/anim_graph/runtime/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

// Waits for its bell alone. The test may slip it something to deal with.
class FakeWaiter : public Waiter {
 public:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool rung = false;
    std::function<void()> event;
    int waits = 0;
    bool in_tick = false;
    int ticks = 0;
    bool closed = false;
  };
  explicit FakeWaiter(Shared* shared) : shared_(*shared) {}

  bool WaitUntil(int64_t deadline_ns) override {
    std::unique_lock lock(shared_.mutex);
    ++shared_.waits;
    const auto due = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline_ns));
    shared_.changed.wait_until(lock, due, [this] { return shared_.rung || shared_.event; });
    if (auto event = std::exchange(shared_.event, nullptr)) {
      lock.unlock();
      event();
      return true;
    }
    return std::exchange(shared_.rung, false);
  }
  void Wake() override {
    std::lock_guard lock(shared_.mutex);
    EXPECT_FALSE(shared_.closed);
    shared_.rung = true;
    shared_.changed.notify_one();
  }
  void BeginTick() override { EXPECT_FALSE(std::exchange(shared_.in_tick, true)); }
  void EndTick() override {
    EXPECT_TRUE(std::exchange(shared_.in_tick, false));
    ++shared_.ticks;
  }
  void Close() override {
    std::lock_guard lock(shared_.mutex);
    shared_.closed = true;
  }

 private:
  Shared& shared_;
};

TEST(Worker, DeliversLettersInOrderAlsoThoseFromBeforeItsStart) {
  const Harness h;
  FakeWaiter::Shared shared;
  std::vector<int> got;
  {
    Worker worker(h.parts);
    worker.Post([&](Engine&, Now) { got.push_back(0); });
    worker.Post([&](Engine&, Now) { got.push_back(1); });
    worker.Start(std::make_unique<FakeWaiter>(&shared));
    for (int i = 2; i < 1000; ++i) worker.Post([&, i](Engine&, Now) { got.push_back(i); });
    worker.Stop();
    EXPECT_TRUE(shared.closed);
    worker.Post([](Engine&, Now) { FAIL() << "after the stop"; });
  }
  ASSERT_EQ(got.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(got[static_cast<size_t>(i)], i);
}

TEST(Worker, ALetterFromALetterIsDelivered) {
  const Harness h;
  FakeWaiter::Shared shared;
  Worker worker(h.parts);
  worker.Start(std::make_unique<FakeWaiter>(&shared));
  std::promise<void> done;
  worker.Post([&](Engine&, Now) { worker.Post([&](Engine&, Now) { done.set_value(); }); });
  done.get_future().wait();
}

TEST(Worker, WorkFromTheWaiterMayUseTheEngineBeforeTheTick) {
  const Harness h;
  FakeWaiter::Shared shared;
  FakeSink sink;
  std::promise<void> opened;
  Worker worker(h.parts);
  worker.Start(std::make_unique<FakeWaiter>(&shared));
  {
    std::lock_guard lock(shared.mutex);
    shared.event = [&] {
      EXPECT_TRUE(
          worker.engine().OpenPull({"", {"", "stream", ""}, "test"}, {}, &sink, ReadClocks()).ok());
      opened.set_value();
    };
    shared.changed.notify_one();
  }
  opened.get_future().wait();
  int64_t ticks = 0;
  while (ticks < 3) {
    std::promise<int64_t> count;
    worker.Post([&](Engine& engine, Now) { count.set_value(engine.counters().ticks); });
    ticks = count.get_future().get();
  }
  worker.Stop();
  EXPECT_GE(sink.data().size(), 3u);
}

TEST(Worker, GoesOnAfterALetterAndAnEventThatThrow) {
  const Harness h;
  FakeWaiter::Shared shared;
  std::ostringstream log;
  {
    Worker worker(h.parts, service::Logger("test", {}, log));
    worker.Start(std::make_unique<FakeWaiter>(&shared));
    worker.Post([](Engine&, Now) { throw std::runtime_error("bad task"); });
    std::promise<void> thrown;
    {
      std::lock_guard lock(shared.mutex);
      shared.event = [&thrown] {
        thrown.set_value();
        throw std::bad_alloc();
      };
      shared.changed.notify_one();
    }
    thrown.get_future().wait();
    std::promise<void> done;
    worker.Post([&](Engine&, Now) { done.set_value(); });
    done.get_future().wait();
  }
  EXPECT_THAT(log.str(), HasSubstr("task: std::runtime_error: bad task"));
  EXPECT_THAT(log.str(), HasSubstr("event: there is not enough memory"));
}

class TwiceThrowingSink : public FakeSink {
 public:
  Offered Offer(const wire::EncodedFrame& frame, double now_s) override {
    ++offered;  // The first is the header, when the pull is opened.
    if (offered == 2 || offered == 3) throw std::runtime_error("bad sink");
    return FakeSink::Offer(frame, now_s);
  }
  int offered = 0;
};

TEST(Worker, GoesOnAfterATickThatThrows) {
  const Harness h;
  FakeWaiter::Shared shared;
  TwiceThrowingSink sink;
  std::ostringstream log;
  {
    Worker worker(h.parts, service::Logger("test", {}, log));
    worker.Start(std::make_unique<FakeWaiter>(&shared));
    worker.Post([&](Engine& engine, Now now) {
      EXPECT_TRUE(engine.OpenPull({"", {"", "stream", ""}, "test"}, {}, &sink, now).ok());
    });
    bool served = false;
    while (!served) {
      std::promise<bool> seen;
      worker.Post([&](Engine&, Now) { seen.set_value(sink.data().size() >= 2); });
      served = seen.get_future().get();
    }
  }
  EXPECT_THAT(log.str(), HasSubstr("tick: std::runtime_error: bad sink"));
}

class TickSink : public FakeSink {
 public:
  explicit TickSink(const bool* in_tick) : in_tick_(*in_tick) {}
  Offered Offer(const wire::EncodedFrame& frame, double now_s) override {
    ++(in_tick_ ? inside : outside);
    return FakeSink::Offer(frame, now_s);
  }
  int inside = 0;
  int outside = 0;

 private:
  const bool& in_tick_;
};

TEST(Worker, TellsItsWaiterOfTheTicksInWhichItSends) {
  const Harness h;
  FakeWaiter::Shared shared;
  TickSink sink(&shared.in_tick);
  Worker worker(h.parts);
  worker.Post([&](Engine& engine, Now now) {
    EXPECT_FALSE(shared.in_tick);
    EXPECT_TRUE(engine.OpenPull({"", {"", "stream", ""}, "test"}, {}, &sink, now).ok());
  });
  worker.Start(std::make_unique<FakeWaiter>(&shared));
  int64_t ticks = 0;
  while (ticks < 3) {
    std::promise<int64_t> count;
    worker.Post([&](Engine& engine, Now) { count.set_value(engine.counters().ticks); });
    ticks = count.get_future().get();
  }
  worker.Stop();
  EXPECT_GE(sink.inside, 3);
  EXPECT_LE(sink.outside, 1);  // the header, at the opening
  EXPECT_GE(shared.ticks, 3);
}

// A task of so many milliseconds.
void Work(int64_t ms) {
  const int64_t end_ns = ReadClocks().ns + ms * 1'000'000;
  while (ReadClocks().ns < end_ns) {
  }
}

TEST(Worker, TicksInTheMidstOfTasks) {
  const Harness h;
  FakeWaiter::Shared shared;
  Worker worker(h.parts);
  worker.Post(
      [](Engine& engine, Now now) { EXPECT_TRUE(engine.RegisterStream("stream", "", now).ok()); });
  for (int i = 0; i < 300; ++i) worker.Post([](Engine&, Now) { Work(1); });
  std::promise<int64_t> done;
  worker.Post([&](Engine& engine, Now) { done.set_value(engine.counters().ticks); });
  worker.Start(std::make_unique<FakeWaiter>(&shared));
  // 300 ms are nine frames; a frame that was missed is no tick.
  EXPECT_GE(done.get_future().get(), 5);
}

// Has always something to deal with: a large message, until there were enough.
class HeavyWaiter : public FakeWaiter {
 public:
  HeavyWaiter(Shared* shared, Worker* worker, std::promise<void>* done)
      : FakeWaiter(shared), worker_(*worker), done_(*done) {}
  bool WaitUntil(int64_t deadline_ns) override {
    if (left_ == 0) return FakeWaiter::WaitUntil(deadline_ns);
    worker_.Took(4 << 20);
    Work(6);
    if (--left_ == 0) done_.set_value();
    return true;
  }

 private:
  Worker& worker_;
  std::promise<void>& done_;
  int left_ = 120;
};

TEST(Worker, TicksInTheMidstOfLargeMessages) {
  const Harness h;
  FakeWaiter::Shared shared;
  std::promise<void> done;
  Worker worker(h.parts);
  worker.Post(
      [](Engine& engine, Now now) { EXPECT_TRUE(engine.RegisterStream("stream", "", now).ok()); });
  worker.Start(std::make_unique<HeavyWaiter>(&shared, &worker, &done));
  done.get_future().wait();
  // 720 ms are 21 frames; 64 messages would be eleven of them.
  EXPECT_GE(worker.counters().ticks, 12);
  worker.Stop();
}

TEST(Worker, DealsWithEventsInTheMidstOfTasksWithoutEnd) {
  const Harness h;
  FakeWaiter::Shared shared;
  Worker worker(h.parts);
  std::atomic<bool> enough = false;
  std::function<void()> post = [&] {
    worker.Post([&](Engine&, Now) {
      if (!enough) post();
    });
  };
  post();
  worker.Start(std::make_unique<FakeWaiter>(&shared));
  std::promise<void> happened;
  {
    std::lock_guard lock(shared.mutex);
    shared.event = [&] { happened.set_value(); };
    shared.changed.notify_one();
  }
  EXPECT_EQ(happened.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  enough = true;
  worker.Stop();
}

TEST(Worker, CountsForAnyThread) {
  const Harness h;
  FakeWaiter::Shared shared;
  Worker worker(h.parts);
  worker.Post(
      [](Engine& engine, Now now) { EXPECT_TRUE(engine.RegisterStream("stream", "", now).ok()); });
  worker.Start(std::make_unique<FakeWaiter>(&shared));
  while (worker.counters().ticks < 3) std::this_thread::yield();
  worker.Stop();
}

TEST(Workers, KnowWhichOfThemStandsStillWithoutAskingIt) {
  const Harness h;
  FakeWaiter::Shared shared[2];
  Workers workers(2, h.parts);
  for (size_t i = 0; i < 2; ++i) {
    workers.all()[i]->Start(std::make_unique<FakeWaiter>(&shared[i]));
  }
  std::promise<void> still, go_on;
  workers.all()[1]->Post([&](Engine&, Now) {
    still.set_value();
    go_on.get_future().wait();
  });
  still.get_future().wait();
  const int64_t since_ns = workers.all()[1]->heard_ns();
  while (workers.all()[0]->heard_ns() < since_ns + 200'000'000) std::this_thread::yield();
  EXPECT_TRUE(workers.CheckAlive({since_ns + 4'900'000'000, 0}).ok());
  const absl::Status silent = workers.CheckAlive({since_ns + 5'100'000'000, 0});
  EXPECT_EQ(silent.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(silent.message()), HasSubstr("worker 2 of 2 has not responded"));
  go_on.set_value();
  workers.Stop();
}

TEST(Workers, AnswerAQuestionAtWhichAnEngineThrows) {
  const Harness h;
  FakeWaiter::Shared shared[3];
  std::ostringstream log;
  Workers workers(3, h.parts, service::Logger("test", {}, log));
  for (size_t i = 0; i < 3; ++i) {
    workers.all()[i]->Start(std::make_unique<FakeWaiter>(&shared[i]));
  }
  std::promise<void> done;
  auto answered = done.get_future();
  int asked = 0;
  workers.AskAll(
      [&asked](Engine&, Now) {
        if (++asked != 2) throw std::runtime_error("bad engine");
      },
      [&done] { done.set_value(); });
  ASSERT_EQ(answered.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(asked, 3);
  workers.Stop();
  EXPECT_THAT(log.str(), HasSubstr("question: std::runtime_error: bad engine"));
}

TEST(Workers, DrainEveryEngineAlsoWhenOneThrows) {
  class BadPeer : public FakePeer {
   public:
    void Finish(const PushAnswer&) override { throw std::runtime_error("bad peer"); }
  };
  const Harness h;
  FakeWaiter::Shared shared[2];
  FakePeer peer;
  BadPeer bad;
  std::ostringstream log;
  Workers workers(2, h.parts, service::Logger("test", {}, log));
  const auto push = [](Worker* worker, PushPeer* to) {
    worker->Post([to](Engine& engine, Now now) {
      const wire::StreamHeader header = Harness::Header("r");
      EXPECT_TRUE(engine.OpenPush(header, {}, to, now).ok());
    });
  };
  push(workers.all()[0], &bad);
  push(workers.all()[1], &peer);
  for (size_t i = 0; i < 2; ++i) {
    workers.all()[i]->Start(std::make_unique<FakeWaiter>(&shared[i]));
  }
  workers.Drain();
  workers.Stop();
  EXPECT_TRUE(peer.finished.has_value());
  EXPECT_THAT(log.str(), HasSubstr("question: std::runtime_error: bad peer"));
}

TEST(Worker, OneThatNeverStartedIsDestroyedInPeace) {
  const Harness h;
  Worker worker(h.parts);
  worker.Post([](Engine&, Now) { FAIL(); });
  worker.Stop();
}

}  // namespace
}  // namespace posewire::anim_graph
