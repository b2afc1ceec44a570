#include "libs/gesture_loader/check.h"

#include <cmath>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/names/known_names.h"
#include "libs/prototext/read_text.h"

namespace posewire::gesture {
namespace {

namespace v1 = choreography::v1;
using google::protobuf::TextFormat;
using Tree = TextFormat::ParseInfoTree;

constexpr int kMostGestures = 200, kMostPlaces = 200, kMostMoves = 1000, kMostKeys = 500;
constexpr size_t kMostNameBytes = 64;
constexpr double kShortest_s = 0.2, kLongest_s = 60;

bool IsWord(const std::string& text) {
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return !text.empty() && text.size() <= kMostNameBytes;
}

std::string Quoted(const std::string& text) {
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMostNameBytes)), "\"");
}

class Checker {
 public:
  explicit Checker(const std::string& file) : file_(file) {}

  void File(const v1::Choreography& all, const Tree& tree) {
    if (all.gestures_size() == 0) Wrong("the file has no gestures");
    if (all.gestures_size() > kMostGestures) {
      return Wrong(
          absl::StrFormat("%d gestures; at most %d are right", all.gestures_size(), kMostGestures));
    }
    const auto* field = v1::Choreography::descriptor()->FindFieldByName("gestures");
    std::set<std::string> names;
    for (int i = 0; i < all.gestures_size(); ++i) {
      gesture_ = &all.gestures(i);
      line_ = tree.GetLocation(field, i).line + 1;
      who_ = absl::StrCat("gesture ", Quoted(gesture_->name()));
      if (!IsWord(gesture_->name())) {
        Wrong(absl::StrCat("a name is made of letters, digits and underscores, at most ",
                           kMostNameBytes));
      }
      if (!names.insert(gesture_->name()).second) Wrong("the name is used twice");
      Gesture(tree.GetTreeForNested(field, i));
    }
  }

  absl::Status status() const {
    return wrong_.empty() ? absl::OkStatus()
                          : absl::InvalidArgumentError(absl::StrJoin(wrong_, "\n"));
  }

 private:
  void Wrong(const std::string& what) {
    if (wrong_.size() >= prototext::kMostErrors) return;
    std::string at = file_;
    if (line_ > 0) absl::StrAppend(&at, at.empty() ? "line " : ":", line_);
    wrong_.push_back(
        absl::StrCat(at, at.empty() ? "" : ": ", who_, who_.empty() ? "" : ": ", what));
  }
  // Reports an error for a number outside the range.
  void Within(const char* name, double value, double low, double high) {
    if (value >= low && value <= high) return;  // also false for NaN
    Wrong(absl::StrFormat("%s is %g; %g to %g is right", name, value, low, high));
  }
  template <typename Numbers>
  void Three(const char* name, const Numbers& numbers, double most) {
    if (numbers.size() != 3) {
      return Wrong(absl::StrFormat("%s has %d numbers; three are right, such as [0, 1, 0]", name,
                                   numbers.size()));
    }
    for (const float v : numbers) Within(name, v, -most, most);
  }
  bool loops() const {
    return gesture_->kind() == v1::Gesture::POSTURE || gesture_->kind() == v1::Gesture::LAYER;
  }

  void Gesture(const Tree* tree) {
    const v1::Gesture& g = *gesture_;
    Within("length_s", g.length_s(), kShortest_s, kLongest_s);
    if (!v1::Gesture::Kind_IsValid(g.kind())) Wrong("kind is not known");
    if (g.places_size() > kMostPlaces) Wrong(absl::StrCat("more than ", kMostPlaces, " places"));
    if (g.moves_size() > kMostMoves) Wrong(absl::StrCat("more than ", kMostMoves, " moves"));
    if (g.moves_size() == 0) Wrong("it has no moves");
    places_.clear();
    const auto* places = v1::Gesture::descriptor()->FindFieldByName("places");
    const auto* moves = v1::Gesture::descriptor()->FindFieldByName("moves");
    const std::string whole = who_;
    const int line = line_;
    for (int i = 0; i < g.places_size() && i < kMostPlaces; ++i) {
      if (tree != nullptr) line_ = tree->GetLocation(places, i).line + 1;
      who_ = absl::StrCat(whole, ", place ", Quoted(g.places(i).name()));
      Place(g.places(i));
    }
    for (int i = 0; i < g.moves_size() && i < kMostMoves; ++i) {
      if (tree != nullptr) line_ = tree->GetLocation(moves, i).line + 1;
      who_ = absl::StrCat(whole, ", moves[", i, "]");
      Move(g.moves(i));
    }
    who_ = whole;
    line_ = line;
  }

  void Place(const v1::Place& place) {
    if (place.name().empty()) Wrong("it has no name");
    for (const std::string& known : places_) {
      if (known == place.name()) Wrong("the name is used twice");
    }
    places_.push_back(place.name());
    constexpr double kFar_m = 3, kLong = 100, kUp_rad = 1.5;
    Three("wrist", place.wrist(), kFar_m);
    Three("fingers", place.fingers(), kLong);
    Three("palm", place.palm(), kLong);
    if (place.elbow_size() > 0) Three("elbow", place.elbow(), kLong);
    Within("shoulder_up", place.shoulder_up(), -kUp_rad, kUp_rad);
    Within("shoulder_front", place.shoulder_front(), -kUp_rad, kUp_rad);
  }

  void Times(const v1::Move& move) {
    const int count = move.at_s_size();
    double before = 0;
    for (int i = 0; i < count; ++i) {
      const double at = move.at_s(i);
      // In a loop, motion may continue past the end.
      Within("at_s", at, 0, loops() ? 2 * gesture_->length_s() : gesture_->length_s() + 5);
      if (i > 0 && at < before) {
        Wrong(absl::StrFormat("at_s goes back from %g to %g; times rise", before, at));
      }
      before = at;
    }
    if (loops() && count == 4 && move.at_s(3) > move.at_s(0) + gesture_->length_s()) {
      Wrong("at_s spans more than a period");
    }
    if (count > 2 && !loops() && (move.has_arm() || move.has_home() || move.has_hand())) {
      Wrong("at_s has more than two times; an arm goes back by home");
    }
    if (loops()) {
      if (move.has_swing() && count > 0) Wrong("it has swing and at_s; one of them is right");
      if (count != 0 && count != 4) {
        Wrong(absl::StrFormat("at_s has %d times; a looping gesture takes none or four", count));
      }
    } else if (move.has_keys()) {
      if (count == 0 || count != move.keys().degrees_size()) {
        Wrong(absl::StrFormat("at_s has %d times, and keys.degrees %d values; as many are right",
                              count, move.keys().degrees_size()));
      }
    } else if (count != 2 && count != 4) {
      Wrong(
          absl::StrFormat("at_s has %d times; two (from, to) or four (come, go) are right", count));
    } else if (move.at_s(0) >= move.at_s(1) || (count == 4 && move.at_s(2) >= move.at_s(3))) {
      Wrong("at_s gives a move no time");
    }
  }

  void Move(const v1::Move& move) {
    Times(move);
    if (move.has_swing()) {
      if (!loops()) Wrong("swing is of kind POSTURE and LAYER alone");
      if (!move.has_keys() && !move.has_turn() && !move.has_shape()) {
        Wrong("swing goes with keys, turn or shape");
      }
      Within("swing.times", move.swing().times(), 1, 200);
      Within("swing.phase", move.swing().phase(), -10, 10);
    }
    switch (move.what_case()) {
      case v1::Move::kArm:
        return Arm(move.arm());
      case v1::Move::kHome:
      case v1::Move::kHand:
        if (loops()) Wrong("home and hand are of kind BODY and FACIAL alone");
        return;
      case v1::Move::kKeys:
        return Keys(move);
      case v1::Move::kTurn:
        Three("turn.to", move.turn().to(), move.turn().part() == v1::Turn::PELVIS_SHIFT ? 1 : 180);
        return Within("turn.overshoot", move.turn().overshoot(), 0, 0.5);
      case v1::Move::kShape:
        return Shape(move.shape());
      case v1::Move::kBreath:
      case v1::Move::kLife:
        if (!loops()) Wrong("breath and life are of kind POSTURE and LAYER alone");
        Within("breath.times", move.breath().times(), 0, 100);
        Within("breath.depth", move.breath().depth(), 0, 5);
        return Within("life.amount", move.life().amount(), 0, 5);
      case v1::Move::WHAT_NOT_SET:
        return Wrong("one of arm, home, hand, keys, turn, shape, breath, life must be given");
    }
  }

  void Arm(const v1::Arm& arm) {
    Within("arm.vigour", arm.vigour(), 0, 3);
    if (arm.place().empty() == arm.bends().empty()) {
      return Wrong("an arm needs place, or else bends");
    }
    for (const v1::Bend& bend : arm.bends()) Within("degrees", bend.degrees(), -360, 360);
    if (arm.place().empty()) return;
    for (const std::string& known : places_) {
      if (known == arm.place()) return;
    }
    Wrong(
        absl::StrCat("there is no place ", Quoted(arm.place()), KnownNames(arm.place(), places_)));
  }

  void Keys(const v1::Move& move) {
    const v1::Keys& keys = move.keys();
    if (keys.degrees_size() > kMostKeys) Wrong(absl::StrCat("more than ", kMostKeys, " keys"));
    if (loops() && !(move.has_swing() && keys.degrees_size() == 1)) {
      Wrong("in a looping gesture, keys have swing and one value");
    }
    for (const float degrees : keys.degrees()) Within("keys.degrees", degrees, -360, 360);
  }

  void Shape(const v1::Shape& shape) {
    if (shape.names_size() == 0) Wrong("shape has no names");
    for (const std::string& name : shape.names()) {
      if (name.empty() || name.size() > 2 * kMostNameBytes) Wrong("shape.names has no such name");
    }
    Within("shape.weight", shape.weight(), -1, 1);
  }

  const std::string file_;
  const v1::Gesture* gesture_ = nullptr;
  std::vector<std::string> places_;
  std::string who_;
  int line_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace

absl::Status Check(const v1::Choreography& file, const std::string& name, const Tree& tree) {
  Checker checker(name);
  checker.File(file, tree);
  return checker.status();
}

}  // namespace posewire::gesture
