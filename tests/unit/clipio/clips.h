// Clips in memory: reads and writes them, and gives what was read up to an error.
#ifndef POSEWIRE_TESTS_UNIT_CLIPIO_CLIPS_H_
#define POSEWIRE_TESTS_UNIT_CLIPIO_CLIPS_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/clip_reader.h"
#include "libs/skel/math.h"
#include "libs/timecode/frame_rate.h"
#include "nvidia_ace.animation_data.v1.pb.h"
#include "tests/unit/clipio/parsed_message.h"

namespace posewire::clipio {

using Messages = std::vector<nvidia_ace::animation_data::v1::AnimationDataStream>;

// The messages of a clip up to its end, or up to the error that ends it. Frames are the messages
// between the header and the status.
struct ReadClip {
  Messages messages;
  absl::Status end;

  const nvidia_ace::animation_data::v1::SkelAnimation& frame(size_t k) const {
    return messages.at(k + 1).animation_data().skel_animation();
  }
  size_t frames() const { return messages.size() - 2; }
  const nvidia_ace::animation_data::v1::SkelAnimationHeader& names() const {
    return messages.at(0).animation_data_stream_header().skel_animation_header();
  }
  std::vector<std::string> joints() const {
    return {names().joints().begin(), names().joints().end()};
  }
  std::vector<std::string> shapes() const {
    return {names().blend_shapes().begin(), names().blend_shapes().end()};
  }
  skel::Quat turn(size_t k, int joint) const {
    const auto& q = frame(k).rotations(0).values(joint);
    return {q.real(), q.i(), q.j(), q.k()};
  }
  skel::Vec3 place(size_t k, int joint) const {
    const auto& t = frame(k).translations(0).values(joint);
    return {t.x(), t.y(), t.z()};
  }
  const nvidia_ace::animation_data::v1::FloatArrayWithTimeCode& weights(size_t k) const {
    return frame(k).blend_shape_weights(0);
  }
};

inline ReadClip ReadAll(recording::ClipReader& reader) {
  ReadClip out;
  while (true) {
    auto message = NextParsed(reader);
    out.end = message.status();
    if (!message.ok() || !*message) return out;
    out.messages.push_back(**std::move(message));
  }
}

inline ReadClip ReadAll(const absl::StatusOr<std::unique_ptr<recording::ClipReader>>& reader) {
  return reader.ok() ? ReadAll(**reader) : ReadClip{{}, reader.status()};
}

// The messages of a clip that must read without an error.
inline Messages Good(const ReadClip& read) {
  EXPECT_TRUE(read.end.ok()) << read.end;
  return read.end.ok() ? read.messages : Messages(3);
}

// A file's name in memory, which selects its format.
struct MemoryFile {
  const char* name;

  ReadClip Read(const std::string& bytes, const std::string& prim = "") const {
    OpenOptions options;
    options.prim = prim;
    return ReadAll(OpenClip(std::make_unique<files::MemorySource>(name, bytes), options));
  }
  Messages Good(const std::string& bytes, const std::string& prim = "") const {
    return clipio::Good(Read(bytes, prim));
  }
  // The error of a clip that must not read.
  std::string WhyNot(const std::string& bytes, const std::string& prim = "") const {
    const absl::Status end = Read(bytes, prim).end;
    return end.ok() ? "is read" : std::string(end.message());
  }
  absl::StatusOr<std::string> Written(const Messages& messages) const {
    std::string out;
    auto writer = ClipWriter::Open(std::make_unique<files::MemorySink>(name, &out));
    absl::Status s = writer.status();
    if (!s.ok()) return s;
    for (const auto& message : messages) s.Update((*writer)->Write(message));
    s.Update((*writer)->Close());
    if (!s.ok()) return s;
    return out;
  }
  // The bytes, or why there are none.
  std::string Write(const Messages& messages) const {
    const absl::StatusOr<std::string> out = Written(messages);
    return out.ok() ? *out : absl::StrCat("not written: ", out.status().message());
  }
};

// What a reader doubts, next to what it reads.
struct DoubtedClip : ReadClip {
  std::vector<std::string> warnings;
};

// A file as above whose doubts count, read with --fps unless that is "".
struct DoubtfulFile {
  const char* name;

  DoubtedClip Read(const std::string& bytes, const std::string& fps = "") const {
    OpenOptions options;
    if (!fps.empty()) options.fps = *timecode::ParseFrameRate(fps);
    DoubtedClip out;
    auto reader = OpenClip(std::make_unique<files::MemorySource>(name, bytes), options);
    static_cast<ReadClip&>(out) = ReadAll(reader);
    if (reader.ok()) out.warnings = (*reader)->warnings();
    return out;
  }
  absl::StatusOr<std::string> Written(const Messages& messages) const {
    return MemoryFile{name}.Written(messages);
  }
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_TESTS_UNIT_CLIPIO_CLIPS_H_
