#include "libs/clip/clip_blob.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/clip/packed_poses.h"
#include "libs/skel/pose.h"

namespace posewire::clip {
namespace {

constexpr uint32_t kMagic = 0x32435750;  // "PWC2"

struct Head {
  uint32_t magic = kMagic;
  int32_t joints = 0, shapes = 0, clips = 0;
};
struct ClipHead {
  timecode::FrameRate rate;
  int32_t frames = 0, segment_frames = 0;
  ClipKind kind = ClipKind::kGesture;
  uint8_t loops = 0, packed = 0;
  uint8_t still_turns = 0, still_moves = 0, still_scales = 0, still_weights = 0;
  uint8_t unused = 0;
};
static_assert(sizeof(Head) == 16 && sizeof(ClipHead) == 32, "no bytes that nobody sets");

class Writer {
 public:
  template <typename T>
  void Rows(const T* at, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    out_.append(reinterpret_cast<const char*>(at), count * sizeof(T));
  }
  template <typename T>
  void One(const T& value) {
    Rows(&value, 1);
  }
  void Text(const std::string& text) {
    One(static_cast<uint64_t>(text.size()));
    Rows(text.data(), text.size());
  }
  template <typename T>
  void List(const std::vector<T>& list) {
    One(static_cast<uint64_t>(list.size()));
    Rows(list.data(), list.size());
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Returns zeros after the end of the bytes.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : left_(bytes) {}
  bool ok() const { return ok_; }
  bool over() const { return left_.empty(); }

  template <typename T>
  void Rows(T* to, size_t count) {
    if (count == 0 || !Holds(count, sizeof(T))) return;
    std::memcpy(to, left_.data(), count * sizeof(T));
    left_.remove_prefix(count * sizeof(T));
  }
  template <typename T>
  T One() {
    T value{};
    Rows(&value, 1);
    return value;
  }
  std::string Text() {
    const auto size = One<uint64_t>();
    if (!Holds(size, 1)) return {};
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }
  template <typename T>
  void List(std::vector<T>& list) {
    const auto size = One<uint64_t>();
    if (!Holds(size, sizeof(T))) return;
    list.resize(size);
    Rows(list.data(), size);
  }

 private:
  bool Holds(size_t count, size_t each) {
    ok_ = ok_ && count <= left_.size() / each;
    return ok_;
  }

  absl::string_view left_;
  bool ok_ = true;
};

// Calls `use` with the values of each kind and the length of its rows. `skip(present, n)` returns
// whether a kind is omitted.
template <typename Span, typename Skip, typename Use>
void EachRow(const Span& pose, const Skip& skip, const Use& use) {
  const auto joints = static_cast<size_t>(pose.joints), shapes = static_cast<size_t>(pose.shapes);
  if (!skip(pose.has_t, joints)) {
    for (auto* row : {pose.tx, pose.ty, pose.tz}) use(row, joints);
  }
  if (!skip(pose.has_r, joints)) {
    for (auto* row : {pose.qw, pose.qx, pose.qy, pose.qz}) use(row, joints);
  }
  if (!skip(pose.has_s, joints)) {
    for (auto* row : {pose.sx, pose.sy, pose.sz}) use(row, joints);
  }
  if (!skip(pose.has_w, shapes)) use(pose.weights, shapes);
}

bool NonePresent(const uint8_t* present, size_t n) {
  return std::find(present, present + n, 1) == present + n;
}
bool Never(const uint8_t*, size_t) { return false; }

// Writes presence, then values. With NonePresent, omits kinds that a ThinPose does not store.
template <typename Skip>
void WritePose(const skel::PoseView& pose, const Skip& skip, Writer& out) {
  const auto joints = static_cast<size_t>(pose.joints);
  for (const uint8_t* has : {pose.has_t, pose.has_r, pose.has_s}) out.Rows(has, joints);
  out.Rows(pose.has_w, static_cast<size_t>(pose.shapes));
  EachRow(pose, skip, [&](const float* row, size_t n) { out.Rows(row, n); });
}

template <typename Skip>
void ReadPose(Reader& in, const Skip& skip, const skel::PoseSpan& pose) {
  const auto joints = static_cast<size_t>(pose.joints);
  for (uint8_t* has : {pose.has_t, pose.has_r, pose.has_s}) in.Rows(has, joints);
  in.Rows(pose.has_w, static_cast<size_t>(pose.shapes));
  EachRow(pose, skip, [&](float* row, size_t n) { in.Rows(row, n); });
}

void WriteClip(const Clip& clip, Writer& out) {
  const PackedPoses* const packed = clip.packed();
  ClipHead head;
  head.rate = clip.rate();
  head.frames = clip.frames();
  head.kind = clip.kind();
  head.loops = clip.loops();
  if (packed != nullptr) {
    head.packed = 1;
    head.segment_frames = packed->segment_frames;
    head.still_turns = packed->still_turns;
    head.still_moves = packed->still_moves;
    head.still_scales = packed->still_scales;
    head.still_weights = packed->still_weights;
  }
  out.Text(clip.name());
  out.One(head);
  if (packed == nullptr) {
    for (int i = 0; i < clip.frames(); ++i) WritePose(clip.frame(i), Never, out);
    return;
  }
  out.One(clip.content_hash());
  WritePose(packed->first.view(), NonePresent, out);
  out.List(packed->turns);
  out.List(packed->values);
  out.List(packed->segments);
  out.List(packed->turn_ranges);
  out.List(packed->value_ranges);
  out.List(packed->bits);
}

// Returns null if the bytes end early.
std::shared_ptr<const Clip> ReadClip(Reader& in, const std::shared_ptr<const skel::Rig>& rig,
                                     skel::Pose& scratch) {
  std::string name = in.Text();
  const auto head = in.One<ClipHead>();
  if (head.packed == 0) {
    std::vector<skel::Pose> frames;
    for (int i = 0; i < head.frames && in.ok(); ++i) {
      ReadPose(in, Never, frames.emplace_back(rig->joints(), rig->shapes()).span());
    }
    if (!in.ok()) return nullptr;
    return std::make_shared<const Clip>(std::move(name), rig, head.rate, std::move(frames),
                                        head.loops != 0, head.kind);
  }
  auto packed = std::make_shared<PackedPoses>();
  packed->frames = head.frames;
  packed->segment_frames = head.segment_frames;
  packed->still_turns = head.still_turns != 0;
  packed->still_moves = head.still_moves != 0;
  packed->still_scales = head.still_scales != 0;
  packed->still_weights = head.still_weights != 0;
  const auto hash = in.One<uint64_t>();
  ReadPose(in, NonePresent, scratch.span());
  packed->first = ThinPose(scratch.view(), rig->rest());
  in.List(packed->turns);
  in.List(packed->values);
  in.List(packed->segments);
  in.List(packed->turn_ranges);
  in.List(packed->value_ranges);
  in.List(packed->bits);
  if (!in.ok()) return nullptr;
  return std::make_shared<const Clip>(std::move(name), rig, head.rate, std::move(packed),
                                      head.loops != 0, head.kind, hash);
}

}  // namespace

std::string WriteBlob(const ClipLibrary& clips) {
  const std::vector<std::shared_ptr<const Clip>> list = clips.clips();
  Head head;
  head.clips = static_cast<int32_t>(list.size());
  if (!list.empty()) {
    head.joints = list.front()->rig()->joints();
    head.shapes = list.front()->rig()->shapes();
  }
  Writer out;
  out.One(head);
  for (const auto& clip : list) WriteClip(*clip, out);
  return out.Take();
}

absl::StatusOr<std::shared_ptr<const ClipLibrary>> ReadBlob(absl::string_view bytes,
                                                            std::shared_ptr<const skel::Rig> rig) {
  Reader in(bytes);
  const auto head = in.One<Head>();
  if (!in.ok() || head.magic != kMagic) return absl::DataLossError("the bytes are no clips");
  std::vector<std::shared_ptr<const Clip>> list;
  if (head.clips > 0 && (head.joints != rig->joints() || head.shapes != rig->shapes())) {
    return absl::InvalidArgumentError(absl::StrCat("the clips are of ", head.joints, " joints and ",
                                                   head.shapes, " shapes; the rig ", rig->name(),
                                                   " has ", rig->joints(), " and ", rig->shapes()));
  }
  skel::Pose scratch(rig->joints(), rig->shapes());
  for (int i = 0; i < head.clips; ++i) {
    list.push_back(ReadClip(in, rig, scratch));
    if (list.back() == nullptr) {
      return absl::DataLossError(absl::StrCat("the bytes end within clip ", i, " of ", head.clips));
    }
  }
  if (!in.over()) return absl::DataLossError("there are bytes after the last clip");
  return std::make_shared<const ClipLibrary>(std::move(list));
}

}  // namespace posewire::clip
