#include "libs/service/access/failed_logins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace posewire::service {
namespace {

using ::testing::HasSubstr;

const absl::Time kZero = absl::UnixEpoch();

void Fail(FailedLogins& logins, absl::string_view address, int times) {
  for (int i = 0; i < times; ++i) {
    EXPECT_TRUE(logins.MayTry(address, kZero).ok()) << i;
    logins.Count(address, kZero);
  }
}

TEST(FailedLogins, RejectsAnAddressAfterTenAndSaysWhenItMayTryAgain) {
  FailedLogins logins;
  Fail(logins, "10.0.0.1", FailedLogins::kMostAtOnce);
  const absl::Status rejected = logins.MayTry("10.0.0.1", kZero);
  EXPECT_TRUE(absl::IsResourceExhausted(rejected)) << rejected;
  EXPECT_THAT(std::string(rejected.message()), HasSubstr("10.0.0.1; try again in 6 s"));
  EXPECT_FALSE(logins.MayTry("10.0.0.1", kZero + absl::Seconds(5)).ok());
  EXPECT_TRUE(logins.MayTry("10.0.0.1", kZero + absl::Seconds(6)).ok());
  EXPECT_TRUE(logins.MayTry("10.0.0.2", kZero).ok());
}

TEST(FailedLogins, AllowsOneMoreEverySixSecondsAndAllTenAfterAMinute) {
  FailedLogins logins;
  Fail(logins, "10.0.0.1", FailedLogins::kMostAtOnce);
  logins.Count("10.0.0.1", kZero + absl::Seconds(6));
  EXPECT_FALSE(logins.MayTry("10.0.0.1", kZero + absl::Seconds(11)).ok());
  EXPECT_TRUE(logins.MayTry("10.0.0.1", kZero + absl::Seconds(12)).ok());
  const absl::Time later = kZero + absl::Seconds(66);
  for (int i = 0; i < FailedLogins::kMostAtOnce; ++i) {
    EXPECT_TRUE(logins.MayTry("10.0.0.1", later).ok()) << i;
    logins.Count("10.0.0.1", later);
  }
  EXPECT_FALSE(logins.MayTry("10.0.0.1", later).ok());
}

TEST(FailedLogins, CountsTheFirst64BitsOfIPv6AndMappedAddressesAsIPv4) {
  FailedLogins logins;
  Fail(logins, "2001:db8::1", 5);
  Fail(logins, "2001:db8:0:0:ffff::2", 5);
  EXPECT_FALSE(logins.MayTry("2001:db8::3", kZero).ok());
  EXPECT_TRUE(logins.MayTry("2001:db8:0:1::3", kZero).ok());
  Fail(logins, "::ffff:10.0.0.1", 10);
  EXPECT_FALSE(logins.MayTry("10.0.0.1", kZero).ok());
  EXPECT_TRUE(logins.MayTry("::ffff:10.0.0.2", kZero).ok());
}

TEST(FailedLogins, RemembersABoundedNumberOfAddresses) {
  FailedLogins logins;
  Fail(logins, "10.0.0.1", 10);
  for (int i = 0; i < 20'000; ++i) {
    logins.Count(absl::StrCat("10.1.", i / 250, ".", i % 250), kZero);
  }
  EXPECT_EQ(logins.size(), FailedLogins::kMostAddresses);
  // Those who failed once go first.
  EXPECT_FALSE(logins.MayTry("10.0.0.1", kZero).ok());
}

}  // namespace
}  // namespace posewire::service
