// Variables of a graph, which clients can set: each has a type, a range and a value.
#ifndef POSEWIRE_LIBS_GRAPH_VARIABLES_H_
#define POSEWIRE_LIBS_GRAPH_VARIABLES_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/skel/math.h"

namespace posewire::graph {

enum class VariableType : uint8_t { kNumber, kChoice, kFlag, kVector };
// Returns "number", "choice", "flag" or "vector".
const char* NameOf(VariableType type);

// The name of the part that is the character itself.
inline constexpr absl::string_view kCharacterPart = "character";

// One value of any type. `number` is the value of a number, 0 or 1 for a flag, and the index of a
// choice.
struct Value {
  double number = 0;
  skel::Vec3 vector;
};

struct VariableSpec {
  std::string name, description, unit;
  VariableType type = VariableType::kNumber;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::vector<std::string> values;  // of a choice; never empty for one
  // For a choice: NAME_2 means NAME if there is no NAME_2. The values are names of clips, and other
  // programs number variants of their clips.
  bool takes_variants = false;
  Value initial;
  // For a choice: the part of the character that it selects, or kCharacterPart; empty: none.
  std::string appearance;

  // Parses a value as users write it: a number, the name of a choice (as in FindChoice),
  // true/false/1/0, or "x,y,z". INVALID_ARGUMENT names the variable, the text, and the range or the
  // known values, likely matches first.
  absl::StatusOr<Value> Parse(absl::string_view text) const;
  std::string Format(const Value& value) const;
  // Matches the whole name, then ignoring case, then as a variant; -1 if there is none.
  int FindChoice(absl::string_view text) const;

 private:
  int FindValue(absl::string_view text) const;
};

// The variables of one graph, by index. Immutable once made; may be shared by threads.
class VariableSet {
 public:
  VariableSet() = default;
  // Names must differ (the loader checks this).
  explicit VariableSet(std::vector<VariableSpec> specs);

  int size() const { return static_cast<int>(specs_.size()); }
  const VariableSpec& spec(int i) const { return specs_[static_cast<size_t>(i)]; }
  // Returns -1 if there is none.
  int Find(absl::string_view name) const;
  // The variables that select parts of the character.
  const std::vector<int>& appearance() const { return appearance_; }
  // NOT_FOUND lists the known names.
  absl::StatusOr<int> Index(absl::string_view name) const;

 private:
  std::vector<VariableSpec> specs_;
  std::vector<int> appearance_;
  absl::flat_hash_map<std::string, int> by_name_;
};

// The values of one avatar. One thread; only the constructor allocates.
class Variables {
 public:
  explicit Variables(std::shared_ptr<const VariableSet> set);

  const VariableSet& set() const { return *set_; }
  const Value& value(int i) const { return values_[static_cast<size_t>(i)].value; }
  double number(int i) const { return value(i).number; }
  int choice(int i) const { return static_cast<int>(value(i).number); }
  // Incremented by each Set, even to the same value: a gesture that is set again plays again.
  uint32_t sets(int i) const { return values_[static_cast<size_t>(i)].sets; }

  void Set(int i, const Value& value);
  // A node returns a variable to its resting value (a gesture has ended). Does not count as a Set.
  void Settle(int i, const Value& value) { values_[static_cast<size_t>(i)].value = value; }
  // The same of a number that is measured, within the variable's range; unknown: its default. Has
  // no effect if `i` is negative.
  void SettleNumber(int i, std::optional<double> known);

  // Copies the values of the other's variables with the same names, if their type and value are
  // valid here; choices by name.
  void Adopt(const Variables& other);

 private:
  struct Entry {
    Value value;
    uint32_t sets = 0;
  };
  std::shared_ptr<const VariableSet> set_;
  std::vector<Entry> values_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_VARIABLES_H_
