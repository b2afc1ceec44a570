// The main program of every C++ test executable. An executable holds the tests of one folder, and
// CTest has one entry per source file:
//
//   skel_tests --from=pose_test.cc     runs the tests written in pose_test.cc
//   skel_tests                         runs all of them; takes GoogleTest's own flags
//
// GoogleTest records the file of each test, so no list of suites has to be kept anywhere. A test
// that is written in no *_test.cc file would belong to no entry and never run: that is an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

const char* BaseName(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool IsTestSource(const std::string& file) {
  static constexpr char kEnding[] = "_test.cc";
  const size_t length = sizeof(kEnding) - 1;
  return file.size() > length && file.compare(file.size() - length, length, kEnding) == 0;
}

// A filter that selects the tests of `source`, or an empty string if there are none. Reports tests
// that belong to no source in `stray`.
std::string FilterFor(const std::string& source, std::string* stray) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      const testing::TestInfo& test = *suite.GetTestInfo(k);
      const std::string name = std::string(suite.name()) + "." + test.name();
      const std::string file = BaseName(test.file());
      if (!IsTestSource(file)) *stray += name + " (" + file + ") ";
      if (file == source) filter += (filter.empty() ? "" : ":") + name;
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  static constexpr char kFrom[] = "--from=";
  if (argc > 1 && std::strncmp(argv[1], kFrom, sizeof(kFrom) - 1) == 0) {
    if (testing::GTEST_FLAG(filter) != "*") {
      std::fprintf(stderr, "--from and --gtest_filter select tests each: give one of them.\n");
      return 1;
    }
    const std::string source = argv[1] + sizeof(kFrom) - 1;
    std::string stray;
    const std::string filter = FilterFor(source, &stray);
    if (!stray.empty()) {
      std::fprintf(stderr, "Tests outside of *_test.cc files have no CTest entry: %s\n",
                   stray.c_str());
      return 1;
    }
    if (filter.empty()) {
      std::fprintf(stderr, "No test of this executable is written in %s.\n", source.c_str());
      return 1;
    }
    testing::GTEST_FLAG(filter) = filter;
  }
  return RUN_ALL_TESTS();
}
