#include "libs/vmc/datagram_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "libs/vmc/time_tag.h"
#include "tests/unit/vmc/forms.h"
#include "tests/unit/vmc/osc_bytes.h"

namespace posewire::vmc {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const OscArguments kPlainBone =
    PoseArguments("Hips", {0.5, 1, -0.25, 0, 0.70710678, 0, 0.70710678});

// Reads one datagram; text of the messages lives as long as this.
struct Reading {
  explicit Reading(std::string bytes) : datagram(std::move(bytes)) {
    reader.Read(datagram, [this](const Message& m) { messages.push_back(m); });
  }
  uint64_t rejected(Rejection r) const { return reader.counts().rejected[static_cast<size_t>(r)]; }
  // The one message, which must be of this kind.
  template <typename M>
  M one() const {
    EXPECT_EQ(messages.size(), 1u) << reader.LastRejection();
    if (messages.size() != 1 || !std::holds_alternative<M>(messages[0])) {
      ADD_FAILURE() << "not the message that was sent";
      return M();
    }
    return std::get<M>(messages[0]);
  }
  std::string datagram;
  DatagramReader reader;
  std::vector<Message> messages;
};

OscArguments ArgumentsOf(const std::string& types) {
  OscArguments out;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == 's') out.push_back(S(absl::StrCat("text", i)));
    if (types[i] == 'i') out.push_back(I(static_cast<int32_t>(i)));
    if (types[i] == 'f') out.push_back(F(0.5 + static_cast<double>(i)));
  }
  return out;
}

TEST(DatagramReader, UnderstandsEveryFormOfTheProtocol) {
  int forms = 0;
  for (const WireForm& form : kWireForms) {
    SCOPED_TRACE(absl::StrCat(form.address, " ", form.types));
    const Reading reading(OscMessage(form.address, ArgumentsOf(form.types)));
    ASSERT_EQ(reading.messages.size(), 1u) << reading.reader.LastRejection();
    EXPECT_EQ(AddressOf(reading.messages[0]), form.address);
    ++forms;
  }
  EXPECT_EQ(forms, 54);
}

TEST(DatagramReader, TheListOfFormsIsThatOfTheTables) {
  const char* const root = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(absl::StrCat(root ? root : "", "/../shared/spec/vmc_messages.csv"));
  if (!file) GTEST_SKIP() << "the tables are not here";
  std::vector<std::pair<std::string, std::string>> listed;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || absl::StartsWith(line, "spec,")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, ',');
    listed.emplace_back(absl::StrReplaceAll(cells[3], {{"<name>", "name"}}), cells[4]);
  }
  std::vector<std::pair<std::string, std::string>> own;
  for (const WireForm& form : kWireForms) own.emplace_back(form.address, form.types);
  EXPECT_EQ(own, listed);
}

TEST(DatagramReader, TakesEveryValueFromItsPlace) {
  const auto bone = Reading(OscMessage("/VMC/Ext/Bone/Pos", kPlainBone)).one<BonePose>();
  EXPECT_FLOAT_EQ(bone.pose.position.x, 0.5f);
  EXPECT_FLOAT_EQ(bone.pose.position.z, -0.25f);
  EXPECT_NEAR(bone.pose.rotation.y, 0.70710678f, 1e-6);
  EXPECT_NEAR(bone.pose.rotation.w, 0.70710678f, 1e-6);
  EXPECT_EQ(bone.pose.rotation.x, 0);

  const Reading con(
      OscMessage("/VMC/Ext/Con", {I(2), S("Stick"), I(1), I(0), I(1), F(0.25), F(0.5), F(0.75)}));
  const auto input = con.one<ControllerInput>();
  EXPECT_EQ(input.active, 2);
  EXPECT_EQ(input.name, "Stick");
  EXPECT_EQ(input.is_left, 1);
  EXPECT_EQ(input.is_touch, 0);
  EXPECT_EQ(input.is_axis, 1);
  EXPECT_FLOAT_EQ(input.axis.z, 0.75f);

  const auto eye = Reading(OscMessage("/VMC/Ext/Set/Eye", {I(1), F(1), F(2), F(3)})).one<SetEye>();
  EXPECT_EQ(eye.enable, 1);
  EXPECT_FLOAT_EQ(eye.target.y, 2);

  const Reading through(OscMessage("/VMC/Thru/mine/light", {S("hue"), F(0.5)}));
  EXPECT_EQ(through.one<Through>().text, "hue");
  EXPECT_FLOAT_EQ(std::get<float>(through.one<Through>().value), 0.5f);
  const Reading counted(OscMessage("/VMC/Thru/mine/light", {S("hue"), I(7)}));
  EXPECT_EQ(std::get<int32_t>(counted.one<Through>().value), 7);
}

TEST(DatagramReader, TellsTheLongerFormsApart) {
  EXPECT_FALSE(Reading(OscMessage("/VMC/Ext/OK", {I(1)})).one<Ok>().calibration_state);
  const auto three = Reading(OscMessage("/VMC/Ext/OK", {I(1), I(3), I(0)})).one<Ok>();
  EXPECT_EQ(three.calibration_state, 3);
  EXPECT_EQ(three.calibration_mode, 0);
  EXPECT_FALSE(three.tracking_status);
  const auto four = Reading(OscMessage("/VMC/Ext/OK", {I(1), I(3), I(0), I(1)})).one<Ok>();
  EXPECT_EQ(four.tracking_status, 1);

  const OscArguments root = ArgumentsOf("sfffffff");
  EXPECT_FALSE(Reading(OscMessage("/VMC/Ext/Root/Pos", root)).one<RootPose>().compositing);
  const OscArguments longer = ArgumentsOf("sfffffffffffff");
  const auto scaled = Reading(OscMessage("/VMC/Ext/Root/Pos", longer)).one<RootPose>();
  ASSERT_TRUE(scaled.compositing);
  EXPECT_FLOAT_EQ(scaled.compositing->scale.x, 8.5f);
  EXPECT_FLOAT_EQ(scaled.compositing->offset.z, 13.5f);
}

TEST(DatagramReader, TakesNumbersOfOtherTypes) {
  const Reading ok(OscMessage("/VMC/Ext/OK", {F(1.2), D(2.6), H(2), Bare('T')}));
  EXPECT_EQ(ok.one<Ok>().loaded, 1);
  EXPECT_EQ(ok.one<Ok>().calibration_state, 3);
  EXPECT_EQ(ok.one<Ok>().calibration_mode, 2);
  EXPECT_EQ(ok.one<Ok>().tracking_status, 1);
  EXPECT_EQ(Reading(OscMessage("/VMC/Ext/OK", {Bare('F')})).one<Ok>().loaded, 0);
  EXPECT_EQ(Reading(OscMessage("/VMC/Ext/OK", {U(7)})).one<Ok>().loaded, 7);

  const Reading value(OscMessage("/VMC/Ext/Blend/Val", {S("Joy"), I(1)}));
  EXPECT_FLOAT_EQ(value.one<BlendValue>().value, 1);
  const Reading bone(
      OscMessage("/VMC/Ext/Bone/Pos", {S("Hips"), I(0), D(1.5), I(0), I(0), I(0), I(0), I(1)}));
  EXPECT_FLOAT_EQ(bone.one<BonePose>().pose.position.y, 1.5f);
  EXPECT_FLOAT_EQ(bone.one<BonePose>().pose.rotation.w, 1);
}

TEST(DatagramReader, IgnoresExtraArguments) {
  OscArguments bone = kPlainBone;
  bone.push_back(S("extra"));
  bone.push_back(Blob("12345"));
  bone.push_back(Bare('N'));
  bone.push_back(Bare('['));
  bone.push_back(I(3));
  bone.push_back(Bare(']'));
  EXPECT_EQ(Reading(OscMessage("/VMC/Ext/Bone/Pos", bone)).one<BonePose>().name, "Hips");

  // Neither is a half of a longer form, nor one of other types, a reason to drop the shorter one.
  OscArguments root = ArgumentsOf("sfffffffff");
  EXPECT_FALSE(Reading(OscMessage("/VMC/Ext/Root/Pos", root)).one<RootPose>().compositing);
  root.push_back(S("a"));
  EXPECT_FALSE(Reading(OscMessage("/VMC/Ext/Root/Pos", root)).one<RootPose>().compositing);
  const Reading ok(OscMessage("/VMC/Ext/OK", {I(1), S("calibrated"), I(2)}));
  EXPECT_FALSE(ok.one<Ok>().calibration_state);
  EXPECT_FALSE(ok.one<Ok>().calibration_mode);
  const Reading apply(OscMessage("/VMC/Ext/Blend/Apply", {I(1)}));
  EXPECT_EQ(apply.messages.size(), 1u);
}

TEST(DatagramReader, DropsEveryFormThatLacksAnArgument) {
  // The base of a form is the shortest with its address.
  for (const WireForm& form : kWireForms) {
    const std::string types = form.types;
    for (size_t n = 0; n < types.size(); ++n) {
      bool shorter = false;
      for (const WireForm& other : kWireForms) {
        shorter = shorter || (std::string(other.address) == form.address &&
                              std::string(other.types).size() <= n);
      }
      if (shorter) continue;
      SCOPED_TRACE(absl::StrCat(form.address, " with ", n));
      const Reading reading(OscMessage(form.address, ArgumentsOf(types.substr(0, n))));
      EXPECT_TRUE(reading.messages.empty());
      EXPECT_EQ(reading.rejected(Rejection::kTooFewArguments), 1u);
    }
  }
}

TEST(DatagramReader, DropsWrongTypesInEveryPlace) {
  for (const WireForm& form : kWireForms) {
    const std::string types = form.types;
    const bool optional = absl::StartsWith(form.address, "/VMC/Thru") || types == "iii" ||
                          types == "iiii" || types == "iis" || types.size() == 14 ||
                          (types == "sss");
    for (size_t n = 0; n < types.size() && !optional; ++n) {
      SCOPED_TRACE(absl::StrCat(form.address, " at ", n));
      OscArguments arguments = ArgumentsOf(types);
      arguments[n] = types[n] == 's' ? F(1) : S("1");
      const Reading reading(OscMessage(form.address, arguments));
      EXPECT_TRUE(reading.messages.empty());
      EXPECT_EQ(reading.rejected(Rejection::kWrongType), 1u);
      EXPECT_THAT(reading.reader.LastRejection(), HasSubstr(absl::StrCat("argument ", n)));
    }
  }
}

TEST(DatagramReader, DropsNumbersThatAreNoneInEveryPlace) {
  for (const double bad : {kNan, kInf, -kInf}) {
    for (size_t n = 1; n < kPlainBone.size(); ++n) {
      OscArguments arguments = kPlainBone;
      arguments[n] = F(bad);
      const Reading reading(OscMessage("/VMC/Ext/Bone/Pos", arguments));
      EXPECT_TRUE(reading.messages.empty()) << n;
      EXPECT_EQ(reading.rejected(Rejection::kNotFinite), 1u) << n;
    }
    EXPECT_EQ(Reading(OscMessage("/VMC/Ext/Blend/Val", {S("A"), F(bad)})).messages.size(), 0u);
    EXPECT_EQ(Reading(OscMessage("/VMC/Ext/T", {F(bad)})).messages.size(), 0u);
    EXPECT_EQ(Reading(OscMessage("/VMC/Ext/OK", {D(bad)})).messages.size(), 0u);
  }
}

TEST(DatagramReader, DropsNumbersThatMeanNothing) {
  const auto rejected = [](const std::string& address, const OscArguments& arguments) {
    return Reading(OscMessage(address, arguments)).rejected(Rejection::kOutOfRange);
  };
  EXPECT_EQ(rejected("/VMC/Ext/Bone/Pos", PoseArguments("Hips", {1e9, 0, 0, 0, 0, 0, 1})), 1u);
  EXPECT_EQ(rejected("/VMC/Ext/Blend/Val", {S("A"), F(1e6)}), 1u);
  EXPECT_EQ(rejected("/VMC/Ext/OK", {D(1e20)}), 1u);
  EXPECT_EQ(rejected("/VMC/Ext/OK", {H(int64_t{1} << 40)}), 1u);
  EXPECT_EQ(rejected("/VMC/Ext/T", {D(1e300)}), 1u);
  for (const double fov : {0.0, -20.0, 180.0, 1e6}) {
    OscArguments camera = PoseArguments("Camera", {0, 0, 0, 0, 0, 0, 1});
    camera.push_back(F(fov));
    EXPECT_EQ(rejected("/VMC/Ext/Cam", camera), 1u) << fov;
  }
  // As a float these are 0 and 180.
  for (const double fov : {1e-300, 180 - 1e-12}) {
    OscArguments camera = PoseArguments("Camera", {0, 0, 0, 0, 0, 0, 1});
    camera.push_back(D(fov));
    EXPECT_EQ(rejected("/VMC/Ext/Cam", camera), 1u) << fov;
  }
  // Weights beyond 0..1 are in use.
  EXPECT_FLOAT_EQ(
      Reading(OscMessage("/VMC/Ext/Blend/Val", {S("A"), F(1.4)})).one<BlendValue>().value, 1.4f);
}

TEST(DatagramReader, MakesQuaternionsUnitLength) {
  const auto turned = [](std::vector<double> q) {
    std::vector<double> numbers = {0, 0, 0};
    numbers.insert(numbers.end(), q.begin(), q.end());
    return Reading(OscMessage("/VMC/Ext/Bone/Pos", PoseArguments("Hips", numbers)))
        .one<BonePose>()
        .pose.rotation;
  };
  const skel::Quat doubled = turned({0, 1, 0, 1});
  EXPECT_NEAR(doubled.w, std::sqrt(0.5f), 1e-6);
  EXPECT_NEAR(doubled.y, std::sqrt(0.5f), 1e-6);
  const skel::Quat zero = turned({0, 0, 0, 0});
  EXPECT_EQ(zero.w, 1);
  EXPECT_EQ(zero.x, 0);
  const skel::Quat huge = turned({0, 3e38, 0, 3e38});
  EXPECT_NEAR(skel::Dot(huge, huge), 1, 1e-6);
}

TEST(DatagramReader, ReadsNamesInJapaneseAndRejectsWhatIsNoText) {
  const std::string surprise = "びっくり";
  const Reading japanese(OscMessage("/VMC/Ext/Blend/Val", {S(surprise), F(0.5)}));
  EXPECT_EQ(japanese.one<BlendValue>().name, surprise);
  for (const char* const bad :
       {"\x82\xd1", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe3\x81"}) {
    const Reading reading(OscMessage("/VMC/Ext/Blend/Val", {S(bad), F(0.5)}));
    EXPECT_TRUE(reading.messages.empty());
    EXPECT_EQ(reading.rejected(Rejection::kNotText), 1u);
  }
}

TEST(DatagramReader, OneBadMessageDoesNotDisturbTheOthersOfItsBundle) {
  std::string cut = OscMessage("/VMC/Ext/Bone/Pos", kPlainBone);
  cut.resize(cut.size() - 8);
  const Reading reading(OscBundle({
      OscMessage("/VMC/Ext/OK", {I(1)}),
      cut,
      OscMessage("/VMC/Ext/Bone/Pos", PoseArguments("Head", {0, 0, 0, kNan, 0, 0, 1})),
      OscBundle({OscMessage("/VMC/Ext/Blend/Val", {F(1)}), OscMessage("/VMC/Ext/T", {F(2)})}),
      OscMessage("/foo/bar", {I(1), I(2)}),
      OscMessage("/VMC/Ext/Bone/Pos", kPlainBone),
  }));
  ASSERT_EQ(reading.messages.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<Ok>(reading.messages[0]));
  EXPECT_TRUE(std::holds_alternative<Time>(reading.messages[1]));
  EXPECT_TRUE(std::holds_alternative<BonePose>(reading.messages[2]));
  const ReadCounts& counts = reading.reader.counts();
  EXPECT_EQ(counts.datagrams, 1u);
  EXPECT_EQ(counts.bundles, 2u);
  EXPECT_EQ(counts.messages, 3u);
  EXPECT_EQ(counts.unknown, 1u);
  EXPECT_EQ(counts.rejected_in_all(), 3u);
  EXPECT_EQ(reading.rejected(Rejection::kMalformed), 1u);
}

TEST(DatagramReader, PassesOverTimeTags) {
  const std::string ok = OscMessage("/VMC/Ext/OK", {I(1)});
  for (const uint64_t tag : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}}) {
    EXPECT_EQ(Reading(OscBundle({ok}, tag)).messages.size(), 1u);
  }
}

TEST(DatagramReader, SaysTheTimeTagOfTheOutermostBundleThatHasOne) {
  const std::string ok = OscMessage("/VMC/Ext/OK", {I(1)});
  const uint64_t tag = uint64_t{3900000000} << 32 | 0x80000000;
  DatagramReader reader;
  const auto tag_of = [&](const std::string& datagram) {
    reader.Read(datagram, [](const Message&) {});
    return reader.time_tag_s();
  };
  EXPECT_EQ(tag_of(OscBundle({ok}, tag)), 3900000000.5);
  EXPECT_EQ(tag_of(ok), std::nullopt);
  EXPECT_EQ(tag_of(OscBundle({ok}, 1)), std::nullopt);
  EXPECT_EQ(tag_of(OscBundle({OscBundle({ok}, tag)}, 1)), 3900000000.5);
  EXPECT_EQ(tag_of(OscBundle({OscBundle({ok}, 5), ok}, tag)), 3900000000.5);
  EXPECT_EQ(TagOfSeconds(3900000000.5), tag);
  for (const double none : {0.0, -1.0, 1e10, static_cast<double>(NAN)}) {
    EXPECT_EQ(TagOfSeconds(none), kImmediately);
  }
}

TEST(DatagramReader, NestsBundlesToItsDepthAndNoFurther) {
  std::string nested = OscMessage("/VMC/Ext/OK", {I(1)});
  for (int depth = 1; depth <= 1000; ++depth) {
    nested = OscBundle({nested});
    const Reading reading(OscBundle({nested, OscMessage("/VMC/Ext/T", {F(1)})}));
    const bool deep = depth >= kMaxBundleDepth;
    ASSERT_EQ(reading.messages.size(), deep ? 1u : 2u) << depth;
    ASSERT_EQ(reading.rejected(Rejection::kTooDeep), deep ? 1u : 0u) << depth;
  }
}

TEST(DatagramReader, TakesDatagramsOf64KiBAndNoMore) {
  const std::string ok = OscMessage("/VMC/Ext/OK", {I(1)});
  std::vector<std::string> elements((kMaxDatagramBytes - 16) / (ok.size() + 4), ok);
  const Reading most(OscBundle(elements));
  ASSERT_LE(most.datagram.size(), kMaxDatagramBytes);
  EXPECT_EQ(most.messages.size(), elements.size());
  elements.insert(elements.end(), 2, ok);
  const Reading more(OscBundle(elements));
  ASSERT_GT(more.datagram.size(), kMaxDatagramBytes);
  EXPECT_TRUE(more.messages.empty());
  EXPECT_EQ(more.rejected(Rejection::kTooLarge), 1u);
}

TEST(DatagramReader, SurvivesEveryCutOfADatagram) {
  const std::string whole = OscBundle({OscMessage("/VMC/Ext/OK", {I(1)}),
                                       OscBundle({OscMessage("/VMC/Ext/Bone/Pos", kPlainBone)}),
                                       OscMessage("/VMC/Ext/Blend/Val", {S("A"), F(1)})});
  DatagramReader reader;
  for (size_t n = 0; n < whole.size(); ++n) {
    // A copy of its own, so that a sanitizer sees whatever lies beyond.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    reader.Read({cut.data(), cut.size()}, [](const Message&) {});
  }
  EXPECT_EQ(reader.counts().datagrams, whole.size());
  // A bundle may end behind any of its elements; every other cut is no OSC.
  EXPECT_EQ(reader.counts().rejected[0], whole.size() - 3);
  EXPECT_EQ(Reading(whole).messages.size(), 3u);
}

TEST(DatagramReader, SurvivesDamagedDatagramsAndReadsOn) {
  const std::string whole = OscBundle({OscMessage("/VMC/Ext/OK", {I(1)}),
                                       OscBundle({OscMessage("/VMC/Ext/Bone/Pos", kPlainBone)}),
                                       OscMessage("/VMC/Ext/Blend/Val", {S("A"), F(1)})});
  std::mt19937 random(3);
  DatagramReader reader;
  const auto check = [](const Message& message) {
    if (const auto* const bone = std::get_if<BonePose>(&message)) {
      const skel::Quat q = bone->pose.rotation;
      ASSERT_NEAR(skel::Dot(q, q), 1, 1e-5);
      ASSERT_LE(std::abs(bone->pose.position.x), kMaxPosition_m);
    }
  };
  for (int i = 0; i < 50000; ++i) {
    std::string damaged = whole;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < changes; ++k) {
      damaged[random() % damaged.size()] = static_cast<char>(random() & 0xFF);
    }
    reader.Read(damaged, check);
    reader.Read(whole, check);
  }
  const ReadCounts& counts = reader.counts();
  EXPECT_EQ(counts.datagrams, 100000u);
  EXPECT_GE(counts.messages, 150000u);
  EXPECT_GT(counts.rejected_in_all(), 1000u);
}

// Followed as signed numbers they would lead in a circle, or in front of the datagram.
TEST(DatagramReader, RejectsSizesThatLeadBackwards) {
  const std::string ok = OscMessage("/VMC/Ext/OK", {I(1)});
  for (const uint32_t size : {0xFFFFFFFCu, 0xFFFFFFECu, 0x80000000u, 0x7FFFFFFCu, 0u, 5u}) {
    std::string bundle = OscBundle({});
    AppendBigEndian(size, 4, bundle);
    const Reading reading(bundle + ok);
    EXPECT_TRUE(reading.messages.empty());
    EXPECT_EQ(reading.rejected(Rejection::kMalformed), 1u) << size;
    const Reading nested(OscBundle({bundle + ok, ok}));
    EXPECT_EQ(nested.messages.size(), 1u) << size;
    EXPECT_EQ(nested.rejected(Rejection::kMalformed), 1u) << size;
  }
  for (const uint32_t size : {0xFFFFFFFFu, 0xFFFFFFFCu, 0xFFFFF000u, 0x80000000u, 13u}) {
    std::string message;
    AppendText("/VMC/Ext/Blend/Val", message);
    AppendText(",sfbi", message);
    AppendText("A", message);
    AppendBigEndian(0x3F800000, 4, message);
    AppendBigEndian(size, 4, message);
    AppendBigEndian(7, 4, message);
    EXPECT_EQ(Reading(message).rejected(Rejection::kMalformed), 1u) << size;
  }
}

// Padding that is none hides the end of the text from a reader that looks at every fourth byte.
TEST(DatagramReader, RejectsTextThatIsPaddedWithMore) {
  for (const size_t at : {size_t{14}, size_t{15}, size_t{19}, size_t{26}, size_t{27}}) {
    std::string message = OscMessage("/VMC/Ext/Conf", {I(1), S("a")});
    ASSERT_EQ(message[at], '\0') << at;
    message[at] = 'x';
    EXPECT_EQ(Reading(message).rejected(Rejection::kMalformed), 1u) << at;
  }
}

TEST(DatagramReader, SaysWhatItRejectedLast) {
  EXPECT_EQ(Reading(OscMessage("/VMC/Ext/OK", {I(1)})).reader.LastRejection(), "");
  EXPECT_EQ(Reading(OscMessage("/VMC/Ext/Blend/Val", {S("A"), S("1")})).reader.LastRejection(),
            "wrong_type: /VMC/Ext/Blend/Val argument 1");
  EXPECT_EQ(Reading("hello").reader.LastRejection(), "malformed");
}

}  // namespace
}  // namespace posewire::vmc
