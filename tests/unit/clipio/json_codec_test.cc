#include "libs/recording/json_codec.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/message_differencer.h>
#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>

#include <random>

#include "absl/strings/str_cat.h"
#include "libs/recording/json_splitter.h"
#include "nvidia_ace.emotion_aggregate.v1.pb.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using google::protobuf::util::MessageDifferencer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ace::AnimationDataStream Everything() {
  ace::AnimationDataStream m = wire::Audio(0.1, std::string("\0\x01\xff\xfe", 4));
  wire::AddWeights(0.1, {0.1f, 1e-30f}, &m);
  wire::AddRotations(1.0 / 3, {{1, 0, 0, 0}, {0.6f, -0.8f, 0, 0}}, &m);
  m.mutable_animation_data()->mutable_camera()->add_focal_length()->set_value(35);
  auto& metadata = *m.mutable_animation_data()->mutable_metadata();
  nvidia_ace::emotion_aggregate::v1::EmotionAggregate emotions;
  (*emotions.add_a2e_output()->mutable_emotion())["joy"] = 0.5f;
  metadata["emotion_aggregate"].PackFrom(emotions);
  google::protobuf::StringValue text;
  text.set_value("joy \"quoted\"\n\xc3\xa4");
  metadata["text"].PackFrom(text);
  metadata["unknown \"key\"\n"].set_type_url("type.googleapis.com/nobody.knows.This");
  metadata["unknown \"key\"\n"].set_value(std::string("\0\xff\x80 raw", 7));
  metadata["other host"].set_type_url("example.com/google.protobuf.StringValue");
  metadata["other host"].set_value("\n\x01x");
  metadata["broken"].set_type_url("type.googleapis.com/google.protobuf.StringValue");
  metadata["broken"].set_value("\xff\xff");
  metadata["empty"];
  return m;
}

// Any's are compared as bytes, whatever they hold.
bool Same(const ace::AnimationDataStream& a, const ace::AnimationDataStream& b) {
  const google::protobuf::LogSilencer silence;
  ace::AnimationDataStream x = a, y = b;
  const auto& mx = a.animation_data().metadata();
  const auto& my = b.animation_data().metadata();
  if (mx.size() != my.size()) return false;
  for (const auto& [key, any] : mx) {
    const auto it = my.find(key);
    if (it == my.end() || it->second.type_url() != any.type_url() ||
        it->second.value() != any.value()) {
      return false;
    }
  }
  x.mutable_animation_data()->clear_metadata();
  y.mutable_animation_data()->clear_metadata();
  return MessageDifferencer::Equals(x, y);
}

TEST(JsonCodec, EveryMessageSurvivesTheWayThroughJson) {
  const google::protobuf::LogSilencer silence;
  ace::AnimationDataStream status;
  status.mutable_status()->set_code(nvidia_ace::status::v1::Status::ERROR);
  status.mutable_status()->set_message("\"metadata\"");
  for (const auto& m : {Everything(), wire::SmallHeader(), status, ace::AnimationDataStream()}) {
    const auto json = recording::ToJson(m);
    ASSERT_THAT(json, IsOk());
    EXPECT_EQ(json->find('\n'), std::string::npos);
    const auto back = recording::FromJson(*json);
    ASSERT_THAT(back, IsOk()) << *json;
    EXPECT_TRUE(MessageDifferencer::Equals(m, *back) || Same(m, *back)) << *json;
  }
}

TEST(JsonCodec, UnknownAnysAreBase64AndKnownOnesAreJson) {
  const google::protobuf::LogSilencer silence;
  const std::string json = *recording::ToJson(Everything());
  EXPECT_THAT(
      json,
      HasSubstr(R"({"@type":"type.googleapis.com/nobody.knows.This","@value":"AP+AIHJhdw=="})"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("emotion_aggregate":{"@type":"type.googleapis.com/nvidia_ace.emotion_aggregate.v1.EmotionAggregate","a2eOutput":[{"emotion":{"joy":0.5}}]})"));
  EXPECT_THAT(
      json,
      HasSubstr(
          R"("text":{"@type":"type.googleapis.com/google.protobuf.StringValue","value":"joy \"quoted\"\n)"));
}

// As grpcurl prints by reflection: snake_case, indented, @error beside the bytes.
TEST(JsonCodec, ReadsWhatGrpcurlPrints) {
  const auto m = recording::FromJson(R"({
  "animation_data": {
    "skel_animation": {
      "blend_shape_weights": [
        { "time_code": 0.5, "values": [ 0.25, 1 ] }
      ]
    },
    "audio": { "time_code": 0.5, "audio_buffer": "AAE=" },
    "metadata": {
      "mood": {
        "@error": "x.Mood is not recognized; see @value for raw binary message data",
        "@type": "type.googleapis.com/x.Mood",
        "@value": "CgNqb3k="
      },
      "note": {
        "@type": "type.googleapis.com/google.protobuf.StringValue",
        "value": "hello"
      }
    }
  }
})");
  ASSERT_THAT(m, IsOk());
  EXPECT_THAT(m->animation_data().skel_animation().blend_shape_weights(0).values(),
              ElementsAre(0.25f, 1));
  EXPECT_EQ(m->animation_data().metadata().at("mood").value(), "\n\x03joy");
  google::protobuf::StringValue note;
  ASSERT_TRUE(m->animation_data().metadata().at("note").UnpackTo(&note));
  EXPECT_EQ(note.value(), "hello");
}

TEST(JsonCodec, TakesRawBytesForAKnownTypeToo) {
  const auto m = recording::FromJson(
      R"({"animationData":{"metadata":{"n":{"@type":"type.googleapis.com/google.protobuf.StringValue","@value":"CgFh"}}}})");
  ASSERT_THAT(m, IsOk());
  google::protobuf::StringValue note;
  ASSERT_TRUE(m->animation_data().metadata().at("n").UnpackTo(&note));
  EXPECT_EQ(note.value(), "a");
}

TEST(JsonCodec, RejectsWhatIsNoMessage) {
  EXPECT_THAT(recording::FromJson(R"({"animationData":{"nonsense":1}})"),
              Invalid(HasSubstr("nonsense")));
  EXPECT_THAT(recording::FromJson(R"({"status":{"message":)"), Invalid(HasSubstr("")));
  EXPECT_THAT(recording::FromJson(R"({"animationData":{"metadata":{"n":{"@type":"x.Y","a":1}}}})"),
              Invalid(AllOf(HasSubstr("x.Y"), HasSubstr("not known here"), HasSubstr("@value"))));
  EXPECT_THAT(
      recording::FromJson(R"({"animationData":{"metadata":{"n":{"@type":"x.Y","@value":"*"}}}})"),
      Invalid(HasSubstr("")));
  EXPECT_THAT(
      recording::FromJson(
          R"({"animationData":{"metadata":{"n":{"@type":"x.Y","@value":""},"n":{"@type":"x.Y","@value":""}}}})"),
      Invalid(HasSubstr("is given twice")));
  EXPECT_THAT(recording::FromJson(R"({"animationData":{"metadata":[1,2]}})"),
              Invalid(HasSubstr("")));
  EXPECT_THAT(recording::FromJson(R"({"animationData":{"metadata":{"a"}}})"),
              Invalid(HasSubstr("':'")));
}

TEST(JsonCodec, MutatedJsonNeverCrashes) {
  const google::protobuf::LogSilencer silence;
  const std::string seed = *recording::ToJson(Everything());
  std::mt19937 rng(4);
  int taken = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string s = seed;
    for (int k = 0; k < 2; ++k) {
      const size_t at = rng() % s.size();
      switch (rng() % 3) {
        case 0:
          s[at] = R"({}[]",:\ 0a)"[rng() % 11];
          break;
        case 1:
          s.erase(at, 1 + rng() % 20);
          break;
        default:
          s.insert(at, seed.substr(rng() % seed.size(), rng() % 20));
      }
    }
    taken += recording::FromJson(s).ok();
  }
  EXPECT_GT(taken, 30);
  EXPECT_LT(taken, 2990);
}

std::vector<std::string> Split(recording::JsonSplitter& splitter, const std::string& text,
                               size_t piece) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size(); at += piece) {
    absl::string_view data = absl::string_view(text).substr(at, piece);
    while (!data.empty()) {
      const auto found = splitter.Feed(&data);
      EXPECT_THAT(found, IsOk());
      if (!found.ok()) return out;
      if (*found) out.push_back(splitter.value());
    }
  }
  return out;
}

TEST(JsonSplitter, FindsValuesInPiecesOfAnySize) {
  const std::vector<std::string> values = {R"({})", R"({"a":"}{\"\\"})",
                                           "{\n \"b\": [ {}, [1] ]\n}", R"({"c":"\\\\"})"};
  const std::string text = absl::StrCat("\xef\xbb\xbf \n", values[0], values[1], "\r\n\t",
                                        values[2], "\n", values[3], "\n\n");
  for (size_t piece = 1; piece < text.size() + 2; ++piece) {
    recording::JsonSplitter splitter(1000);
    EXPECT_EQ(Split(splitter, text, piece), values) << piece;
    EXPECT_FALSE(splitter.inside());
    EXPECT_EQ(splitter.line(), 6);
    EXPECT_EQ(splitter.end_of_last(), static_cast<int64_t>(text.size()) - 2);
  }
}

TEST(JsonSplitter, BoundsDepthAndLength) {
  {
    recording::JsonSplitter splitter(1 << 20);
    const std::string deep = absl::StrCat("\n{", std::string(100, '['));
    absl::string_view data = deep;
    EXPECT_THAT(splitter.Feed(&data), Invalid(HasSubstr("line 2: nesting deeper than 100")));
  }
  {
    recording::JsonSplitter splitter(100);
    const std::string longer = absl::StrCat("{\"", std::string(200, 'x'));
    absl::string_view data = longer;
    EXPECT_THAT(splitter.Feed(&data),
                Fails(absl::StatusCode::kResourceExhausted, HasSubstr("more than 100 bytes")));
  }
}

TEST(JsonSplitter, RejectsTextBetweenObjects) {
  for (const char* text : {"x", "{}\n\n]", "{},{}", "[{}]", "\xef{}", "null"}) {
    recording::JsonSplitter splitter(1000);
    absl::string_view data = text;
    absl::StatusOr<bool> found = true;
    while (found.ok() && !data.empty()) found = splitter.Feed(&data);
    EXPECT_THAT(found, Invalid(HasSubstr("must begin with '{'"))) << text;
  }
}

}  // namespace
}  // namespace posewire::clipio
