// The files of a take: their names, and making them so that no other recording gets one of them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_TAKE_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_TAKE_FILES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/files/byte_sink.h"
#include "libs/files/file.h"

namespace posewire::renderer_sink {

// "a/take.usda" -> "a/take" and the ending.
std::string WithEnding(const std::string& path, absl::string_view ending);
// "take.animdata" -> "take.wav".
std::string WavPath(const std::string& path);
// Where the nth take goes: "take.animdata", "take-2.animdata", "take-3.animdata" ...
std::string TakePath(const std::string& path, int take);

// The clip and its voice, of a split stage its rig and its clip, and the rescue: an .animdata file
// that is made only if the clip's format cannot hold its keys. One thread.
class TakeFiles {
 public:
  // Those of the first take from `take` on of which none is there. All but the rescue are made at
  // once, each by a call that makes a file or finds one, the voice first: its name is that of the
  // takes in all formats. So of recordings that begin together each gets a number of its own.
  // Errors: those of files::File.
  static absl::StatusOr<std::unique_ptr<TakeFiles>> Make(const std::string& path, int take,
                                                         bool split_usd);
  // Those of this take. What is there is replaced, each file when the first byte is written to it.
  static std::unique_ptr<TakeFiles> Replace(const std::string& path, int take);
  // Calls RemoveEmpty.
  ~TakeFiles();
  TakeFiles(const TakeFiles&) = delete;
  TakeFiles& operator=(const TakeFiles&) = delete;

  int take() const { return take_; }
  // Of the clip.
  const std::string& path() const { return path_; }
  // The file beside the clip that has this ending, or the clip itself by "". Each once.
  absl::StatusOr<std::unique_ptr<files::ByteSink>> Open(absl::string_view ending);
  // "take.bvh.animdata", or the first free of "take.bvh-2.animdata" ...: it never replaces a file,
  // which may be all that is left of another take. Once.
  absl::StatusOr<std::unique_ptr<files::ByteSink>> OpenRescue();
  // The rescue was made.
  bool rescued() const { return rescued_; }
  // Removes the files that were made here and are still empty, and forgets all. A file that has got
  // such a name since then stays. What writes them is closed by then.
  void RemoveEmpty();

 private:
  struct Made {
    std::string ending, path;
    files::FileId id;
    std::unique_ptr<files::ByteSink> sink;  // until Open returns it
  };

  TakeFiles(const std::string& path, int take) : take_(take), path_(TakePath(path, take)) {}
  std::string PathOf(absl::string_view ending) const;
  std::string RescuePath() const;
  // Makes the file; ALREADY_EXISTS if it is there.
  absl::StatusOr<std::unique_ptr<files::ByteSink>> MakeNew(const std::string& path,
                                                           absl::string_view ending);
  absl::Status MakeAll(absl::Span<const absl::string_view> endings);

  const int take_;
  const std::string path_;
  bool rescued_ = false;
  std::vector<Made> made_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_TAKE_FILES_H_
