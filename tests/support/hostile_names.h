// Joint names that cost most to compare, as many as fit into a message of 4 MiB.
#ifndef POSEWIRE_TESTS_SUPPORT_HOSTILE_NAMES_H_
#define POSEWIRE_TESTS_SUPPORT_HOSTILE_NAMES_H_

#include <string>
#include <utility>
#include <vector>

namespace posewire::test {

using NamedPaths = std::pair<const char*, std::vector<std::string>>;

inline std::vector<NamedPaths> HostileNames() {
  constexpr int kMost = 32767;
  constexpr size_t kBytes = 4 << 20;
  std::vector<std::string> same_last, same_end, same_start, deep, one_long;
  const std::string tail(100, 'b');
  for (int i = 0; i < kMost; ++i) {
    const std::string number = std::to_string(i);
    same_last.push_back("j" + number + "/a");
    same_end.push_back(number + "/a/b/c/d/e/f/" + tail);
    same_start.push_back("a/b/c/d/e/f/" + tail + "/" + number);
  }
  std::string path = "a";
  for (size_t bytes = 0; bytes < kBytes; bytes += path.size(), path += "/a") deep.push_back(path);
  for (std::string p = "a"; p.size() < kBytes; p += "/a") {
    if (p.size() == 1) p.reserve(kBytes + 2);
    if (p.size() + 2 >= kBytes) one_long.push_back(p);
  }
  return {{"equal last names", same_last},
          {"equal ends", same_end},
          {"equal starts", same_start},
          {"each below the one before", deep},
          {"one of two million elements", one_long}};
}

}  // namespace posewire::test

#endif  // POSEWIRE_TESTS_SUPPORT_HOSTILE_NAMES_H_
