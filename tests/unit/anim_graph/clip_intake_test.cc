// Clips are put through the control API while avatars tick and other calls are answered. Nothing
// here waits for time: a put is held in the middle of its change until the test lets it go on.
#include "services/anim_graph/runtime/clip_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/anim_graph/runtime/control.h"
#include "tests/unit/anim_graph/bell_waiter.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

std::string RecordingOfLength(double seconds) {
  return absl::StrCat(
      R"({"animation_data_stream_header": {"animation_ids": {"request_id": "r", "stream_id": "s"},
          "skel_animation_header": {"blend_shapes": ["JawOpen"]}}})",
      R"({"animation_data": {"skel_animation": {"blend_shape_weights":
          [{"time_code": 0, "values": [1]}, {"time_code": )",
      seconds, R"(, "values": [0]}]}}})", "\n");
}

// One call and its answer.
template <typename Request, typename Response>
struct Asked {
  Request request;
  Response response;
  std::promise<absl::Status> promise;
  std::future<absl::Status> status = promise.get_future();
  std::thread::id thread;

  void Ask(Control& control) {
    control.Call({"test"}, request, &response, [this](const absl::Status& done) {
      thread = std::this_thread::get_id();
      promise.set_value(done);
    });
  }
  bool answered() const {
    return status.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
};

struct AskedPut : Asked<cv1::PutClipRequest, cv1::PutClipResponse> {
  explicit AskedPut(const std::string& name, double seconds = 1) {
    request.set_name(name);
    request.set_data(RecordingOfLength(seconds));
  }
};

class ClipIntakeTest : public ::testing::Test {
 protected:
  ClipIntakeTest()
      : store_(*GraphStore::Make(Options(), harness_.rig, harness_.parts.catalog, nullptr)),
        workers_(1, harness_.parts),
        control_(std::make_unique<Control>(CallParts{&workers_, &authorizer_, &directory_, {}},
                                           store_.get(), &events_)) {
    workers_.all().front()->Start(std::make_unique<BellWaiter>());
  }
  ~ClipIntakeTest() override {
    control_ = nullptr;
    workers_.Stop();
  }

  static GraphStoreOptions Options() {
    GraphStoreOptions options;
    options.graph = "passthrough";
    return options;
  }

  // From now on puts stop before they are answered, on the thread that does them.
  void HoldPuts() {
    store_->SetListener([this](const auto&, const absl::Status&) {
      held_.set_value(std::this_thread::get_id());
      go_on_.get_future().wait();
    });
  }

  const Harness harness_;
  stream::AllowAll authorizer_;
  AllHere directory_;
  EventHub events_{nullptr};
  std::unique_ptr<GraphStore> store_;
  Workers workers_;
  std::unique_ptr<Control> control_;
  FakeSink sink_;  // of a pull that goes on to the end
  std::promise<std::thread::id> held_;
  std::promise<void> go_on_;
};

TEST_F(ClipIntakeTest, AClipWhoseIntakeThrowsIsRejectedAndTheNextOneIsTaken) {
  store_->SetListener([](const auto&, const absl::Status&) { throw std::bad_alloc(); });
  AskedPut thrown("a");
  thrown.Ask(*control_);
  EXPECT_EQ(thrown.status.get().code(), absl::StatusCode::kResourceExhausted);
  store_->SetListener(nullptr);
  AskedPut taken("b");
  taken.Ask(*control_);
  EXPECT_TRUE(taken.status.get().ok());
}

TEST_F(ClipIntakeTest, TicksAndCallsGoOnWhileALargeClipIsPut) {
  sink_.keep_parsed = false;
  std::promise<absl::Status> opened;
  Worker& worker = *workers_.all().front();
  worker.Post([&](Engine& engine, Now now) {
    opened.set_value(engine.OpenPull({"", {"", "stream", ""}, "test"}, {}, &sink_, now).status());
  });
  ASSERT_TRUE(opened.get_future().get().ok());
  HoldPuts();
  AskedPut put("long", 290);
  put.Ask(*control_);
  const std::thread::id reader = held_.get_future().get();
  EXPECT_NE(reader, std::this_thread::get_id());
  int64_t first = -1, ticks = -1;
  while (ticks < first + 3) {
    std::promise<std::pair<int64_t, std::thread::id>> told;
    worker.Post([&](Engine& engine, Now) {
      told.set_value({engine.counters().ticks, std::this_thread::get_id()});
    });
    const auto [count, thread] = told.get_future().get();
    EXPECT_NE(thread, reader);
    if (first < 0) first = count;
    ticks = count;
  }
  Asked<cv1::ListClipsRequest, cv1::ListClipsResponse> list;
  list.Ask(*control_);
  EXPECT_TRUE(list.status.get().ok());
  Asked<cv1::ListStreamsRequest, cv1::ListStreamsResponse> streams;
  streams.Ask(*control_);
  EXPECT_TRUE(streams.status.get().ok());
  EXPECT_EQ(streams.response.streams_size(), 1);
  EXPECT_FALSE(put.answered());
  go_on_.set_value();
  EXPECT_EQ(put.status.get(), absl::OkStatus());
  EXPECT_EQ(put.thread, reader);
  EXPECT_EQ(put.response.clip().name(), "long");
  EXPECT_NEAR(put.response.clip().duration_s(), 290, 1);
}

TEST_F(ClipIntakeTest, ErrorsAreThoseOfTheCaller) {
  AskedPut none("none");
  none.request.set_data("no clip at all");
  none.Ask(*control_);
  EXPECT_EQ(none.status.get().code(), absl::StatusCode::kInvalidArgument);
  AskedPut nameless("");
  nameless.Ask(*control_);
  EXPECT_EQ(nameless.status.get().code(), absl::StatusCode::kInvalidArgument);
  AskedPut kind("kind");
  kind.request.set_kind("dance");
  kind.Ask(*control_);
  const absl::Status status = kind.status.get();
  EXPECT_THAT(std::string(status.message()), HasSubstr("facial_gesture"));
  AskedPut right("right");
  right.Ask(*control_);
  EXPECT_TRUE(right.status.get().ok());
  EXPECT_FALSE(right.response.replaced());
}

TEST_F(ClipIntakeTest, SoManyWaitAndThoseAreRejectedAtTheEnd) {
  HoldPuts();
  AskedPut first("first");
  first.Ask(*control_);
  held_.get_future().wait();
  std::vector<std::unique_ptr<AskedPut>> waiting;
  for (size_t i = 0; i < ClipIntake::kMostWaiting; ++i) {
    waiting.push_back(std::make_unique<AskedPut>(absl::StrCat("w", i)));
    waiting.back()->Ask(*control_);
    EXPECT_FALSE(waiting.back()->answered());
  }
  AskedPut more("more");
  more.Ask(*control_);
  ASSERT_TRUE(more.answered());
  EXPECT_EQ(more.status.get().code(), absl::StatusCode::kResourceExhausted);
  control_->CloseIntake();
  AskedPut late("late");
  late.Ask(*control_);
  ASSERT_TRUE(late.answered());
  EXPECT_EQ(late.status.get().code(), absl::StatusCode::kUnavailable);
  go_on_.set_value();
  EXPECT_TRUE(first.status.get().ok());  // it was in already
  for (const auto& put : waiting) {
    EXPECT_EQ(put->status.get().code(), absl::StatusCode::kUnavailable);
  }
  EXPECT_EQ(store_->clips().size(), 1u);
}

TEST_F(ClipIntakeTest, AClipThatIsReadWhenTheServerStopsIsNotTakenUp) {
  const std::atomic<bool> stopped = true;
  const auto put = store_->PutClip("a", RecordingOfLength(1), "", false, &stopped);
  EXPECT_EQ(put.status().code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(store_->clips().empty());
}

}  // namespace
}  // namespace posewire::anim_graph
