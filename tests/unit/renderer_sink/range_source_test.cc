#include "services/renderer_sink/draw/range_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "libs/offsets/offsets_file.h"
#include "libs/offsets/offsets_stream.h"
#include "tests/unit/offsets/moving_points.h"
#include "tests/unit/renderer_sink/file_server.h"

namespace posewire::renderer_sink {
namespace {

using testing::HasSubstr;

const std::string& Digits() {
  static const auto* const digits = new std::string("0123456789");
  return *digits;
}

TEST(RangeSource, ReadsRangesOnOneConnection) {
  FileServer server(Digits());
  const auto source = *MakeRangeSource(server.Url());
  EXPECT_EQ(source->Size(), 0);
  const auto read = files::ReadBytes(*source, 3, 4);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, "3456");
  EXPECT_EQ(source->Size(), 10);
  EXPECT_EQ(*files::ReadBytes(*source, 8, 100), "89");
  EXPECT_THAT(server.last_request, HasSubstr("GET /a.offsets?x=1 HTTP/1.1"));
  EXPECT_THAT(server.last_request, HasSubstr("Range: bytes=8-107"));
  EXPECT_EQ(server.connections, 1);
  const auto past = files::ReadBytes(*source, 10, 4);
  ASSERT_TRUE(past.ok()) << past.status();
  EXPECT_EQ(*past, "");
  EXPECT_EQ(source->Size(), 10);
}

TEST(RangeSource, ConnectsAgainWhenTheServerHasClosed) {
  FileServer server(Digits());
  server.closes = true;
  const auto source = *MakeRangeSource(server.Url());
  for (int k = 0; k < 3; ++k) EXPECT_EQ(*files::ReadBytes(*source, 2, 2), "23");
  EXPECT_EQ(server.connections, 3);
}

TEST(RangeSource, SaysWhatIsWrong) {
  FileServer server(Digits());
  const auto source = *MakeRangeSource(server.Url(), {.deadline_s = 0.2});
  const auto rejection = [&](FileServer::Way way) {
    server.way = way;
    return files::ReadBytes(*source, 2, 4).status();
  };
  EXPECT_THAT(std::string(rejection(FileServer::Way::kWhole).message()),
              HasSubstr("answers 200 with the whole file, expected 206: its server does not"));
  EXPECT_EQ(rejection(FileServer::Way::kOtherRange).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(rejection(FileServer::Way::kCutOff).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(rejection(FileServer::Way::kSilent).code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(rejection(FileServer::Way::kMissing).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(rejection(FileServer::Way::kBroken).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(rejection(FileServer::Way::kRanges).code(), absl::StatusCode::kOk);
}

TEST(RangeSource, RejectsWhatIsNoUrlOfHttp) {
  for (const char* url : {"ftp://a/b", "a.offsets", "http://", "http:///x", "http://a:0/",
                          "http://a:b/", "http://u@a/", "http://a/b c", "http://a/\r\nX: y"}) {
    EXPECT_EQ(MakeRangeSource(url).status().code(), absl::StatusCode::kInvalidArgument) << url;
  }
  EXPECT_TRUE(MakeRangeSource("http://[::1]:80/x").ok());
  EXPECT_TRUE(MakeRangeSource("http://a?x").ok());
  EXPECT_TRUE(MakeRangeSource("https://a/b").ok());
}

TEST(RangeSource, FollowsThreeRedirectsAndNoneToAnotherScheme) {
  FileServer server(Digits());
  server.way = FileServer::Way::kElsewhere;
  server.location = "/b.offsets";
  const auto source = *MakeRangeSource(server.Url());
  server.redirects = 3;
  const auto read = files::ReadBytes(*source, 3, 4);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, "3456");
  EXPECT_THAT(server.last_request, HasSubstr("GET /b.offsets HTTP/1.1"));
  EXPECT_THAT(server.last_request, HasSubstr("Range: bytes=3-6"));
  server.redirects = 4;
  EXPECT_THAT(std::string(files::ReadBytes(*source, 3, 4).status().message()),
              HasSubstr("redirects too often"));
  server.redirects = 1;
  server.location = "https://127.0.0.1:1/b.offsets";
  EXPECT_THAT(std::string(files::ReadBytes(*source, 3, 4).status().message()),
              HasSubstr("redirects to another scheme"));
}

TEST(RangeSource, StopsAReadOfASilentServer) {
  FileServer server(Digits());
  server.way = FileServer::Way::kSilent;
  const auto source = *MakeRangeSource(server.Url(), {.deadline_s = 3600});
  absl::Status end;
  std::thread reader([&] { end = files::ReadBytes(*source, 3, 4).status(); });
  while (server.requests == 0) std::this_thread::yield();
  source->Stop();
  reader.join();
  EXPECT_EQ(end.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(files::ReadBytes(*source, 3, 4).status().code(), absl::StatusCode::kCancelled);
}

TEST(RangeSource, DoesNotKeepAStreamFromEnding) {
  FileServer server(Digits());
  server.way = FileServer::Way::kSilent;
  offsets::OffsetsStream stream({}, 2);
  stream.AddClip(*MakeRangeSource(server.Url(), {.deadline_s = 3600}), {40, 0, 0});
  stream.Update(0);
  while (server.requests == 0) std::this_thread::yield();
}

TEST(RangeSource, StreamsOffsetsFromAServer) {
  offsets::OffsetsHeader header;
  header.points = 40;
  header.frames = 600;
  const auto values = offsets::MovingPoints(40, 600);
  FileServer server(*offsets::WriteOffsets(header, {}, values));
  offsets::OffsetsStream stream({}, 1);
  const int clip = stream.AddClip(*MakeRangeSource(server.Url()), {40, 0, 0});
  const int character = stream.AddCharacter();
  std::vector<skel::Vec3> out(40);
  double now_s = 0;
  for (size_t f = 0; f < 600; ++f) {
    float factor = 0;
    do {
      stream.Update(now_s += 1.0 / 60);
      factor = stream.At(character, clip, f, absl::MakeSpan(out));
      if (factor < 1) std::this_thread::yield();
    } while (factor < 1 && now_s < 1e5);
    ASSERT_EQ(factor, 1) << f << ": " << stream.clip_status(clip);
    ASSERT_EQ(out[1].y, values[f * 40 + 1].y) << f;
  }
  EXPECT_EQ(server.requests, 5);  // head, index, and each chunk once
}

}  // namespace
}  // namespace posewire::renderer_sink
