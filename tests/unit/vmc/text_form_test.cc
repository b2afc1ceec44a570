#include "libs/vmc/text_form.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {
namespace {

using ::testing::HasSubstr;

TEST(VmcTextForm, ALineBecomesTheTypesOfTheMessage) {
  EXPECT_EQ(EncodeLine("/VMC/Ext/Set/Eye 1 0 0.5 -1").value(),
            EncodeMessage(SetEye{1, {0, 0.5f, -1}}).value());
  EXPECT_EQ(EncodeLine("  /VMC/Ext/Set/Shortcut\t\"Take a bow\" ").value(),
            EncodeMessage(SetShortcut{"Take a bow"}).value());
  EXPECT_EQ(EncodeLine("/VMC/Ext/Set/Config \"7\"").value(), EncodeMessage(SetConfig{"7"}).value());
  EXPECT_EQ(EncodeLine("/VMC/Ext/Midi/CC/Val 3 1").value(), EncodeMessage(MidiValue{3, 1}).value());
  EXPECT_EQ(EncodeLine("/VMC/Thru/a/b hello 2").value(),
            EncodeMessage(Through{"/VMC/Thru/a/b", "hello", int32_t{2}}).value());
  EXPECT_EQ(EncodeLine("/VMC/Ext/Set/Req").value(), EncodeMessage(SetRequest{}).value());
}

TEST(VmcTextForm, FaultsSayWhatIsWrong) {
  const std::pair<const char*, const char*> kFaults[] = {
      {"", "address is missing"},
      {"/VMC/Ext/Nothing 1", "does not have this address"},
      {"/VMC/Ext/Set/Eye 1 0", "too_few_arguments"},
      {"/VMC/Ext/Set/Eye yes 0 0 0", "wrong_type"},
      {"/VMC/Ext/Set/Shortcut \"a", "not closed"},
      {"/VMC/Ext/Midi/CC/Val 3 inf", "not_finite"},
  };
  for (const auto& [line, why] : kFaults) {
    const auto encoded = EncodeLine(line);
    ASSERT_FALSE(encoded.ok()) << line;
    EXPECT_THAT(encoded.status().message(), HasSubstr(why)) << line;
  }
  EXPECT_FALSE(EncodeLine(std::string(10000, '/')).ok());
}

}  // namespace
}  // namespace posewire::vmc
