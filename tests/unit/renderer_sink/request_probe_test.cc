#include "services/renderer_sink/grpc/request_probe.h"

#include <google/protobuf/text_format.h>

#include "gtest/gtest.h"

namespace posewire::renderer_sink {
namespace {

bool Playing(const std::string& streams, const std::string& stream_id, const std::string& target) {
  control::v1::ListStreamsResponse response;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(streams, &response));
  return IsPlaying(response, {"", stream_id, target});
}

constexpr char kStreams[] = R"(
  streams { stream_id: "idle" avatars { target_object_id: "" } }
  streams {
    stream_id: "stage"
    avatars { target_object_id: "anna" requests { request_id: "r1" state: "queued" } }
    avatars { target_object_id: "ben" requests { request_id: "r2" state: "blending out" } }
  })";

TEST(IsPlaying, LooksAtTheAvatarOfThePull) {
  EXPECT_FALSE(Playing(kStreams, "idle", ""));
  EXPECT_FALSE(Playing(kStreams, "nobody", ""));
  EXPECT_TRUE(Playing(kStreams, "stage", "ben"));
  EXPECT_FALSE(Playing(kStreams, "stage", "anna"));
  EXPECT_FALSE(Playing(kStreams, "stage", "cleo"));
}

TEST(IsPlaying, NoTargetIsTheFirstAvatar) { EXPECT_FALSE(Playing(kStreams, "stage", "")); }

TEST(IsPlaying, ARequestThatWaitsDoesNotCount) {
  const auto with = [](const std::string& state) {
    return Playing("streams { stream_id: 's' avatars { requests { state: '" + state + "' } } }",
                   "s", "");
  };
  EXPECT_TRUE(with("playing"));
  EXPECT_TRUE(with("starved"));
  EXPECT_TRUE(with("blending out"));
  EXPECT_FALSE(with("queued"));
  EXPECT_FALSE(with("prebuffering"));
}

TEST(AvatarsOf, ListsThoseOfTheStreamWithTheirPlaces) {
  control::v1::ListStreamsResponse response;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(kStreams, &response));
  auto* const ben = response.mutable_streams(1)->mutable_avatars(1);
  ben->set_x_m(1.5);
  ben->set_turn_deg(90);
  const std::vector<AvatarThere> stage = AvatarsOf(response, "stage");
  ASSERT_EQ(stage.size(), 2u);
  EXPECT_EQ(stage[0].target, "anna");
  EXPECT_EQ(stage[1].target, "ben");
  EXPECT_EQ(stage[1].place, (asset::GroundPlace{1.5f, 0, 90}));
  EXPECT_TRUE(AvatarsOf(response, "nobody").empty());
}

TEST(RequestProbe, SaysWhenNobodyAnswers) {
  client::ConnectionOptions nobody;
  nobody.address = "unix:/nowhere/there";
  RequestProbe probe(nobody);
  EXPECT_EQ(probe.Playing({}).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace posewire::renderer_sink
