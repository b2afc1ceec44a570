#include "services/renderer_sink/view/viewers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/service/access/token_table.h"

namespace posewire::renderer_sink {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// A viewer that reads nothing: its backlog grows by what it is sent, and is as told.
struct FakeViewer {
  explicit FakeViewer(uint64_t id, const std::string& token = "")
      : socket(std::make_shared<service::WebSocket>(
            id, RequestWith(token),
            service::WebSocket::Wires{
                .send =
                    [this](std::shared_ptr<const std::string> bytes, bool is_text) {
                      backlog += bytes->size();
                      (is_text ? texts : frames).push_back(std::move(bytes));
                      return true;
                    },
                .queued_bytes = [this] { return backlog; },
                .close = [this](int code, const std::string&) { closed = code; }})) {}

  std::vector<std::string> Texts() const {
    std::vector<std::string> copies;
    for (const auto& text : texts) copies.push_back(*text);
    return copies;
  }

  static service::HttpRequest RequestWith(const std::string& token) {
    service::HttpRequest request;
    request.headers = {{"authorization", "Bearer " + token}};
    return request;
  }

  size_t backlog = 0;
  int closed = 0;  // with this code
  std::vector<std::shared_ptr<const std::string>> texts, frames;
  std::shared_ptr<service::WebSocket> socket;
};

ViewFrame SmallFrame(bool voiced) {
  return {std::make_shared<const std::string>("whole"),
          voiced ? std::make_shared<const std::string>("voice") : nullptr};
}

// Each token may do what its set names, as "pull a".
class FakeRights : public stream::Authorizer {
 public:
  absl::StatusOr<std::string> Check(const stream::Caller& caller, absl::string_view stream_id,
                                    stream::Permission permission) const override {
    const auto found = rights.find(*caller.token);
    if (found == rights.end()) return absl::UnauthenticatedError("unknown");
    const char* const does = permission == stream::Permission::kPull ? "pull" : "watch";
    if (stream_id.empty() || found->second.count(absl::StrCat(does, " ", stream_id)) > 0) {
      return "name";
    }
    return absl::PermissionDeniedError("not this");
  }
  std::map<stream::TokenHash, std::set<std::string>> rights;
};

TEST(Viewers, GetWhatTheirTokensMaySeeAndEndWithThem) {
  const auto rights = std::make_shared<FakeRights>();
  auto& of_a = rights->rights[service::HashOf("a")];
  of_a = {"pull a", "watch b"};
  rights->rights[service::HashOf("both")] = {"pull a", "pull b", "watch a", "watch b"};
  Login login({.authorizer = rights}, {}, service::Logger());
  Viewers viewers([](const auto&, const auto&) {}, &login);
  viewers.Post("0", {"[", "", stream::Permission::kPull, {{"a", "1"}, {"b", "2"}}, "]"});
  viewers.Post("1", Viewers::Text{"of b", "b"});
  viewers.PostEvent("event of a", "a");
  viewers.PostEvent("event of b", "b");
  FakeViewer a(1, "a"), both(2, "both"), stranger(3, "nobody");
  for (FakeViewer* viewer : {&a, &both, &stranger}) viewers.OnOpen(viewer->socket);
  constexpr char kPresent[] = R"({"type":"present"})";
  EXPECT_THAT(a.Texts(), ElementsAre("[1]", "event of b", kPresent));
  EXPECT_THAT(both.Texts(), ElementsAre("[1,2]", "of b", "event of a", "event of b", kPresent));
  EXPECT_THAT(stranger.texts, SizeIs(0));
  EXPECT_EQ(stranger.closed, 1008);
  viewers.SendFrame(SmallFrame(false), "a");
  viewers.SendFrame(SmallFrame(false), "b");
  viewers.WantOffsets(*a.socket, 1);
  viewers.SendOffsets(1, std::make_shared<const std::string>("offsets"), "b");
  EXPECT_THAT(a.frames, SizeIs(1));
  EXPECT_THAT(both.frames, SizeIs(2));
  viewers.CheckRights();
  EXPECT_EQ(a.closed, 0);
  of_a.insert("pull b");
  viewers.CheckRights();
  EXPECT_EQ(a.closed, 1012);
  rights->rights.erase(service::HashOf("a"));
  viewers.CheckRights();
  EXPECT_EQ(a.closed, 1008);
  EXPECT_EQ(both.closed, 0);
}

TEST(Viewers, TellsNewcomersTheNewestOfEachSlotAndThenTheEvents) {
  Viewers viewers([](const auto&, const auto&) {});
  viewers.Post("b", "b1");
  viewers.Post("a", "a1");
  viewers.Post("b", "b2");
  viewers.PostEvent("e1");
  FakeViewer viewer(1);
  viewers.OnOpen(viewer.socket);
  constexpr char kPresent[] = R"({"type":"present"})";
  EXPECT_THAT(viewer.Texts(), ElementsAre("a1", "b2", "e1", kPresent));
  viewers.PostEvent("e2");
  EXPECT_THAT(viewer.Texts(), ElementsAre("a1", "b2", "e1", kPresent, "e2"));
}

TEST(Viewers, KeepsTheNewestEvents) {
  Viewers viewers([](const auto&, const auto&) {});
  for (size_t i = 0; i < Viewers::kEvents + 10; ++i) viewers.PostEvent(std::to_string(i));
  FakeViewer viewer(1);
  viewers.OnOpen(viewer.socket);
  ASSERT_THAT(viewer.texts, SizeIs(Viewers::kEvents + 1));
  EXPECT_EQ(*viewer.texts.front(), "10");
}

TEST(Viewers, SharesOneFrameAndSparesThoseThatAreBehind) {
  Viewers viewers([](const auto&, const auto&) {});
  FakeViewer quick(1), slow(2);
  viewers.OnOpen(quick.socket);
  viewers.OnOpen(slow.socket);
  viewers.SendFrame(SmallFrame(true));
  EXPECT_EQ(quick.frames[0].get(), slow.frames[0].get());
  slow.backlog = Viewers::kPoseBacklog_bytes + 1;
  viewers.SendFrame(SmallFrame(true));
  viewers.SendFrame(SmallFrame(false));
  slow.backlog = 0;
  viewers.SendFrame(SmallFrame(true));
  ASSERT_THAT(quick.frames, SizeIs(4));
  ASSERT_THAT(slow.frames, SizeIs(3));
  EXPECT_EQ(*slow.frames[1], "voice");
  EXPECT_EQ(*slow.frames[2], "whole");
  EXPECT_EQ(viewers.poses_dropped(), 2);
}

TEST(Viewers, OffsetsGoToWhoAsksAndAreTheFirstThatASlowOneGetsNoMore) {
  Viewers viewers([](const auto&, const auto&) {});
  FakeViewer asks(1), other(2), slow(3);
  for (FakeViewer* viewer : {&asks, &other, &slow}) viewers.OnOpen(viewer->socket);
  EXPECT_FALSE(viewers.WantsOffsets(4));
  viewers.WantOffsets(*asks.socket, 4);
  viewers.WantOffsets(*slow.socket, 4);
  EXPECT_TRUE(viewers.WantsOffsets(4));
  EXPECT_FALSE(viewers.WantsOffsets(3));
  slow.backlog = Viewers::kOffsetsBacklog_bytes + 1;
  viewers.SendOffsets(4, std::make_shared<const std::string>("offsets"));
  viewers.SendOffsets(3, std::make_shared<const std::string>("of somebody else"));
  viewers.SendFrame(SmallFrame(false));
  ASSERT_THAT(asks.frames, SizeIs(2));
  EXPECT_EQ(*asks.frames[0], "offsets");
  EXPECT_THAT(other.frames, SizeIs(1));
  EXPECT_THAT(slow.frames, SizeIs(1));
  EXPECT_EQ(viewers.offsets_dropped(), 1);
  EXPECT_EQ(viewers.poses_dropped(), 0);
  viewers.WantOffsets(*asks.socket, -1);
  viewers.OnClose(slow.socket);
  EXPECT_FALSE(viewers.WantsOffsets(4));
}

// However large they are: whoever does not read gets no more of them, and the poses go on.
TEST(Viewers, OffsetsTakeNoRoomFromPoses) {
  Viewers viewers([](const auto&, const auto&) {});
  FakeViewer viewer(1);
  viewers.OnOpen(viewer.socket);
  viewers.WantOffsets(*viewer.socket, 0);
  const auto offsets = std::make_shared<const std::string>(250000, 'o');
  const ViewFrame frame{std::make_shared<const std::string>(2000, 'f'), nullptr};
  for (int k = 0; k < 40; ++k) {
    viewers.SendOffsets(0, offsets);
    viewers.SendFrame(frame);
  }
  EXPECT_THAT(viewer.frames, SizeIs(41));
  EXPECT_EQ(viewers.offsets_dropped(), 39);
  EXPECT_EQ(viewers.poses_dropped(), 0);
  for (int k = 0; k < 40; ++k) viewers.SendFrame(frame);
  EXPECT_EQ(viewers.poses_dropped(), 30) << "50 frames are the bound";
  // It reads; poses have the bound for themselves again.
  viewer.backlog = Viewers::kPoseBacklog_bytes + 1;
  viewers.SendFrame(frame);
  EXPECT_EQ(viewers.poses_dropped(), 31);
}

TEST(Viewers, ForgetsThoseThatLeave) {
  Viewers viewers([](const auto&, const auto&) {});
  FakeViewer viewer(1);
  EXPECT_TRUE(viewers.empty());
  viewers.OnOpen(viewer.socket);
  EXPECT_EQ(viewers.count(), 1);
  viewers.OnClose(viewer.socket);
  EXPECT_TRUE(viewers.empty());
  viewers.SendFrame(SmallFrame(true));
  EXPECT_THAT(viewer.frames, SizeIs(0));
}

TEST(Viewers, HandsOnWhatIsSaidAsText) {
  std::vector<std::string> heard;
  Viewers viewers([&](const auto&, const std::string& text) { heard.push_back(text); });
  FakeViewer viewer(1);
  viewers.OnOpen(viewer.socket);
  viewers.OnMessage(viewer.socket, "call", true);
  viewers.OnMessage(viewer.socket, "bytes", false);
  EXPECT_THAT(heard, ElementsAre("call"));
}

}  // namespace
}  // namespace posewire::renderer_sink
