// Reads the samples of a WAV file even if its size fields are wrong, as in files from writers that
// stream and do not know the size in advance.
#ifndef POSEWIRE_LIBS_RECORDING_WAV_READER_H_
#define POSEWIRE_LIBS_RECORDING_WAV_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_source.h"

namespace posewire::recording {

// As in the "fmt " chunk.
struct WavForm {
  uint32_t kind = 0;  // wFormatTag: 1 PCM, 3 float; the sub-format of WAVE_FORMAT_EXTENSIBLE
  uint32_t channels = 0;
  uint32_t rate_hz = 0;
  uint32_t bits = 0;
};

// RIFF, RF64 and BW64, little-endian, as Microsoft's Multimedia Programming Interface 1.0 and EBU
// Tech 3306 define them.
//
// Ignores the RIFF size. Uses the size of the data chunk if the chunk ends at the end of the file
// or at another chunk. Otherwise the samples extend to the end of the file: for a size of 0, for a
// size past the end of the file (with a warning, unless it is a placeholder of 0x70000000 or more),
// and, with a warning, for a size that is not followed by a chunk. Treats a pipe in the same way,
// based on the bytes after the data chunk. One thread.
class WavReader {
 public:
  // Nothing may have been read from `source`, which must outlive this.
  explicit WavReader(files::ByteSource* source) : source_(source) {}

  // Reads up to the first sample. If the file is not a WAV, form() is absent and all bytes are
  // returned as samples. Returns the errors of the source, and INVALID_ARGUMENT, without the
  // source's name, for a WAV that has no valid "fmt " chunk before its data, or no data chunk in
  // its first MiB.
  absl::Status Open();
  const std::optional<WavForm>& form() const { return form_; }
  // Size of the samples. Absent for a pipe and for a file that is not a WAV, where only the end of
  // the source determines it.
  std::optional<int64_t> data_bytes() const { return data_bytes_; }

  // Returns at least `least` bytes of samples without consuming them; fewer only at the end. Blocks
  // only until these are available. The view is valid until the next call.
  absl::StatusOr<absl::string_view> Peek(size_t least);
  // Consumes bytes, at most as many as Peek returned.
  void Skip(size_t bytes);

  // Warnings about the file, one sentence each, without the source's name. Complete at the end of
  // the samples.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // Reads until there are this many bytes from begin_ on; fewer only at the end of the source.
  absl::Status Hold(size_t bytes);
  absl::string_view held() const { return absl::string_view(buffer_).substr(begin_); }
  absl::Status ReadChunks();
  absl::Status ReadForm(absl::string_view chunk);
  // For a source with a size; the data begins at `start`.
  absl::Status FindEnd(int64_t start, uint64_t said);
  absl::StatusOr<bool> AreChunks(int64_t at);
  // Called at the end of the size stated by a pipe's data chunk.
  absl::Status CheckEndOfData();

  files::ByteSource* const source_;
  std::optional<WavForm> form_;
  std::optional<int64_t> data_bytes_;
  std::optional<uint64_t> left_;  // bytes of data; absent: up to the end of the source
  uint64_t said_ = 0;             // size stated by a pipe's data chunk
  bool over_ = false;             // there is nothing after left_ bytes
  std::string buffer_;
  size_t begin_ = 0;
  int64_t read_ = 0;  // bytes read from the source, including those in buffer_
  bool ended_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_WAV_READER_H_
