#include "services/anim_graph/core/streams.h"

#include <gtest/gtest.h>

#include "libs/wire/source_binding.h"
#include "tests/unit/anim_graph/engine_harness.h"

namespace posewire::anim_graph {
namespace {

class StreamsTest : public ::testing::Test {
 protected:
  StreamsTest() : h(Settings()) {}
  static HarnessSettings Settings() {
    HarnessSettings settings = Harness::Passthrough();
    settings.max_streams = 2;
    settings.max_avatars = 2;
    settings.idle_avatar_s = 10;
    settings.remember_s = 100;
    return settings;
  }
  Stream& Make(const std::string& id) { return **streams.FindOrMake(id, Now()); }
  Request& Begin(Stream& stream, const std::string& id) {
    StreamAvatar& avatar = **streams.FindOrMakeAvatar(stream, "", h.now);
    auto binding = wire::SourceBinding::Make(Harness::Header(id), h.rig, *h.parts.catalog, {});
    auto playback =
        std::make_unique<Playback>(streams.NewId(), Harness::Header(id), *std::move(binding),
                                   SourceSettings{}, *h.parts.settings, h.rig);
    Playback& made = *playback;
    EXPECT_TRUE(avatar.avatar.Add(std::move(playback)).ok());
    return streams.Add(id, avatar, made);
  }
  void Over(Request& request, Ending ending) {
    request.ending = ending;
    request.playback->End(ending, 0);
    Avatar& avatar = request.avatar->avatar;
    streams.RequestOver(request, 1);
    avatar.Sweep();
  }

  Harness h;
  TickScratch scratch{*h.parts.settings, h.rig->joints(), h.rig->shapes()};
  TickScheduler<StreamAvatar> scheduler{0, {30, 1}, 1};
  Streams streams{&h.parts, &scratch, &scheduler};
};

TEST_F(StreamsTest, StayWithinTheLimitsOfTheProcess) {
  Make("a");
  Make("b");
  EXPECT_EQ(streams.FindOrMake("c", Now()).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(&Make("a"), streams.Find("a"));
  EXPECT_EQ(streams.FindOrMake("c", Now(), false).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(streams.FindOrMakeAvatar(Make("a"), "x", h.now).ok());
  ASSERT_TRUE(streams.FindOrMakeAvatar(Make("a"), "y", h.now).ok());
  EXPECT_EQ(streams.FindOrMakeAvatar(Make("b"), "x", h.now).status().code(),
            absl::StatusCode::kResourceExhausted);
  streams.Remove(Make("a"));
  EXPECT_EQ(h.parts.capacity->streams.used(), 1);
  EXPECT_EQ(h.parts.capacity->avatars.used(), 0);
}

TEST_F(StreamsTest, ARequestThatIsOverIsKnownByItsEndAlone) {
  Stream& stream = Make("s");
  Request& request = Begin(stream, "r");
  EXPECT_EQ(stream.FindRequest("r"), &request);
  EXPECT_EQ(stream.FindPlaying(request.playback->id()), &request);
  Over(request, Ending::kStopped);
  EXPECT_EQ(stream.FindRequest("r"), nullptr);
  ASSERT_NE(stream.ended.Find("r"), nullptr);
  EXPECT_EQ(stream.ended.Find("r")->ending, Ending::kStopped);
  EXPECT_EQ(stream.ended.Find("r")->epoch_s, stream.avatars.at(0)->epoch_s);
}

TEST_F(StreamsTest, ARequestStaysWhileItIsPushedThoughItIsOver) {
  Stream& stream = Make("s");
  Request& request = Begin(stream, "r");
  FakePeer peer;
  request.push = Request::Push{7, &peer, 0};
  Over(request, Ending::kEnded);
  EXPECT_EQ(stream.FindRequest("r"), &request);
  streams.PushClosed(request);
  EXPECT_EQ(stream.FindRequest("r"), nullptr);
  EXPECT_NE(stream.ended.Find("r"), nullptr);
}

TEST_F(StreamsTest, TheNewestRequestOfAnIdIsTheOneThatIsRemembered) {
  Stream& stream = Make("s");
  Request& first = Begin(stream, "r");
  Request& second = Begin(stream, "r");
  EXPECT_EQ(stream.FindRequest("r"), &second);
  Over(second, Ending::kInterrupted);
  EXPECT_EQ(stream.FindRequest("r"), nullptr);
  Over(first, Ending::kEnded);
  EXPECT_TRUE(stream.requests.empty());
  EXPECT_EQ(stream.ended.Find("r")->ending, Ending::kInterrupted);
}

TEST_F(StreamsTest, AnUnusedStreamIsRemovedAfterItsRequestsAreForgotten) {
  Over(Begin(Make("s"), "r"), Ending::kEnded);
  Make("t");
  streams.RemoveUnused(9);
  EXPECT_EQ(h.parts.capacity->avatars.used(), 1);
  streams.RemoveUnused(20);
  EXPECT_EQ(h.parts.capacity->avatars.used(), 0);
  EXPECT_EQ(h.parts.capacity->streams.used(), 0);
  ASSERT_NE(streams.Find("s"), nullptr);
  EXPECT_TRUE(streams.Find("s")->resting);
  EXPECT_EQ(streams.Find("t"), nullptr);
  EXPECT_FALSE(Make("s").resting) << "it is used again";
  EXPECT_EQ(h.parts.capacity->streams.used(), 1);
  streams.RemoveUnused(200);
  EXPECT_EQ(streams.Find("s"), nullptr);
}

}  // namespace
}  // namespace posewire::anim_graph
