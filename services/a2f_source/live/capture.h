// Captures of datagrams with their arrival times, for bug reports and tests. The format is
// described in docs/formats.md.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_CAPTURE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_CAPTURE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/a2f_source/core/vmc_session.h"

namespace posewire::a2f_source {

struct CapturedDatagram {
  double time_s = 0;  // relative to the first one
  VmcPort port = VmcPort::kMarionette;
  std::string bytes;
};

// A truncated file is valid up to its last whole line. One thread.
class CaptureWriter {
 public:
  // Replaces an existing file. UNAVAILABLE if it cannot be written.
  static absl::StatusOr<std::unique_ptr<CaptureWriter>> Create(const std::string& path);
  ~CaptureWriter();
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;

  // Times must not decrease; the first one becomes 0.
  void Write(absl::string_view datagram, VmcPort port, double now_s);
  // UNAVAILABLE if any write failed.
  absl::Status Close();

  int64_t written() const { return written_; }

 private:
  CaptureWriter(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  std::FILE* file_;
  std::string path_;
  double first_s_ = 0;
  int64_t written_ = 0;
  bool failed_ = false;
};

// Returns the datagrams of a capture ordered by time. NOT_FOUND if there is no file,
// INVALID_ARGUMENT (with the line) if it is not a capture. A truncated last line is dropped.
absl::StatusOr<std::vector<CapturedDatagram>> ReadCapture(const std::string& path);
// The same for text.
absl::StatusOr<std::vector<CapturedDatagram>> ParseCapture(absl::string_view text);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_CAPTURE_H_
