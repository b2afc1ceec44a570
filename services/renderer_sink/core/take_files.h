// Names and creates the files of a take, so that no other recording gets the same ones.
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

// "a/take.usda" -> "a/take" plus the extension.
std::string WithEnding(const std::string& path, absl::string_view ending);
// "take.animdata" -> "take.wav".
std::string WavPath(const std::string& path);
// Returns the path of the nth take: "take.animdata", "take-2.animdata", "take-3.animdata" ...
std::string TakePath(const std::string& path, int take);

// The clip and its voice, for a split stage its rig and its clip, and the rescue file: an .animdata
// file that is created only if the clip's format cannot represent its keys. One thread.
class TakeFiles {
 public:
  // Creates the files of the first take from `take` on of which none exists. All but the rescue
  // file are created at once, each by a call that fails if the file exists, the voice first,
  // because its name is shared by takes in all formats. So recordings that begin together get
  // different numbers. Errors: those of files::File.
  static absl::StatusOr<std::unique_ptr<TakeFiles>> Make(const std::string& path, int take,
                                                         bool split_usd);
  // Uses the files of this take. An existing file is replaced when the first byte is written to it.
  static std::unique_ptr<TakeFiles> Replace(const std::string& path, int take);
  // Calls RemoveEmpty.
  ~TakeFiles();
  TakeFiles(const TakeFiles&) = delete;
  TakeFiles& operator=(const TakeFiles&) = delete;

  int take() const { return take_; }
  // Path of the clip.
  const std::string& path() const { return path_; }
  // Opens the file next to the clip that has this extension, or for "" the clip itself. Call once
  // for each.
  absl::StatusOr<std::unique_ptr<files::ByteSink>> Open(absl::string_view ending);
  // Creates "take.bvh.animdata", or the first free of "take.bvh-2.animdata" ...: it never replaces
  // a file, which may be all that is left of another take. Call once.
  absl::StatusOr<std::unique_ptr<files::ByteSink>> OpenRescue();
  // Returns true if the rescue file was created.
  bool rescued() const { return rescued_; }
  // Removes the files that were created here and are still empty, and forgets all. Files created by
  // others under these names since then stay. Close the writers first.
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
  // Creates the file; ALREADY_EXISTS if it exists.
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
