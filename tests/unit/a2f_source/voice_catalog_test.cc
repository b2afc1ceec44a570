#include "services/a2f_source/voices/voice_catalog.h"

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace posewire::a2f_source {
namespace {

using ::testing::HasSubstr;

VoiceCatalogOptions Options(const std::string& url = "") {
  VoiceCatalogOptions options;
  if (!url.empty()) options.server.emplace().url = url;
  return options;
}

// Nothing listens at port 1.
constexpr char kNowhere[] = "http://127.0.0.1:1";

TEST(VoiceCatalog, HasFliteWithoutAServer) {
  const auto catalog = VoiceCatalog::Open(Options()).value();
  EXPECT_TRUE(catalog->Check("").ok());
  EXPECT_TRUE(catalog->Check("rms").ok());
  EXPECT_THAT(std::string(catalog->Check("bob").message()), HasSubstr("--voice-server"));
  EXPECT_TRUE(catalog->Make("").ok());
  const VoiceCatalog::Listing listing = catalog->List();
  EXPECT_TRUE(listing.server.ok());
  EXPECT_EQ(listing.default_voice, "slt");
  ASSERT_EQ(listing.voices.size(), 3u);
  EXPECT_EQ(listing.voices[0].engine, "flite");
}

TEST(VoiceCatalog, RejectsSettingsThatCannotBeRight) {
  EXPECT_FALSE(VoiceCatalog::Open(Options("ftp://127.0.0.1")).ok());
  VoiceCatalogOptions options;
  options.voice = "bob";
  EXPECT_FALSE(VoiceCatalog::Open(options).ok());
  options = Options("http://192.0.2.1");
  options.server->key = "sk-secret";
  const absl::Status rejected = VoiceCatalog::Open(options).status();
  EXPECT_THAT(std::string(rejected.message()), HasSubstr("https"));
  EXPECT_EQ(std::string(rejected.message()).find("sk-secret"), std::string::npos);
}

TEST(VoiceCatalog, WithAServerAnyShortNameIsAVoice) {
  const auto catalog = VoiceCatalog::Open(Options(kNowhere)).value();
  EXPECT_TRUE(catalog->Check("af_heart").ok());
  EXPECT_THAT(std::string(catalog->Check(std::string(129, 'v')).message()),
              HasSubstr("at most 128"));
  EXPECT_TRUE(catalog->Make("af_heart").ok());
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(catalog->Make(std::to_string(i)).ok());
}

TEST(VoiceCatalog, ListsFliteAndTheFaultWhenTheServerIsAway) {
  const auto catalog = VoiceCatalog::Open(Options(kNowhere)).value();
  const VoiceCatalog::Listing listing = catalog->List();
  EXPECT_EQ(listing.server.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(listing.voices.size(), 3u);
  EXPECT_TRUE(catalog->Make("").ok()) << "alloy, whose fault is told when it speaks";
}

TEST(VoiceCatalog, AnswersEveryoneWhoAsksForTheListAndEndsMeanwhile) {
  std::vector<std::promise<size_t>> answers(200);
  {
    const auto catalog = VoiceCatalog::Open(Options(kNowhere)).value();
    for (auto& answer : answers) {
      catalog->ListSoon([&answer](const VoiceCatalog::Listing& listing) {
        answer.set_value(listing.voices.size());
      });
    }
  }
  for (auto& answer : answers) EXPECT_LE(answer.get_future().get(), 3u);
}

TEST(VoiceCatalog, SaysWhatFliteLeavesOutAndLeavesServersTheirText) {
  const auto flite = VoiceCatalog::Open(Options()).value();
  EXPECT_EQ(flite->CheckText("", "Hello \xE6\x97\xA5").value().size(), 1u);
  EXPECT_FALSE(flite->CheckText("", "\xE6\x97\xA5\xE6\x9C\xAC").ok());
  const auto server = VoiceCatalog::Open(Options(kNowhere)).value();
  EXPECT_TRUE(server->CheckText("", "\xE6\x97\xA5\xE6\x9C\xAC").value().empty());
  EXPECT_FALSE(server->CheckText("slt", "\xE6\x97\xA5\xE6\x9C\xAC").ok()) << "flite's all the same";
  EXPECT_EQ(flite->ClausesOf("").growth, 0);
  EXPECT_GT(server->ClausesOf("").growth, 1);
}

}  // namespace
}  // namespace posewire::a2f_source
