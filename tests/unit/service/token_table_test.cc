#include "libs/service/access/token_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

using stream::Caller;
using stream::Permission;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kToken[] = "0123456789abcdef";
constexpr char kOther[] = "fedcba9876543210";

absl::Time At(const char* text) {
  absl::Time time;
  std::string why;
  EXPECT_TRUE(absl::ParseTime(absl::RFC3339_full, text, &time, &why)) << why;
  return time;
}
Caller With(absl::string_view token) { return CallerOf("p", absl::StrCat("Bearer ", token)); }

std::string Rejected(absl::string_view text) {
  const auto table = TokenTable::Parse(text);
  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument) << text;
  EXPECT_THAT(std::string(table.status().message()), Not(HasSubstr(kToken)));
  return std::string(table.status().message());
}

TEST(TokenTable, NamesWhoMay) {
  const auto table =
      TokenTable::Parse(absl::StrCat("# comment\n\n studio push,watch show-*,s1 ", kToken, "\r\n"));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->size(), 1u);
  const absl::Time now = absl::UnixEpoch();
  for (const char* stream : {"", "s1", "show-", "show-1"}) {
    const auto name = table->Check(With(kToken), stream, Permission::kPush, now);
    ASSERT_TRUE(name.ok()) << stream << name.status();
    EXPECT_EQ(*name, "studio");
  }
  for (const char* stream : {"s2", "s", "s10", "sho", stream::kAllStreams}) {
    const absl::Status s = table->Check(With(kToken), stream, Permission::kPush, now).status();
    EXPECT_TRUE(absl::IsPermissionDenied(s)) << stream << s;
    EXPECT_THAT(std::string(s.message()), HasSubstr("studio is for the streams show-*,s1"));
  }
  for (const Permission permission :
       {Permission::kPull, Permission::kControl, Permission::kClips}) {
    EXPECT_TRUE(
        absl::IsPermissionDenied(table->Check(With(kToken), "s1", permission, now).status()));
  }
}

TEST(TokenTable, OnlyAStarIsForAllStreams) {
  const auto table = TokenTable::Parse(absl::StrCat("a watch * ", kToken, "\nb watch x* ", kOther));
  ASSERT_TRUE(table.ok()) << table.status();
  const absl::Time now = absl::UnixEpoch();
  EXPECT_TRUE(table->Check(With(kToken), stream::kAllStreams, Permission::kWatch, now).ok());
  EXPECT_FALSE(table->Check(With(kOther), stream::kAllStreams, Permission::kWatch, now).ok());
}

TEST(TokenTable, WantsATokenThatItKnows) {
  const auto table = TokenTable::Parse(absl::StrCat("a push * ", kToken));
  ASSERT_TRUE(table.ok()) << table.status();
  const absl::Time now = absl::UnixEpoch();
  for (const Caller& caller : {Caller{"p"}, CallerOf("p", ""), CallerOf("p", kToken),
                               CallerOf("p", "Basic 0123456789abcdef"), With(kOther), With(""),
                               With("0123456789abcde"), With("0123456789abcdef0")}) {
    EXPECT_TRUE(
        absl::IsUnauthenticated(table->Check(caller, "s", Permission::kPush, now).status()));
  }
  EXPECT_TRUE(
      table->Check(CallerOf("p", "bearer  0123456789abcdef "), "s", Permission::kPush, now).ok());
}

TEST(TokenTable, TakesTheHashOfATokenInItsPlace) {
  const stream::TokenHash hash = HashOf(kToken);
  const std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(hash.data()), hash.size()));
  const auto table = TokenTable::Parse(absl::StrCat("a push * sha256:", hex));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->Check(With(kToken), "s", Permission::kPush, absl::UnixEpoch()).ok());
  // Who reads the file does not get in by it.
  EXPECT_FALSE(table->Check(With(hex), "s", Permission::kPush, absl::UnixEpoch()).ok());
}

TEST(TokenTable, ATokenEnds) {
  const auto table = TokenTable::Parse(absl::StrCat("a push * ", kToken, " 2027-01-31T12:00:00Z"));
  ASSERT_TRUE(table.ok()) << table.status();
  const auto at = [&](const char* time) {
    return table->Check(With(kToken), "s", Permission::kPush, At(time)).status();
  };
  EXPECT_TRUE(at("2027-01-31T11:59:59Z").ok());
  EXPECT_TRUE(absl::IsUnauthenticated(at("2027-01-31T12:00:00Z")));
  EXPECT_THAT(std::string(at("2028-01-01T00:00:00Z").message()), HasSubstr("until 2027-01-31T12"));
}

TEST(TokenTable, ANameMayHaveTwoTokens) {
  const auto table = TokenTable::Parse(absl::StrCat("a push * ", kToken, "\na push * ", kOther));
  ASSERT_TRUE(table.ok()) << table.status();
  for (const char* token : {kToken, kOther}) {
    EXPECT_TRUE(table->Check(With(token), "s", Permission::kPush, absl::UnixEpoch()).ok());
  }
}

TEST(TokenTable, SaysHowManyCallsAreEnough) {
  const auto table =
      TokenTable::Parse(absl::StrCat("a push,pull * ", kToken, " pulls=3 2027-01-31T12:00:00Z\n",
                                     "b push * ", kOther, " 2027-01-31T12:00:00Z pushes=8"));
  ASSERT_TRUE(table.ok()) << table.status();
  const auto a = table->QuotaOf(With(kToken), Permission::kPull);
  ASSERT_TRUE(a.has_value());
  EXPECT_EQ(a->name, "a");
  EXPECT_EQ(a->most, 3);
  EXPECT_EQ(table->QuotaOf(With(kToken), Permission::kPush), std::nullopt);
  EXPECT_EQ(table->QuotaOf(With(kOther), Permission::kPush)->most, 8);
  EXPECT_EQ(table->QuotaOf(With("nobody's token!!"), Permission::kPush), std::nullopt);
  EXPECT_FALSE(table->Check(With(kToken), "s", Permission::kPull, At("2027-02-01T00:00:00Z")).ok());
  for (const char* wrong : {"pushes=0", "pulls=-1", "pulls=many"}) {
    EXPECT_THAT(Rejected(absl::StrCat("a push * ", kToken, " ", wrong)), HasSubstr("1 or more"));
  }
}

TEST(TokenTable, SaysWhatIsWrongAndNoToken) {
  const std::string line = absl::StrCat("a push * ", kToken);
  EXPECT_THAT(Rejected("x\n"), HasSubstr("line 1: there are 1 fields"));
  EXPECT_THAT(Rejected(absl::StrCat(line, "\nb puhs * ", kOther)),
              HasSubstr("line 2: there is no permission \"puhs\"; there are push, pull, watch"));
  EXPECT_THAT(Rejected(absl::StrCat("a push, * ", kToken)),
              HasSubstr("there is no permission \"\""));
  EXPECT_THAT(Rejected(absl::StrCat("a push s*1 ", kToken)), HasSubstr("\"s*1\""));
  EXPECT_THAT(Rejected("a push * short"), HasSubstr("5 characters long; it may be 16"));
  EXPECT_THAT(Rejected(absl::StrCat(line, "%")), HasSubstr("characters besides"));
  EXPECT_THAT(Rejected("a push * sha256:1234"), HasSubstr("64 hexadecimal digits"));
  EXPECT_THAT(Rejected(absl::StrCat(line, " tomorrow")), HasSubstr("2027-01-31T12:00:00Z"));
  EXPECT_THAT(Rejected(absl::StrCat(line, "\n", line)), HasSubstr("line 2: this token has a line"));
  std::string many;
  for (int i = 0; i <= kMostTokens; ++i)
    absl::StrAppend(&many, "a push * 0123456789abcdef", i, "\n");
  EXPECT_THAT(Rejected(many), HasSubstr("at most 1024 tokens"));
}

}  // namespace
}  // namespace posewire::service
