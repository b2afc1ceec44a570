#include "services/renderer_sink/core/time_code_shifter.h"

#include <vector>

#include "gtest/gtest.h"

namespace posewire::renderer_sink {
namespace {

constexpr int kSoundRate_hz = 16000;

wire::DataChunk DataOfKeys(const std::vector<double>& time_codes_s, int track = wire::kWeights) {
  wire::DataChunk data;
  data.pose[track] = {0, time_codes_s, {}};
  return data;
}

wire::DataChunk DataOfKeyAt(double time_code_s) { return DataOfKeys({time_code_s}); }

void AddSound(double time_code_s, size_t samples, wire::DataChunk& data) {
  data.audio = wire::AudioBuffer{time_code_s, std::vector<int16_t>(samples)};
}

// A message of a key at that code.
std::optional<TimeCodeShifter::Place> GiveKey(TimeCodeShifter& shifter, double time_code_s,
                                              double receive_s) {
  return shifter.OnMessage(DataOfKeyAt(time_code_s), kSoundRate_hz, receive_s);
}

TEST(TimeCodeShifter, StartsAtTheFirstFrame) {
  TimeCodeShifter shifter;
  shifter.OnHeader(1.7e9);
  EXPECT_FALSE(shifter.origin_epoch_s().has_value());
  EXPECT_EQ(GiveKey(shifter, 5000, 1)->time_code_s, 0);
  EXPECT_NEAR(GiveKey(shifter, 5000.5, 1.5)->time_code_s, 0.5, 1e-9);
  EXPECT_NEAR(*shifter.origin_epoch_s(), 1.7e9 + 5000, 1e-6);
}

TEST(TimeCodeShifter, ThePoseOfTheFirstFrameLiesAtZeroAndNotItsSound) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  // Tick 1: the sound begins 20.8 us before the pose.
  wire::DataChunk data = DataOfKeyAt(1 / 30.0);
  AddSound(533 / 16000.0, 400, data);
  const auto place = shifter.OnMessage(data, kSoundRate_hz, 0);
  EXPECT_EQ(place->time_code_s, 0);
  EXPECT_EQ(place->shift_s, -1 / 30.0);
}

TEST(TimeCodeShifter, GoesOnBehindAllThatAMessageHeld) {
  TimeCodeShifter shifter;
  shifter.OnHeader(1.7e9);
  // A clip of ten seconds in one message, and another one that is pushed at once behind it.
  shifter.OnMessage(DataOfKeys({0, 10}), kSoundRate_hz, 5);
  shifter.OnHeader(1.7e9 + 0.03);
  const auto place = GiveKey(shifter, 0, 5.03);
  EXPECT_TRUE(place->moved);
  EXPECT_GT(place->time_code_s, 10);
  EXPECT_LT(place->time_code_s, 10.1);
}

TEST(TimeCodeShifter, MessagesWithoutCodesHaveNoPlace) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  EXPECT_FALSE(shifter.OnMessage(wire::DataChunk(), kSoundRate_hz, 0).has_value());
}

TEST(TimeCodeShifter, TheSameServerGoesOnByItsCodes) {
  TimeCodeShifter shifter;
  shifter.OnHeader(1.7e9);
  GiveKey(shifter, 10, 100);
  shifter.OnHeader(1.7e9);
  const auto place = GiveKey(shifter, 12.5, 102.4);
  EXPECT_NEAR(place->time_code_s, 2.5, 1e-9);
  EXPECT_NEAR(*place->gap_s, 2.5, 1e-9);
  EXPECT_FALSE(place->moved);
  EXPECT_FALSE(GiveKey(shifter, 12.6, 102.5)->gap_s.has_value());
}

TEST(TimeCodeShifter, ARestartedServerGoesOnByEpochAndCode) {
  TimeCodeShifter shifter;
  shifter.OnHeader(1.7e9);
  GiveKey(shifter, 1000, 50);
  shifter.OnHeader(1.7e9 + 1003);
  const auto place = GiveKey(shifter, 0.25, 53.3);
  EXPECT_NEAR(place->time_code_s, 3.25, 1e-6);
  EXPECT_FALSE(place->moved);
}

TEST(TimeCodeShifter, AnEpochThatNoClockHasDoesNotTearTheLine) {
  for (const double epoch_s : {1e300, -1e308, 1.5e308}) {
    TimeCodeShifter shifter;
    shifter.OnHeader(1e308);
    GiveKey(shifter, 10, 100);
    shifter.OnHeader(epoch_s);
    const auto place = GiveKey(shifter, 7, 102);
    EXPECT_TRUE(place->moved);
    EXPECT_NEAR(place->time_code_s, 2, 1e-9) << epoch_s;
    EXPECT_NEAR(GiveKey(shifter, 7.5, 102.5)->time_code_s, 2.5, 1e-9) << epoch_s;
    shifter.OnHeader(1.7e9);
    EXPECT_NEAR(GiveKey(shifter, 3, 104)->time_code_s, 4, 1e-9) << epoch_s;
    shifter.OnHeader(1.7e9 + 1);
    EXPECT_NEAR(GiveKey(shifter, 3, 105)->time_code_s, 5, 1e-6) << epoch_s;
  }
}

TEST(TimeCodeShifter, AWallClockThatSteppedDoesNotTearTheLine) {
  for (const double step_s : {-3600.0, 3600.0}) {
    TimeCodeShifter shifter;
    shifter.OnHeader(1.7e9);
    GiveKey(shifter, 0, 50);
    GiveKey(shifter, 9, 59);
    shifter.OnHeader(1.7e9 + 11 + step_s);
    const auto place = GiveKey(shifter, 0, 61);
    EXPECT_TRUE(place->moved);
    EXPECT_NEAR(place->time_code_s, 11, 1e-6);
    EXPECT_NEAR(GiveKey(shifter, 1, 62)->time_code_s, 12, 1e-6);
    // And a second restart.
    shifter.OnHeader(1.7e9 + 14 + step_s);
    const auto next = GiveKey(shifter, 0, 64);
    EXPECT_FALSE(next->moved) << "the new clock agrees with itself";
    EXPECT_NEAR(next->time_code_s, 14, 1e-6);
  }
}

TEST(TimeCodeShifter, AServerWithoutAnEpochGoesOnByTheTimeItTook) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  GiveKey(shifter, 600, 50);
  shifter.OnHeader(0);
  const auto place = GiveKey(shifter, 0, 52);
  EXPECT_TRUE(place->moved);
  EXPECT_NEAR(place->time_code_s, 2, 1e-9);
}

TEST(TimeCodeShifter, TheLineRisesWhateverComes) {
  TimeCodeShifter shifter;
  double last_s = -1;
  double receive_s = 0;
  for (int i = 0; i < 50; ++i) {
    shifter.OnHeader(i % 3 == 0 ? 1.7e9 : i % 3 == 1 ? 0 : -5e8);
    const auto place = GiveKey(shifter, i % 7, receive_s);
    EXPECT_GT(place->time_code_s, last_s);
    last_s = place->time_code_s;
    receive_s += i % 4 == 0 ? 0 : 1;
  }
}

TEST(TimeCodeShifter, HolesStayReadable) {
  TimeCodeShifter shifter;
  shifter.OnHeader(1.7e9);
  GiveKey(shifter, 0, 0);
  shifter.OnHeader(1.7e9);
  const auto place = GiveKey(shifter, 4000, 4000);
  EXPECT_TRUE(place->moved);
  EXPECT_LT(place->time_code_s, 300);
}

// From 0 to 1 s at 30 frames a second.
TimeCodeShifter AfterASecond() {
  TimeCodeShifter shifter;
  shifter.OnHeader(1.7e9);
  for (int k = 0; k <= 30; ++k) GiveKey(shifter, k / 30.0, k / 30.0);
  return shifter;
}

TEST(TimeCodeShifter, AStepThatReadersTakeIsKept) {
  TimeCodeShifter shifter = AfterASecond();
  const auto place = GiveKey(shifter, 301, 2);
  EXPECT_NEAR(place->time_code_s, 301, 1e-9);
  EXPECT_EQ(place->jumps, 0);
}

TEST(TimeCodeShifter, AJumpIsClosedAndTheLineGoesOnAFrameLater) {
  for (const double jump_s : {300.1, 1e8, 9e9}) {
    TimeCodeShifter shifter = AfterASecond();
    const auto place = GiveKey(shifter, 1 + jump_s, 1.03);
    EXPECT_NEAR(place->time_code_s, 31 / 30.0, 1e-5) << jump_s;
    EXPECT_TRUE(place->moved);
    EXPECT_EQ(place->jumps, 1);
    EXPECT_NEAR(place->left_out_s, jump_s - 1 / 30.0, 1e-5) << jump_s;
    const auto next = GiveKey(shifter, 1.5 + jump_s, 1.6);
    EXPECT_NEAR(next->time_code_s, 31 / 30.0 + 0.5, 1e-5) << jump_s;
    EXPECT_EQ(next->jumps, 0);
  }
}

TEST(TimeCodeShifter, AServerThatGoesFromZeroToUnixTimeGoesOn) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  GiveKey(shifter, 0, 0);
  EXPECT_NEAR(GiveKey(shifter, 1.7e9, 0.1)->time_code_s, 1 / 30.0, 1e-6);
  EXPECT_NEAR(GiveKey(shifter, 1.7e9 + 0.5, 0.6)->time_code_s, 1 / 30.0 + 0.5, 1e-6);
}

TEST(TimeCodeShifter, AfterAJumpTheSameServerGoesOnByEpochAndCode) {
  TimeCodeShifter shifter = AfterASecond();
  GiveKey(shifter, 5000, 1.03);
  shifter.OnHeader(1.7e9);
  const auto place = GiveKey(shifter, 5002, 3);
  EXPECT_FALSE(place->moved);
  EXPECT_NEAR(place->time_code_s, 31 / 30.0 + 2, 1e-6);
}

TEST(TimeCodeShifter, OneWrongCodeCostsNoFrame) {
  for (const double wrong_s : {1e8, 9e9}) {
    TimeCodeShifter shifter = AfterASecond();
    EXPECT_NEAR(GiveKey(shifter, wrong_s, 1.03)->time_code_s, 31 / 30.0, 1e-5);
    const auto back = GiveKey(shifter, 32 / 30.0, 1.06);
    EXPECT_NEAR(back->time_code_s, 32 / 30.0, 1e-5);
    EXPECT_EQ(back->jumps, 1);
    EXPECT_NEAR(GiveKey(shifter, 33 / 30.0, 1.1)->time_code_s, 33 / 30.0, 1e-5);
  }
}

TEST(TimeCodeShifter, CodesThatFallToTheStartGoOn) {
  TimeCodeShifter shifter = AfterASecond();
  for (double time_code_s = 1; time_code_s < 1000; ++time_code_s)
    GiveKey(shifter, time_code_s, time_code_s);
  EXPECT_EQ(GiveKey(shifter, 998, 1000)->jumps, 0) << "repeated";
  const auto place = GiveKey(shifter, 0, 1001);
  EXPECT_EQ(place->jumps, 1);
  EXPECT_GT(place->time_code_s, 999);
  EXPECT_LE(place->time_code_s, 1000);
}

TEST(TimeCodeShifter, TracksThatComeOneAfterTheOtherAreNoJump) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  std::vector<double> time_codes_s;
  for (int k = 0; k < 5000; ++k) time_codes_s.push_back(k);
  for (const int track : {wire::kWeights, wire::kRotations, wire::kTranslations}) {
    for (size_t from = 0; from < time_codes_s.size(); from += 500) {
      const auto part = time_codes_s.begin() + static_cast<std::ptrdiff_t>(from);
      const auto place = shifter.OnMessage(DataOfKeys({part, part + 500}, track), 0, 0);
      EXPECT_EQ(place->jumps, 0);
      EXPECT_EQ(place->time_code_s, static_cast<double>(from));
    }
  }
}

TEST(TimeCodeShifter, AJumpWithinAMessageIsClosedToo) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  wire::DataChunk data = DataOfKeys({0, 1, 2, 1e6, 1e6 + 1});
  data.pose[wire::kRotations] = {0, {0, 1e6, 1e6 + 1}, {}};
  AddSound(2, 32000, data);
  const auto place = shifter.OnMessage(data, kSoundRate_hz, 0);
  EXPECT_EQ(place->jumps, 1);
  EXPECT_EQ(place->At(2), 2);
  EXPECT_NEAR(place->At(1e6), 4, 1e-9) << "after the sound, which ends at 4";
  EXPECT_NEAR(place->At(1e6 + 1), 5, 1e-9);
  const auto next = GiveKey(shifter, 1e6 + 2, 1);
  EXPECT_GT(next->time_code_s, 5);
  EXPECT_LT(next->time_code_s, 7);
}

// A pose that counts from 0 beside a voice that counts Unix time.
TEST(TimeCodeShifter, ATrackOfAnotherClockStaysBesideTheOthers) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  for (int k = 0; k < 300; ++k) {
    wire::DataChunk data = DataOfKeyAt(k / 30.0);
    AddSound(1.7e9 + k / 30.0, 533, data);
    const auto place = shifter.OnMessage(data, kSoundRate_hz, k / 30.0);
    EXPECT_NEAR(place->time_code_s, k / 30.0, 1e-9);
    EXPECT_NEAR(place->At(1.7e9 + k / 30.0), k / 30.0, 0.1) << k;
  }
}

TEST(TimeCodeShifter, AStreamThatJumpsWithEachMessageIsAFrameEach) {
  TimeCodeShifter shifter;
  shifter.OnHeader(0);
  double last_s = -1;
  for (int k = 0; k < 1000; ++k) {
    const auto place = GiveKey(shifter, k % 3 * 1e9 + k % 7 * 1e4, k);
    EXPECT_GT(place->time_code_s, last_s);
    last_s = place->time_code_s;
  }
  EXPECT_NEAR(last_s, 999 / 30.0, 1e-3);
}

}  // namespace
}  // namespace posewire::renderer_sink
