#include "libs/graph/user_acts_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "libs/graph/rest_fill.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/graph/look_at_helpers.h"

namespace posewire::graph {
namespace {

using skel::Quat;
using skel::Vec3;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float kPi = 3.14159265f;

class RestNode : public Node {
 public:
  explicit RestNode(const skel::Rig& rig) : rig_(rig) {}
  void Update(const TickContext&, float) override {}
  void Evaluate(const TickContext&, const skel::PoseSpan& out) override {
    out.CopyFrom(rig_.rest());
  }

 private:
  const skel::Rig& rig_;
};

// Stands before the avatar and faces it, with the head turned from there.
UserInput Facing(Quat turn = {}, float distance_m = 1.4f, const char* name = "ann") {
  UserInput user;
  user.name = name;
  user.has_head = true;
  user.head = {0, 1.6f, distance_m};
  user.head_rotation = Mul(skel::FromAxisAngle({0, 1, 0}, kPi), turn);
  return user;
}

struct Room {
  using Answer = UserActsSettings::Answer;
  explicit Room(std::vector<Answer> answers = {}, bool variables = false)
      : rig(BuiltinRig()),
        parts(std::make_shared<const BodyParts>(rig)),
        stage(rig,
              {NumberVariable("distance", 0), Flag(), ChoiceVariable("gesture", {"none", "bow"})}) {
    UserActsSettings settings;
    settings.answers = std::move(answers);
    if (settings.answers.empty()) {
      for (int act = 0; act <= static_cast<int>(UserAct::kFallsSilent); ++act) {
        Answer answer;
        answer.act = static_cast<UserAct>(act);
        answer.distance_m = answer.act == UserAct::kTouches ? 0.12f : 1;
        if (answer.act == UserAct::kTouches) answer.joint = rig->FindJoint("l_wrist");
        answer.event = act;
        settings.answers.push_back(answer);
      }
    }
    if (variables) settings.distance_variable = 0, settings.looks_variable = 1;
    node = std::make_unique<UserActsNode>("acts", parts, std::make_unique<RestNode>(*rig),
                                          std::move(settings));
  }
  // Writes these, which may be named twice, to a number from 0 over 0.5 to 1, and the mood to a
  // choice.
  explicit Room(int UserActsSettings::*first, int UserActsSettings::*second = nullptr)
      : rig(BuiltinRig()),
        parts(std::make_shared<const BodyParts>(rig)),
        stage(rig, {Activity(), Flag(), ChoiceVariable("mood", {"none", "happy", "sad"})}) {
    UserActsSettings settings;
    for (auto variable : {first, second}) {
      if (variable == nullptr) continue;
      settings.*variable = variable == &UserActsSettings::mood_variable ? 2 : 0;
    }
    node = std::make_unique<UserActsNode>("acts", parts, std::make_unique<RestNode>(*rig),
                                          std::move(settings));
  }
  static VariableSpec Activity() {
    VariableSpec spec = NumberVariable("activity", 0.5);
    spec.min = 0, spec.max = 1;
    return spec;
  }
  static VariableSpec Flag() {
    VariableSpec spec = NumberVariable("looks");
    spec.type = VariableType::kFlag;
    return spec;
  }
  // What was told, in order.
  std::vector<std::string> Run(double seconds, const std::function<void(double)>& each) {
    std::vector<std::string> told;
    for (int k = 0; k < static_cast<int>(seconds * 30); ++k) {
      each(k / 30.0);
      const AllocationCount allocations;
      stage.Tick(*node);
      EXPECT_EQ(allocations.count(), 0);
      for (int i = 0; i < stage.outputs.event_count; ++i) {
        const GraphEvent& event = stage.outputs.events[static_cast<size_t>(i)];
        EXPECT_EQ(event.kind, GraphEvent::kUserActed);
        told.emplace_back(event.name);
      }
    }
    return told;
  }

  std::shared_ptr<const skel::Rig> rig;
  std::shared_ptr<const BodyParts> parts;
  Stage stage;
  std::unique_ptr<UserActsNode> node;
};

TEST(UserActs, SomebodyComesLooksAndGoes) {
  Room room;
  EXPECT_THAT(room.Run(1, [](double) {}), IsEmpty());
  EXPECT_THAT(room.Run(2, [&](double) { room.stage.users = {Facing()}; }),
              ElementsAre("comes", "looks"));
  EXPECT_THAT(room.Run(3,
                       [&](double) {
                         room.stage.users = {Facing(skel::FromAxisAngle({0, 1, 0}, 0.8f))};
                       }),
              ElementsAre("looks_away"));
  EXPECT_THAT(room.Run(0.3, [&](double) { room.stage.users.clear(); }), IsEmpty())
      << "a tracker that blinks";
  EXPECT_THAT(room.Run(1, [](double) {}), ElementsAre("goes"));
}

TEST(UserActs, NearnessHasABorderThatIsCrossedOnce) {
  Room room;
  const auto told = room.Run(6, [&](double t) {
    room.stage.users = {Facing(skel::FromAxisAngle({0, 1, 0}, 1),
                               static_cast<float>(1.03 - 0.05 * std::sin(3 * t)))};
  });
  EXPECT_THAT(told, ElementsAre("comes", "nears"));
  EXPECT_THAT(room.Run(1,
                       [&](double) {
                         room.stage.users = {Facing(skel::FromAxisAngle({0, 1, 0}, 1), 1.5f)};
                       }),
              ElementsAre("leaves"));
}

TEST(UserActs, NodsShakesAndWavesAreToldApart) {
  for (const char* what : {"nods", "shakes_head", "waves"}) {
    Room room;
    const std::string act = what;
    const auto told = room.Run(1.6, [&](double t) {
      const auto swing = static_cast<float>(std::sin(2 * kPi * 2.2 * t));
      Quat turn;
      if (act == "nods") turn = skel::FromAxisAngle({1, 0, 0}, 0.17f * swing);
      if (act == "shakes_head") turn = skel::FromAxisAngle({0, 1, 0}, 0.22f * swing);
      UserInput user = Facing(turn);
      user.has_right_hand = true;
      user.right_hand = user.head + Vec3{0.35f, act == "waves" ? 0.0f : -0.7f, 0};
      if (act == "waves") user.right_hand.x += 0.12f * swing;
      if (act == "nods") user.right_hand.x += 0.2f * swing;  // a hand that hangs does not wave
      room.stage.users = {user};
    });
    EXPECT_THAT(told, ::testing::IsSupersetOf({std::string("comes"), act})) << what;
    for (const char* other : {"nods", "shakes_head", "waves"}) {
      if (other == act) continue;
      EXPECT_THAT(told, ::testing::Not(::testing::Contains(other))) << what;
    }
  }
}

// People who stand and talk move all the time, and mean nothing by it.
TEST(UserActs, HeadsThatDriftDoNothing) {
  std::mt19937 random(4);
  std::normal_distribution<float> any;
  Room room;
  Vec3 drift, hand;
  const auto told = room.Run(120, [&](double) {
    const Vec3 kick{any(random), any(random), any(random)};
    drift = drift * 0.97f + kick * 0.006f;
    hand = hand * 0.97f + kick * 0.004f;
    const Quat turn =
        Mul(skel::FromAxisAngle({0, 1, 0}, drift.x), skel::FromAxisAngle({1, 0, 0}, drift.y));
    UserInput user = Facing(turn);
    user.has_left_hand = true;
    user.left_hand = user.head + Vec3{0.3f, -0.1f, 0} + hand;
    room.stage.users = {user};
  });
  EXPECT_THAT(told, ElementsAre("comes", "looks"));
}

TEST(UserActs, AHandOnTheAvatarsHandTouchesIt) {
  Room room;
  const gesture::Forward at(*room.rig, room.rig->rest(), room.rig->rest());
  const Vec3 wrist = at.at[static_cast<size_t>(room.rig->FindJoint("l_wrist"))];
  const auto told = room.Run(2, [&](double t) {
    UserInput user = Facing(skel::FromAxisAngle({0, 1, 0}, 1));
    user.has_right_hand = true;
    user.right_hand = wrist + Vec3{0, 0, static_cast<float>(0.5 - 0.4 * t)};
    room.stage.users = {user};
  });
  EXPECT_THAT(told, ElementsAre("comes", "touches"));
}

TEST(UserActs, AnswersFireSetAndWait) {
  Room::Answer answer;
  answer.act = UserAct::kSpeaks, answer.user = "bob", answer.event = 3;
  answer.variable = 2, answer.value = {1, {}}, answer.again_s = 2;
  Room room({answer});
  const auto talk = [&](const char* name, bool speaks) {
    return room.Run(0.1, [&](double) {
      room.stage.users = {Facing({}, 1.4f, name)};
      room.stage.users[0].speaks = speaks;
    });
  };
  EXPECT_THAT(talk("ann", true), IsEmpty()) << "another user";
  room.stage.users.clear();
  EXPECT_THAT(talk("bob", false), IsEmpty());
  room.stage.outputs.fire = 0;
  const uint32_t sets = room.stage.variables.sets(2);
  EXPECT_THAT(talk("bob", true), ElementsAre("speaks"));
  EXPECT_EQ(room.stage.outputs.fire, uint64_t{1} << 3);
  EXPECT_EQ(room.stage.variables.choice(2), 1);
  EXPECT_EQ(room.stage.variables.sets(2), sets + 1);
  talk("bob", false);
  EXPECT_THAT(talk("bob", true), IsEmpty()) << "not within 2 s";
  room.Run(2, [](double) {});
  talk("bob", false);
  EXPECT_THAT(talk("bob", true), ElementsAre("speaks"));
}

TEST(UserActs, WritesHowNearAndWhetherSomebodyLooks) {
  Room room({}, true);
  room.Run(1, [&](double) {
    room.stage.users = {Facing({}, 2.5f), Facing(skel::FromAxisAngle({0, 1, 0}, 1), 0.7f, "bob")};
  });
  EXPECT_NEAR(room.stage.variables.number(0), 0.7, 1e-6);
  EXPECT_EQ(room.stage.variables.number(1), 1);
}

TEST(UserActs, ActivityFollowsTheLiveliestUserFromItsDefaultUp) {
  Room room(&UserActsSettings::activity_variable);
  const auto activity = [&](std::vector<float> livelinesses) {
    room.Run(0.1, [&](double) {
      room.stage.users.clear();
      for (const float liveliness : livelinesses) {
        room.stage.users.push_back(Facing());
        room.stage.users.back().liveliness = liveliness;
      }
    });
    return room.stage.variables.number(0);
  };
  EXPECT_NEAR(activity({}), 0.5, 1e-6);
  EXPECT_NEAR(activity({0}), 0.5, 1e-6);
  EXPECT_NEAR(activity({0.2f, 0.5f, 0}), 0.75, 1e-6);
  EXPECT_NEAR(activity({1}), 1, 1e-6);
  EXPECT_NEAR(activity({}), 0.5, 1e-6);
}

TEST(UserActs, ReceivesTheMoodOfTheNearestWhoHasOne) {
  Room room(&UserActsSettings::mood_variable, &UserActsSettings::valence_variable);
  const auto mood = [&](std::vector<UserInput> users) {
    room.Run(0.1, [&](double) { room.stage.users = users; });
    return std::pair(room.stage.variables.choice(2), room.stage.variables.number(0));
  };
  UserInput near = Facing({}, 0.8f, "near"), sad = Facing({}, 2, "sad"),
            glad = Facing({}, 3, "glad");
  sad.mood = "sad", sad.valence = -0.75f;
  glad.mood = "happy", glad.valence = 0.5f;
  EXPECT_EQ(mood({}), std::pair(0, 0.5));
  EXPECT_EQ(mood({near}), std::pair(0, 0.5)) << "without a mood";
  EXPECT_EQ(mood({near, glad, sad}), std::pair(2, 0.0)) << "within the range of the variable";
  EXPECT_EQ(mood({near, glad}), std::pair(1, 0.5));
  glad.mood = "bored", glad.valence.reset();
  EXPECT_EQ(mood({glad}), std::pair(0, 0.5)) << "a mood that the graph does not know";
  glad.mood = "", glad.valence = 0.75f;
  EXPECT_EQ(mood({glad}), std::pair(0, 0.75)) << "numbers without a name";
}

TEST(UserActs, ManyUsersAreNoHarm) {
  Room room;
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("user" + std::to_string(i));
  const auto told = room.Run(1, [&](double) {
    room.stage.users.clear();
    for (const std::string& name : names) {
      room.stage.users.push_back(Facing(skel::FromAxisAngle({0, 1, 0}, 1), 3, name.c_str()));
    }
  });
  EXPECT_EQ(told.size(), UserActsNode::kMostUsers);
}

}  // namespace
}  // namespace posewire::graph
