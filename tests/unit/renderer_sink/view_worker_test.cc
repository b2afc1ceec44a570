#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <sstream>
#include <stdexcept>

#include "services/renderer_sink/view/worker.h"

namespace posewire::renderer_sink {
namespace {

TEST(ViewWorker, GoesOnAfterATaskThatThrows) {
  std::ostringstream log;
  std::promise<void> done;
  {
    Worker worker(service::Logger("test", {}, log));
    ASSERT_TRUE(worker.Post([] { throw std::runtime_error("no place"); }));
    ASSERT_TRUE(worker.Post([&done] { done.set_value(); }));
    done.get_future().wait();
  }
  EXPECT_THAT(log.str(), ::testing::HasSubstr("task: std::runtime_error: no place"));
}

}  // namespace
}  // namespace posewire::renderer_sink
