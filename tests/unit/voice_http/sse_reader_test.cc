#include "libs/voice_http/sse_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "libs/voice_http/heard.h"
#include "libs/voice_http/json_splitter.h"

namespace posewire::voice_http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename OnData>
absl::Status Feed(absl::string_view bytes, size_t step, SseReader& reader, OnData on_data) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    if (absl::Status s = reader.Add(bytes.substr(0, step), on_data); !s.ok()) return s;
  }
  return reader.Finish(on_data);
}

std::vector<std::string> Events(absl::string_view bytes, size_t step = 1 << 20) {
  SseReader reader;
  std::vector<std::string> events;
  const absl::Status s = Feed(bytes, step, reader, [&](absl::string_view data) {
    events.emplace_back(data);
    return absl::OkStatus();
  });
  EXPECT_TRUE(s.ok()) << s;
  return events;
}

TEST(SseReader, AnySplitAndEachLineEndGiveTheSameEvents) {
  for (const char* text :
       {"\xEF\xBB\xBF"
        "data: a\nid: 1\ndata:b\n\n: comment\n\nevent: x\ndata\n\ndata: c",
        "\xEF\xBB\xBF"
        "data: a\r\nid: 1\r\ndata:b\r\n\r\n: comment\r\n\r\nevent: x\r\ndata\r\n\r\ndata: c",
        "\xEF\xBB\xBF"
        "data: a\rid: 1\rdata:b\r\r: comment\r\revent: x\rdata\r\rdata: c"}) {
    for (const size_t step : std::initializer_list<size_t>{1, 2, 3, 5, 1000}) {
      EXPECT_THAT(Events(text, step), ElementsAre("a\nb", "", "c")) << text << step;
    }
  }
}

TEST(SseReader, RemovesOneSpaceAfterTheColon) {
  EXPECT_THAT(Events("data:  a \n\n"), ElementsAre(" a "));
}

TEST(SseReader, RejectsEndlessLinesAndEvents) {
  const auto ignore = [](absl::string_view) { return absl::OkStatus(); };
  SseReader line;
  absl::Status s = line.Add("data: " + std::string(kMostLineBytes, 'x'), ignore);
  EXPECT_EQ(s.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(s.message(), HasSubstr("longer than 1048576 bytes"));
  SseReader event;
  const std::string half = "data: " + std::string(kMostLineBytes / 2, 'x') + "\n";
  EXPECT_TRUE(event.Add(half, ignore).ok());
  EXPECT_EQ(event.Add(half + half, ignore).code(), absl::StatusCode::kDataLoss);
}

TEST(SseReader, PassesTheReceiversErrorOn) {
  SseReader reader;
  EXPECT_EQ(reader.Add("data: a\n\ndata: b\n\n",
                       [](absl::string_view data) {
                         EXPECT_EQ(data, "a");
                         return absl::DataLossError("no");
                       }),
            absl::DataLossError("no"));
}

std::vector<std::string> Objects(absl::string_view bytes, size_t step, absl::Status& status) {
  JsonSplitter splitter;
  std::vector<std::string> objects;
  for (; !bytes.empty() && status.ok(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    status = splitter.Add(bytes.substr(0, step), [&](absl::string_view object) {
      objects.emplace_back(object);
      return absl::OkStatus();
    });
  }
  if (status.ok()) status = splitter.Finish();
  return objects;
}

TEST(JsonSplitter, AnySplitGivesTheSameObjects) {
  for (const size_t step : std::initializer_list<size_t>{1, 2, 3, 7, 1000}) {
    absl::Status s;
    EXPECT_THAT(Objects(" {\"a\":\"}\\\"{\"}\n{\"b\":[{},{\"c\":[]}]}{},\r\n{}", step, s),
                ElementsAre("{\"a\":\"}\\\"{\"}", "{\"b\":[{},{\"c\":[]}]}", "{}", "{}"));
    EXPECT_TRUE(s.ok()) << s;
  }
}

TEST(JsonSplitter, RejectsWhatIsNoStreamOfObjects) {
  for (const auto& [bytes, message] :
       {std::pair("{\"a\":1", "ends within a JSON object"), std::pair("{} oops", "expected at \"o"),
        std::pair("<html>", "not a stream of JSON objects")}) {
    for (const size_t step : std::initializer_list<size_t>{1, 1000}) {
      absl::Status s;
      Objects(bytes, step, s);
      EXPECT_EQ(s.code(), absl::StatusCode::kDataLoss);
      EXPECT_THAT(s.message(), HasSubstr(message));
    }
  }
  absl::Status s;
  Objects("{\"a\":\"" + std::string(kMostObjectBytes, 'x') + "\"}", 100000, s);
  EXPECT_THAT(s.message(), HasSubstr("longer than 8388608 bytes"));
}

}  // namespace
}  // namespace posewire::voice_http
