#include "services/renderer_sink/stream/film_target.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace posewire::renderer_sink {
namespace {

TEST(FilmTarget, KnowsAFileFromAnAddressAndRejectsTheRest) {
  EXPECT_EQ(ParseFilmTarget("take.mp4")->kind, FilmTarget::kFile);
  EXPECT_EQ(ParseFilmTarget("12:30.MP4")->kind, FilmTarget::kFile);
  EXPECT_EQ(ParseFilmTarget("rtp://127.0.0.1:5004")->kind, FilmTarget::kRtp);
  EXPECT_EQ(ParseFilmTarget("rtp://[::1]:5004")->kind, FilmTarget::kRtp);
  EXPECT_EQ(ParseFilmTarget("rtmp://host/live/key")->kind, FilmTarget::kRtmp);
  EXPECT_EQ(ParseFilmTarget("srt://host:9000?latency=1")->kind, FilmTarget::kSrt);
  for (const char* text : {"", "take.avi", "http://host/x.mp4", "rtp://host", "rtp://host:0",
                           "rtp://host:65533", "rtp://host:5004?ttl=1", "rtp://:5004", "-i"}) {
    EXPECT_FALSE(ParseFilmTarget(text).ok()) << text;
  }
}

TEST(FilmTarget, ShowsNoSecret) {
  const auto shown = [](const char* text) { return ParseFilmTarget(text)->Shown(); };
  EXPECT_EQ(shown("rtmp://me:word@host:1935/live/key"), "rtmp://host:1935/...");
  EXPECT_EQ(shown("srt://host:9000?passphrase=word"), "srt://host:9000/...");
  EXPECT_EQ(shown("srt://host:9000"), "srt://host:9000");
  EXPECT_EQ(shown("rtp://host:5004"), "rtp://host:5004");
  EXPECT_EQ(shown("a@b/take.mp4"), "a@b/take.mp4");
}

TEST(FilmTarget, ByRtpTheVoiceHasAPortAndTheSdpFileANameOfItsOwn) {
  const std::vector<std::string> words =
      FilmArguments(*ParseFilmTarget("rtp://[::1]:5004"),
                    {.rate = {30000, 1001}, .sdp = "a:b.sdp", .begin_s = 2});
  const auto has = [&](const std::string& word) {
    return std::count(words.begin(), words.end(), word);
  };
  EXPECT_EQ(has("rtp://[::1]:5004?pkt_size=1200"), 1);
  EXPECT_EQ(has("rtp://[::1]:5006?pkt_size=1200"), 1);
  EXPECT_EQ(has("file:a:b.sdp"), 1);
  EXPECT_EQ(has("30000/1001"), 1);
  EXPECT_EQ(has("2000000"), 2) << "both count from the same moment";
}

}  // namespace
}  // namespace posewire::renderer_sink
