#include "libs/service/task_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace posewire::service {
namespace {

TEST(TaskThread, GoesOnAfterATaskThatThrows) {
  std::ostringstream log;
  std::promise<void> done;
  {
    TaskThread thread(Logger("test", {}, log), {.what = "answer"});
    EXPECT_TRUE(thread.Post([] { throw std::runtime_error("bad answer"); }));
    EXPECT_TRUE(thread.Post([&done] { done.set_value(); }));
    done.get_future().wait();
  }
  EXPECT_THAT(log.str(), ::testing::HasSubstr("answer: std::runtime_error: bad answer"));
}

TEST(TaskThread, TakesNoMoreThanMayWaitAndFinishesThose) {
  std::vector<int> done;
  {
    std::promise<void> began, go_on;
    TaskThread thread(Logger(), {.most_waiting = 2});
    EXPECT_TRUE(thread.Post([&] {
      began.set_value();
      go_on.get_future().wait();
    }));
    began.get_future().wait();
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(thread.Post([&done, i] { done.push_back(i); }));
    EXPECT_FALSE(thread.Post([] { ADD_FAILURE() << "was not taken"; }));
    go_on.set_value();
  }
  EXPECT_EQ(done, (std::vector<int>{0, 1}));
}

TEST(TaskThread, DropsWhatWaitsWhereItNeedNotFinish) {
  int done = 0;
  {
    TaskThread thread(Logger(), {.finish = false});
    EXPECT_TRUE(thread.Post([&] {
      while (thread.Post([&done] { ++done; })) std::this_thread::yield();  // until the end begins
    }));
  }
  EXPECT_EQ(done, 0);
}

}  // namespace
}  // namespace posewire::service
