// gRPC calls on one HTTP/2 connection, cheaper than a gRPC client: the load shares its CPUs with
// the server that it measures.
#ifndef POSEWIRE_TOOLS_LOADGEN_H2_CONNECTION_H_
#define POSEWIRE_TOOLS_LOADGEN_H2_CONNECTION_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::loadgen {

// One message as gRPC frames it, shared by all calls that send it.
using FramedMessage = std::shared_ptr<const std::string>;
FramedMessage Frame(absl::string_view message);

// The client side of one call. Its Connection sends its queued messages and delivers received ones.
class H2Call {
 public:
  H2Call() = default;
  virtual ~H2Call() = default;
  H2Call(const H2Call&) = delete;
  H2Call& operator=(const H2Call&) = delete;

  bool over() const { return over_; }
  const std::string& end() const { return end_; }

 protected:
  // How many messages wait to be sent.
  size_t waiting() const { return outgoing_.size(); }

 private:
  friend class Connection;
  // One whole message, which came at `wall_s` (Unix time). Valid during the call.
  virtual void OnMessage(absl::Span<const uint8_t> message, double wall_s) = 0;
  virtual void OnOver() {}
  void OnBytes(absl::Span<const uint8_t> bytes, double wall_s);

  int32_t stream_ = -1;
  bool last_sent_ = false;  // nothing follows what waits
  std::deque<FramedMessage> outgoing_;
  size_t sent_of_first_ = 0;
  std::vector<uint8_t> partial_;  // of a message that has not come whole
  std::string status_;            // grpc-status and grpc-message, when they came
  bool over_ = false;
  std::string end_;
};

// One thread. Calls outlive their connection.
class Connection {
 public:
  // `address` is HOST:PORT or unix:PATH. Errors are those of Connect (socket.h), and
  // RESOURCE_EXHAUSTED if there is no memory for an HTTP/2 session.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& address);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  using Metadata = std::vector<std::pair<std::string, std::string>>;
  // Starts a call of `path`.
  void Start(const std::string& path, const Metadata& metadata, H2Call* call);
  // Queues a message of a call that was started and is not over; with `last` the half-close, too.
  void Send(H2Call* call, FramedMessage message, bool last = false);
  void Cancel(H2Call* call);

  // Writes queued data until the socket would block.
  void Flush();
  // Reads once and delivers received messages to their calls. Call when the socket is readable.
  void Receive();
  int fd() const { return fd_; }
  // Returns true once the server's SETTINGS frame has arrived.
  bool settled() const { return settled_; }
  // Returns true if the connection has failed or was closed. All of its calls are then over.
  bool broken() const { return broken_; }
  // Returns true if data is left that the socket did not accept: call Flush when it is writable.
  bool wants_write() const { return written_ < out_.size(); }

 private:
  Connection(int fd, const std::string& authority);
  absl::Status Begin();
  // Ends all calls.
  void Break(const std::string& why);
  void EndCall(H2Call* call, const std::string& how);

  static ssize_t OnSend(nghttp2_session*, const uint8_t* data, size_t size, int, void* self);
  static int OnSendData(nghttp2_session*, nghttp2_frame*, const uint8_t* header, size_t size,
                        nghttp2_data_source* source, void* self);
  static ssize_t OnWanted(nghttp2_session*, int32_t, uint8_t*, size_t most, uint32_t* flags,
                          nghttp2_data_source* source, void*);
  static int OnChunk(nghttp2_session*, uint8_t, int32_t stream, const uint8_t* data, size_t size,
                     void* self);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t, void*);
  static int OnClosed(nghttp2_session*, int32_t stream, uint32_t error, void* self);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self);

  const int fd_;
  const std::string authority_;
  nghttp2_session* session_ = nullptr;
  std::vector<H2Call*> calls_;
  std::vector<uint8_t> out_;
  size_t written_ = 0;  // of out_
  std::vector<uint8_t> in_;
  double wall_s_ = 0;  // of what is being received
  bool settled_ = false;
  bool broken_ = false;
  std::string farewell_;  // what the server said when it sent this connection away
};

}  // namespace posewire::loadgen

#endif  // POSEWIRE_TOOLS_LOADGEN_H2_CONNECTION_H_
