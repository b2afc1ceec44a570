// Whatever comes in a datagram, reading it ends, stays within it, and yields poses of finite
// numbers. A libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "libs/skel/rig.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/extras.h"
#include "libs/vmc/performer.h"
#include "libs/vmc/pose_reader.h"

namespace posewire::vmc {
namespace {

void Check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Memory that ends where a page begins that nobody may touch: the OSC library has no sanitizer of
// its own that would see it read on.
class GuardedCopy {
 public:
  GuardedCopy() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    size_ = (kMaxDatagramBytes / page + 2) * page;
    void* const memory =
        mmap(nullptr, size_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Check(memory != MAP_FAILED, "there is memory");
    start_ = static_cast<char*>(memory);
    Check(mprotect(start_ + size_, page, PROT_NONE) == 0, "a page can be closed");
  }
  absl::string_view Of(const uint8_t* data, size_t size) const {
    char* const at = start_ + size_ - size;
    if (size > 0) std::memcpy(at, data, size);
    return {at, size};
  }

 private:
  char* start_ = nullptr;
  size_t size_ = 0;
};

struct World {
  World()
      : rig(*skel::RigCatalog::Builtin()->Find("hanim_loa3")),
        pose_reader(*PoseReader::Make(*skel::RigCatalog::Builtin()->Find("vrm"), rig, {})),
        pose(rig->joints(), rig->shapes()) {}
  GuardedCopy copy;
  std::shared_ptr<const skel::Rig> rig;
  PoseReader pose_reader;
  skel::Pose pose;
};

// What was understood can be said again, and is understood the same.
void CheckSaidAgain(const Message& message) {
  const absl::StatusOr<std::string> bytes = EncodeMessage(message);
  Check(bytes.ok(), "a message that was read can be written");
  DatagramReader reader;
  int read = 0;
  reader.Read(*bytes, [&](const Message& again) {
    ++read;
    Check(again.index() == message.index(), "it is of the same kind");
    Check(EncodeMessage(again)->size() == bytes->size(), "it is as long");
  });
  Check(read == 1, "a message that was written can be read");
}

void CheckPose(const skel::PoseView& pose) {
  for (int j = 0; j < pose.joints; ++j) {
    if (pose.has_r[j]) {
      const skel::Quat q = pose.rotation(j);
      Check(std::abs(skel::Dot(q, q) - 1) < 1e-3f, "rotations are of unit length");
    }
    if (pose.has_t[j]) {
      Check(std::isfinite(skel::Length(pose.translation(j))), "places are finite");
    }
  }
  for (int s = 0; s < pose.shapes; ++s) {
    Check(!pose.has_w[s] || std::isfinite(pose.weights[s]), "weights are finite");
  }
}

}  // namespace
}  // namespace posewire::vmc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire::vmc;  // NOLINT: the name below is libFuzzer's
  static World& world = *new World;
  if (size > kMaxDatagramBytes) return 0;
  DatagramReader reader;
  Performer performer;
  Extras extras;
  reader.Read(world.copy.Of(data, size), [&](const Message& message) {
    CheckSaidAgain(message);
    performer.Take(message, 1);
    extras.Take(message, 0);
  });
  DatagramReader extras_reader;
  for (const std::string& bundle : extras.Next(true, 0)) {
    extras_reader.Read(bundle, [](const Message&) {});
  }
  Check(extras_reader.counts().rejected_in_all() == 0, "extras are read as they were written");
  Check(reader.counts().datagrams == 1, "every datagram is counted");
  world.pose_reader.Write(performer, world.pose.span());
  CheckPose(world.pose.view());
  return 0;
}
