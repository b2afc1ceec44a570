#include "libs/files/read.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "libs/files/byte_source.h"
#include "libs/files/descriptor.h"
#include "libs/files/file.h"
#include "libs/files/open.h"

namespace posewire::files {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Files : public testing::Test {
 protected:
  Files() : folder_(fs::path(testing::TempDir()) / "files_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "in" / "below");
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  std::string MakePipe(const std::string& name) const {
    EXPECT_EQ(mkfifo(Path(name).c_str(), 0600), 0);
    return Path(name);
  }
  // How reading fails; "read" if it does not.
  static std::string Why(const std::string& path, uint64_t most = 100) {
    const auto read = ReadWhole(path, most);
    return read.ok() ? "read" : std::string(read.status().message());
  }
  std::string WhyNamed(const std::string& name) const {
    const auto read = ReadNamed(Path("in/stage.usda"), name, 100);
    return read.ok() ? *read : std::string(read.status().message());
  }

  const fs::path folder_;
};

TEST_F(Files, AreReadWholeUpToTheLimit) {
  const std::string bytes(5000, 'x');
  EXPECT_EQ(*ReadWhole(Write("a", bytes), 5000), bytes);
  EXPECT_EQ(*ReadWhole(Write("none", ""), 0), "");
  const auto over = ReadWhole(Path("a"), 4999);
  EXPECT_EQ(over.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(over.status().message()),
              HasSubstr("/a: has 5000 bytes, and at most 4999 are read"));
  EXPECT_EQ(ReadWhole(Path("gone"), 1).status().code(), absl::StatusCode::kNotFound);
  // The kernel's files say that they have no size.
  EXPECT_THAT(*ReadWhole("/proc/self/status", 1 << 20), HasSubstr("VmRSS"));
  EXPECT_THAT(Why("/proc/self/status", 10), HasSubstr("has more than 10 bytes"));
}

TEST_F(Files, AreReadAtAnyOffset) {
  const auto file = File::Open(Write("a", "0123456789"), File::Mode::kRead);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->Size(), 10);
  EXPECT_EQ(*ReadBytes(**file, 8, 100), "89");
  EXPECT_EQ(*ReadBytes(**file, 3, 4), "3456");
  EXPECT_EQ(*ReadBytes(**file, 10, 4), "");
  EXPECT_THAT(std::string(File::Open(Path("gone"), File::Mode::kRead).status().message()),
              HasSubstr("/gone: cannot open: No such file"));
}

TEST_F(Files, StandardInputIsReadFromWhereItIs) {
  const Descriptor before(dup(STDIN_FILENO));
  {
    const auto file = OpenToRead(Write("input", "head, body"));
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_EQ(lseek(file->get(), 6, SEEK_SET), 6);
    ASSERT_EQ(dup2(file->get(), STDIN_FILENO), STDIN_FILENO);
  }
  for (const bool maybe_pipe : {false, true}) {
    const auto in = maybe_pipe ? File::OpenMaybePipe("-", [] { return false; })
                               : File::Open("-", File::Mode::kRead);
    ASSERT_TRUE(in.ok()) << in.status();
    EXPECT_EQ((*in)->Size(), 4);
    EXPECT_EQ(*ReadBytes(**in, 0, 100), "body");
    EXPECT_EQ(*ReadBytes(**in, 2, 100), "dy");
  }
  dup2(before.get(), STDIN_FILENO);
}

TEST_F(Files, APipeIsReadInOrderOnly) {
  const auto pipe = File::OpenMaybePipe(MakePipe("pipe"), [] { return false; });
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  const Descriptor writer(open(Path("pipe").c_str(), O_WRONLY | O_NONBLOCK));
  ASSERT_EQ(write(writer.get(), "0123456789", 10), 10);
  EXPECT_EQ((*pipe)->Size(), 0);
  EXPECT_EQ(*ReadBytes(**pipe, 0, 4), "0123");
  EXPECT_THAT(std::string(ReadBytes(**pipe, 2, 4).status().message()),
              HasSubstr("/pipe: cannot seek: Illegal seek"));
  EXPECT_EQ(*ReadBytes(**pipe, 4, 100), "456789");
}

TEST_F(Files, ReadRejectsAllButRegularFilesAtOnce) {
  const std::string pipe = MakePipe("pipe");
  fs::create_symlink(pipe, Path("link"));
  fs::create_symlink(Path("link"), Path("link_to_link"));
  for (const std::string& path : {pipe, Path("link"), Path("link_to_link")}) {
    EXPECT_EQ(Why(path), path + ": is a pipe; a regular file is needed");
  }
  EXPECT_EQ(Why(Path("in")), Path("in") + ": is a folder; a regular file is needed");
  EXPECT_EQ(Why("/dev/zero"), "/dev/zero: is a device; a regular file is needed");
  EXPECT_EQ(Why("/dev/null"), "/dev/null: is a device; a regular file is needed");
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(Path("s").size(), sizeof(address.sun_path));
  std::strcpy(address.sun_path, Path("s").c_str());
  ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(Why(Path("s")), Path("s") + ": is a socket; a regular file is needed");
  close(socket);
}

TEST_F(Files, MayBePipesWhereThatIsAskedFor) {
  auto pipe = OpenToRead(MakePipe("pipe"), Readable::kRegularFileOrPipe);
  ASSERT_TRUE(pipe.ok()) << pipe.status();
  EXPECT_TRUE(IsPipe(*pipe));
  const auto zero = OpenToRead("/dev/zero", Readable::kRegularFileOrPipe);
  EXPECT_EQ(zero.status().message(), "/dev/zero: is a device; a regular file or a pipe is needed");
}

TEST_F(Files, AreWrittenIntoAPipeOnlyIfItIsRead) {
  const std::string path = MakePipe("pipe");
  for (const Writing writing : {Writing::kReplace, Writing::kKeep}) {
    const auto alone = OpenToWrite(path, writing);
    EXPECT_EQ(alone.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(alone.status().message()), HasSubstr("a pipe that nothing reads"));
  }
  const Descriptor reader(open(path.c_str(), O_RDONLY | O_NONBLOCK));
  const auto writer = OpenToWrite(path, Writing::kReplace);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ(fcntl(writer->get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(OpenToWrite(path, Writing::kNew).status().code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(Files, AreReplacedWholeOrNotAtAll) {
  ASSERT_TRUE(WriteWhole(Path("a"), "first").ok());
  ASSERT_TRUE(WriteWhole(Path("a"), "second").ok());
  EXPECT_EQ(*ReadWhole(Path("a"), 100), "second");
  EXPECT_FALSE(WriteWhole(Path("in"), "over a folder").ok());
  EXPECT_FALSE(WriteWhole(Path("none/a"), "x").ok());
  EXPECT_FALSE(fs::exists(Path("in.part")));
}

TEST_F(Files, ThatArePipesOrDevicesAreWrittenToAndStay) {
  const std::string path = MakePipe("pipe");
  const Descriptor reader(open(path.c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(WriteWhole(path, "through").ok());
  char got[16] = {};
  EXPECT_EQ(read(reader.get(), got, sizeof(got)), 7);
  EXPECT_STREQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_TRUE(WriteWhole("/dev/null", "gone").ok());
  EXPECT_FALSE(fs::exists("/dev/null.part"));
}

TEST_F(Files, OfALinkAreReplacedAndTheLinkStays) {
  ASSERT_TRUE(WriteWhole(Path("a"), "first").ok());
  fs::create_symlink("a", Path("link"));
  ASSERT_TRUE(WriteWhole(Path("link"), "second").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(*ReadWhole(Path("a"), 100), "second");
}

TEST_F(Files, ThatAreNamedAreBesideOrBelowTheOneThatNamesThem) {
  Write("in/beside", "beside");
  Write("in/below/b", "below");
  Write("secret", "secret");
  EXPECT_EQ(WhyNamed("beside"), "beside");
  EXPECT_EQ(WhyNamed("./below/b"), "below");
  EXPECT_EQ(WhyNamed("below/../beside"), "beside");
  EXPECT_EQ(WhyNamed(Path("in/beside")), "beside");  // as OpenUSD flattens
  fs::create_symlink("below/b", Path("in/inner"));
  EXPECT_EQ(WhyNamed("inner"), "below");

  fs::create_symlink("../secret", Path("in/link"));
  fs::create_symlink(folder_, Path("in/folder"));
  for (const std::string& name :
       {std::string("../secret"), std::string("below/../../secret"), Path("secret"),
        std::string("link"), std::string("folder/secret"), std::string("/etc/passwd"),
        std::string("../in/../secret"), std::string("http://127.0.0.1/x"), std::string("C:/x"),
        std::string("..\\secret"), std::string("")}) {
    EXPECT_THAT(WhyNamed(name), HasSubstr("is not in the folder of")) << name;
  }
  // What there is elsewhere does not show.
  EXPECT_THAT(WhyNamed("../no_secret"), HasSubstr("is not in the folder of"));
  EXPECT_THAT(WhyNamed("gone"), HasSubstr("cannot open"));
  MakePipe("in/pipe");
  EXPECT_THAT(WhyNamed("pipe"), HasSubstr("in/pipe: is a pipe"));
  EXPECT_EQ(ReadNamed(Path("in/stage.usda"), "beside", 3).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(Files, ThatAreNamedByOneInTheWorkingFolder) {
  Write("in/beside", "beside");
  const fs::path before = fs::current_path();
  fs::current_path(Path("in"));
  const auto read = ReadNamed("stage.usda", "beside", 100);
  const auto left = ReadNamed("stage.usda", "../secret", 100);
  const auto gone = ReadNamed("stage.usda", "gone", 100);
  fs::current_path(before);
  EXPECT_EQ(*read, "beside");
  EXPECT_EQ(left.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(gone.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace posewire::files
