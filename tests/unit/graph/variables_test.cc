#include "libs/graph/variables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace posewire::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

VariableSpec NumberSpec(const char* name, double min, double max) {
  VariableSpec s;
  s.name = name, s.min = min, s.max = max, s.unit = "s";
  return s;
}
VariableSpec ChoiceSpec(const char* name, std::vector<std::string> values) {
  VariableSpec s;
  s.name = name, s.type = VariableType::kChoice, s.values = std::move(values);
  return s;
}
VariableSpec Of(const char* name, VariableType type) {
  VariableSpec s;
  s.name = name, s.type = type;
  return s;
}

std::string Error(const VariableSpec& spec, const char* text) {
  return std::string(spec.Parse(text).status().message());
}

TEST(VariableSpec, ReadsNumbersWithinTheirRange) {
  const VariableSpec s = NumberSpec("delay", 0, 10);
  EXPECT_EQ(s.Parse("2.5")->number, 2.5);
  EXPECT_EQ(s.Parse("0")->number, 0);
  for (const char* bad : {"-0.1", "10.1", "nan", "inf", "1e999", "", "2 s", "two"}) {
    EXPECT_THAT(Error(s, bad), AllOf(HasSubstr("delay"), HasSubstr("from 0 to 10 s"))) << bad;
  }
}

TEST(VariableSpec, ReadsChoicesWholeThenIgnoringCase) {
  const VariableSpec s = ChoiceSpec("posture_state", {"Talking", "talking", "Idle"});
  EXPECT_EQ(s.Parse("talking")->number, 1);
  EXPECT_EQ(s.Parse("IDLE")->number, 2);
  EXPECT_THAT(Error(s, "Flying\n"), AllOf(HasSubstr("posture_state"), HasSubstr("Flying\\n"),
                                          HasSubstr("Talking"), HasSubstr("Idle")));
}

TEST(VariableSpec, AsksWhatAnUnknownChoiceMeantFirst) {
  const VariableSpec s = ChoiceSpec("posture_state", {"Talking", "Idle", "Thinking"});
  const std::string error = Error(s, "thinkin");
  EXPECT_THAT(error, AllOf(HasSubstr("\"thinkin\" is not known; did you mean Thinking? Known are "),
                           HasSubstr("Talking, Idle, Thinking")));
  EXPECT_THAT(Error(s, "Flying"),
              HasSubstr("\"Flying\" is not known; known are Talking, Idle, Thinking"));
}

TEST(VariableSpec, TakesNumberedVariantsOnlyWhereItIsToldTo) {
  VariableSpec s = ChoiceSpec("clip", {"Bowing", "Wave", "Wave_2"});
  EXPECT_FALSE(s.Parse("Bowing_2").ok());
  s.takes_variants = true;
  EXPECT_EQ(s.Parse("bowing_2")->number, 0);
  EXPECT_EQ(s.Parse("Wave_2")->number, 2) << "a value of its own goes before";
  EXPECT_EQ(s.Parse("wave_3")->number, 1);
  EXPECT_EQ(s.Parse("Wave_2_3")->number, 2);
  for (const char* bad : {"Bowing_", "Bowing_1234", "Bowing2", "_2", "2", "", "Bow_2"}) {
    EXPECT_FALSE(s.Parse(bad).ok()) << bad;
  }
}

TEST(VariableSpec, ReadsFlagsAndVectors) {
  const VariableSpec flag = Of("on", VariableType::kFlag), v = Of("at", VariableType::kVector);
  EXPECT_EQ(flag.Parse("TRUE")->number, 1);
  EXPECT_EQ(flag.Parse("0")->number, 0);
  EXPECT_FALSE(flag.Parse("2").ok());
  EXPECT_EQ(v.Parse("1, -2.5,3")->vector.y, -2.5f);
  for (const char* bad : {"1,2", "1,2,3,4", "1,2,x", "1,2,1e7", "nan,0,0"}) {
    EXPECT_FALSE(v.Parse(bad).ok()) << bad;
  }
}

TEST(VariableSpec, ReadsBackItsOwnText) {
  for (const VariableSpec& s : {NumberSpec("n", -5, 5), ChoiceSpec("c", {"a", "b"}),
                                Of("f", VariableType::kFlag), Of("v", VariableType::kVector)}) {
    Value value;
    value.number = 1;
    value.vector = {1.5f, -2, 0.25f};
    const auto again = s.Parse(s.Format(value));
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(s.Format(*again), s.Format(value));
  }
}

TEST(VariableSet, AnUnknownNameListsTheKnown) {
  const VariableSet set({NumberSpec("a", 0, 1), NumberSpec("b", 0, 1)});
  EXPECT_EQ(*set.Index("b"), 1);
  EXPECT_THAT(std::string(set.Index("c").status().message()),
              AllOf(HasSubstr("\"c\""), HasSubstr("a, b")));
}

TEST(Variables, CountEverySetEvenToTheSameValue) {
  Variables v(std::make_shared<VariableSet>(std::vector{NumberSpec("a", 0, 1)}));
  EXPECT_EQ(v.sets(0), 0u);
  v.Set(0, {1, {}});
  v.Set(0, {1, {}});
  EXPECT_EQ(v.sets(0), 2u);
  v.Settle(0, {0, {}});
  EXPECT_EQ(v.sets(0), 2u);
  EXPECT_EQ(v.number(0), 0);
}

TEST(Variables, AdoptByNameTypeAndRange) {
  Variables old(std::make_shared<VariableSet>(
      std::vector{NumberSpec("n", 0, 10), ChoiceSpec("c", {"x", "y"}), ChoiceSpec("d", {"x", "y"}),
                  Of("gone", VariableType::kFlag), Of("changed", VariableType::kFlag)}));
  old.Set(0, {8, {}});
  old.Set(1, {1, {}});
  old.Set(2, {1, {}});
  Variables now(std::make_shared<VariableSet>(
      std::vector{Of("changed", VariableType::kVector), ChoiceSpec("d", {"x", "z"}),
                  ChoiceSpec("c", {"z", "y"}), NumberSpec("n", 0, 5)}));
  now.Adopt(old);
  EXPECT_EQ(now.number(3), 5) << "held within the new range";
  EXPECT_EQ(now.choice(2), 1) << "by name";
  EXPECT_EQ(now.choice(1), 0) << "y is no more";
  EXPECT_EQ(now.sets(3), 1u) << "nothing plays anew";
  EXPECT_EQ(now.sets(0), 0u);
}

}  // namespace
}  // namespace posewire::graph
