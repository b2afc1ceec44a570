#include "libs/names/known_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace posewire {
namespace {

TEST(KnownNames, ListsFewAndCountsMany) {
  const std::vector<std::string> few = {"nod", "wave"};
  EXPECT_EQ(KnownNames("wabe", few), "; did you mean wave? Known are nod, wave");
  EXPECT_EQ(KnownNames("xyz", few), "; known are nod, wave");
  EXPECT_EQ(KnownNames("xyz", {}), "; there is none");
  std::vector<std::string> many = few;
  while (many.size() <= kFewNames) many.push_back(absl::StrCat("clip_", many.size()));
  EXPECT_EQ(KnownNames("wabe", many), "; did you mean wave? There are 17");
  EXPECT_EQ(KnownNames("xyz", many), "; there are 17, such as nod, wave, clip_2");
}

}  // namespace
}  // namespace posewire
