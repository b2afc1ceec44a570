#include "services/anim_graph/runtime/stream_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/anim_graph/bell_waiter.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

using ::testing::HasSubstr;

struct Answer {
  std::vector<std::string> ids;
  const void* list;  // the same for those who share one
};

class StreamListsTest : public ::testing::Test {
 protected:
  ~StreamListsTest() override { workers_.Stop(); }

  void Start() {
    for (Worker* worker : workers_.all()) worker->Start(std::make_unique<BellWaiter>());
  }
  // Returns when it is there.
  void MakeStream(const std::string& id) {
    std::promise<absl::Status> made;
    workers_.For(id).Post(
        [&](Engine& engine, Now now) { made.set_value(engine.RegisterStream(id, "", now)); });
    EXPECT_TRUE(made.get_future().get().ok());
  }
  std::future<Answer> Ask() {
    auto promise = std::make_shared<std::promise<Answer>>();
    auto answer = promise->get_future();
    lists_.Ask([promise = std::move(promise)](const absl::StatusOr<StreamLists::List>& list) {
      Answer out{{}, &*list};
      for (const auto& info : *list) out.ids.push_back(info.stream_id);
      promise->set_value(std::move(out));
    });
    return answer;
  }

  const Harness harness_;
  std::ostringstream log_;
  const service::Logger logger_{"test", {}, log_};
  Workers workers_{3, harness_.parts, logger_};
  StreamLists lists_{&workers_, logger_};
};

TEST_F(StreamListsTest, HaveEachStreamOfEachWorkerOnce) {
  Start();
  EXPECT_TRUE(Ask().get().ids.empty());
  std::set<std::string> made;
  for (int i = 0; i < 700; ++i) {
    made.insert(absl::StrCat("s", i));
    MakeStream(absl::StrCat("s", i));
  }
  const Answer all = Ask().get();
  EXPECT_EQ(all.ids.size(), 700u);
  EXPECT_EQ(std::set<std::string>(all.ids.begin(), all.ids.end()), made);
}

TEST_F(StreamListsTest, AreSharedByThoseWhoAskMeanwhileAndHaveWhatWasMadeBefore) {
  Start();
  std::promise<void> asked, go_on;
  lists_.Ask([&](const auto& list) {
    EXPECT_TRUE(list->empty());
    asked.set_value();
    go_on.get_future().wait();
  });
  asked.get_future().wait();
  auto early = Ask();
  MakeStream("new");
  auto late = Ask();
  go_on.set_value();
  const Answer shared = late.get();
  EXPECT_EQ(shared.ids, std::vector<std::string>{"new"});
  EXPECT_EQ(early.get().list, shared.list);
}

TEST_F(StreamListsTest, GoOnAfterAFaultOfOneWhoAsked) {
  // Nobody is served before the workers run: the two share a list.
  lists_.Ask([](const auto&) { throw std::runtime_error("bad caller"); });
  auto beside = Ask();
  Start();
  EXPECT_TRUE(beside.get().ids.empty());
  EXPECT_TRUE(Ask().get().ids.empty());
  EXPECT_THAT(log_.str(), HasSubstr("list: std::runtime_error: bad caller"));
}

TEST_F(StreamListsTest, DropThoseWhoWaitWhenTheWorkersHaveStopped) {
  Start();
  workers_.Stop();
  auto never = std::make_shared<int>();
  lists_.Ask([never](const auto&) { FAIL(); });
}

}  // namespace
}  // namespace posewire::anim_graph
