// Reads characters for tests.
#ifndef POSEWIRE_TESTS_UNIT_CHARACTER_READING_H_
#define POSEWIRE_TESTS_UNIT_CHARACTER_READING_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/character_file/read_character.h"
#include "libs/skel/rig.h"

namespace posewire::character {

inline const skel::RigCatalog& Rigs() {
  static const auto* const rigs = new skel::RigCatalog(*skel::RigCatalog::Builtin("arkit68"));
  return *rigs;
}

inline absl::StatusOr<std::shared_ptr<const Character>> Read(
    const std::string& bytes, const Limits& limits = {},
    const asset::ReadSidecar& read_sidecar = nullptr) {
  return character_file::ReadCharacter(bytes, "test", Rigs(),
                                       {.limits = limits, .read_sidecar = read_sidecar});
}

// A character that must read without an error.
inline std::shared_ptr<const Character> Good(const std::string& bytes,
                                             const asset::ReadSidecar& read_sidecar = nullptr) {
  auto out = Read(bytes, {}, read_sidecar);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? *out : nullptr;
}

// The error of a character that must not read.
inline std::string WhyNot(const std::string& bytes, const Limits& limits = {}) {
  const auto out = Read(bytes, limits);
  return out.ok() ? "is read" : std::string(out.status().message());
}

}  // namespace posewire::character

#endif  // POSEWIRE_TESTS_UNIT_CHARACTER_READING_H_
