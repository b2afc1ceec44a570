// One streaming call of raw messages with a blocking interface. Includes gRPC; private to clients.
//
// gRPC reads and writes on its own threads, one operation of each kind at a time, and reports
// through callbacks (OnReadDone, OnWriteDone). Here each callback starts the next operation and
// records the result under a lock; Read and Write wait for it. A hold prevents gRPC from ending the
// call in between.
#ifndef POSEWIRE_LIBS_CLIENT_BYTE_CALL_H_
#define POSEWIRE_LIBS_CLIENT_BYTE_CALL_H_

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/client_callback.h"

namespace posewire::client {

using Metadata = std::vector<std::pair<std::string, std::string>>;

// A message and when its last byte arrived, in SteadySeconds.
struct ReceivedBytes {
  grpc::ByteBuffer bytes;
  double time_s = 0;
};

// Uses gRPC's callback API; its methods block the one thread that uses it. Only Cancel may be
// called on any thread, and makes every method return soon. Reading runs ahead by up to
// `read_ahead` messages or 8 MiB, so that a pause in reading does not distort receive times; beyond
// that the server feels back-pressure.
class ByteCall final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  enum Result { kOk, kOver, kTimeout };

  ByteCall(std::shared_ptr<grpc::Channel> channel, const char* method, const Metadata& metadata,
           size_t read_ahead);
  // Cancels the call if it is still running, and waits until gRPC has released it.
  ~ByteCall() override;
  ByteCall(const ByteCall&) = delete;
  ByteCall& operator=(const ByteCall&) = delete;

  // Waits until the previous message has been passed to the transport, and starts to send this one,
  // which is not copied. With `last`, half-closes the call after it. kOver: the server has ended
  // the call, or it broke.
  Result Write(std::shared_ptr<const std::string> message, double timeout_s, bool last = false);
  Result Write(std::string message, double timeout_s, bool last = false) {
    return Write(std::make_shared<const std::string>(std::move(message)), timeout_s, last);
  }
  // Waits until all written messages have been passed to the transport.
  Result Flush(double timeout_s);
  Result WritesDone(double timeout_s);
  // Waits for the server's initial metadata. gRPC reports it and the first message on different
  // threads, so this may wait even after Read. kOver: none came.
  Result WaitInitialMetadata(double timeout_s);
  std::optional<std::string> InitialMetadata(const std::string& key);
  // Returns the next message; kOver if there are no more.
  Result Read(double timeout_s, ReceivedBytes& message);
  // Returns whether the server has answered or ended the call; never blocks.
  bool over();
  // Returns true once anything was sent or received over a live connection.
  bool alive();
  // Returns the final status of the call. Waits for the end (call Cancel first if it may not come)
  // and drops unread messages. Must be the last call except RetryHint.
  absl::Status Finish();
  // After Finish: the delay after which a server without room asks clients to retry
  // (grpc-retry-pushback-ms, gRFC A6), in seconds from 0 to 60; nothing if it did not send one.
  std::optional<double> RetryHint() const;
  void Cancel();

 private:
  void OnWriteDone(bool ok) override;
  void OnWritesDoneDone(bool ok) override;
  void OnReadInitialMetadataDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  // Returns whether one more message can be read ahead. Requires mutex_.
  bool HasRoom() const;

  template <typename Ready>
  bool WaitUntil(std::unique_lock<std::mutex>& lock, double timeout_s, Ready ready);

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  const size_t read_ahead_;
  // Owned by gRPC while a write or a read is in progress.
  grpc::ByteBuffer write_buffer_;
  grpc::ByteBuffer read_buffer_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool writing_ = false;
  bool write_failed_ = false;
  bool reads_over_ = false;
  bool read_paused_ = false;
  bool discard_ = false;
  bool initial_metadata_over_ = false;  // it came, or never will
  bool have_initial_metadata_ = false;
  bool alive_ = false;
  bool done_ = false;
  std::deque<ReceivedBytes> received_;
  size_t received_bytes_ = 0;
  absl::Status status_;
};

}  // namespace posewire::client

#endif  // POSEWIRE_LIBS_CLIENT_BYTE_CALL_H_
