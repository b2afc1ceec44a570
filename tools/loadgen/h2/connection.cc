#include "tools/loadgen/h2/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tools/loadgen/h2/socket.h"

namespace posewire::loadgen {
namespace {

constexpr size_t kPrefix = 5;            // of a message: a flag, and its size as 32 bits big endian
constexpr size_t kInBytes = 256 * 1024;  // read at once
// So large that the server never waits for leave, and that leave is hardly ever given.
constexpr int32_t kWindow = 1 << 30;

double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

size_t SizeOf(const uint8_t* prefix) {
  return size_t{prefix[1]} << 24 | size_t{prefix[2]} << 16 | size_t{prefix[3]} << 8 | prefix[4];
}

nghttp2_nv Header(absl::string_view name, absl::string_view value) {
  const auto bytes = [](absl::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

FramedMessage Frame(absl::string_view message) {
  std::string framed(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) {
    framed += static_cast<char>(message.size() >> static_cast<unsigned>(shift) & 0xffu);
  }
  framed.append(message.data(), message.size());
  return std::make_shared<const std::string>(std::move(framed));
}

void H2Call::OnBytes(absl::Span<const uint8_t> bytes, double wall_s) {
  // Mostly a message comes whole, and is looked at where it lies.
  if (!partial_.empty()) {
    partial_.insert(partial_.end(), bytes.begin(), bytes.end());
    bytes = partial_;
  }
  while (bytes.size() >= kPrefix && bytes.size() - kPrefix >= SizeOf(bytes.data())) {
    const size_t size = SizeOf(bytes.data());
    OnMessage(bytes.subspan(kPrefix, size), wall_s);
    bytes.remove_prefix(kPrefix + size);
  }
  if (partial_.empty()) {
    partial_.assign(bytes.begin(), bytes.end());
  } else {
    partial_.erase(partial_.begin(), partial_.end() - static_cast<std::ptrdiff_t>(bytes.size()));
  }
}

Connection::Connection(int fd, const std::string& authority)
    : fd_(fd), authority_(authority), in_(kInBytes) {}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& address) {
  const absl::StatusOr<int> fd = Connect(address);
  if (!fd.ok()) return fd.status();
  const bool local = address.compare(0, 5, "unix:") == 0;
  std::unique_ptr<Connection> connection(new Connection(*fd, local ? "localhost" : address));
  if (absl::Status s = connection->Begin(); !s.ok()) return s;
  return connection;
}

absl::Status Connection::Begin() {
  nghttp2_session_callbacks* callbacks = nullptr;
  if (nghttp2_session_callbacks_new(&callbacks) != 0) {
    return absl::ResourceExhaustedError("no memory for an HTTP/2 session");
  }
  nghttp2_session_callbacks_set_send_callback(callbacks, OnSend);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, OnSendData);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnChunk);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClosed);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
  const int made = nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  if (made != 0) return absl::ResourceExhaustedError("no memory for an HTTP/2 session");
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(kWindow)}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 2);
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindow);
  Flush();
  return absl::OkStatus();
}

Connection::~Connection() {
  nghttp2_session_del(session_);
  close(fd_);
}

void Connection::Start(const std::string& path, const Metadata& metadata, H2Call* call) {
  calls_.push_back(call);
  if (broken_) return EndCall(call, "the connection is closed");
  std::vector<nghttp2_nv> headers = {
      Header(":method", "POST"),       Header(":scheme", "http"),
      Header(":path", path),           Header(":authority", authority_),
      Header("te", "trailers"),        Header("content-type", "application/grpc"),
      Header("user-agent", "loadgen"),
  };
  for (const auto& [name, value] : metadata) headers.push_back(Header(name, value));
  nghttp2_data_provider provider = {};
  provider.source.ptr = call;
  provider.read_callback = OnWanted;
  call->stream_ =
      nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), &provider, call);
  if (call->stream_ < 0) EndCall(call, nghttp2_strerror(call->stream_));
}

void Connection::Send(H2Call* call, FramedMessage message, bool last) {
  if (call->over_) return;
  call->outgoing_.push_back(std::move(message));
  call->last_sent_ = last;
  // Fails when nothing had asked for more yet: then it will.
  if (call->outgoing_.size() == 1) nghttp2_session_resume_data(session_, call->stream_);
}

void Connection::Cancel(H2Call* call) {
  if (call->over_) return;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, call->stream_, NGHTTP2_CANCEL);
}

void Connection::Flush() {
  if (broken_) return;
  if (const int error = nghttp2_session_send(session_); error != 0) {
    return Break(nghttp2_strerror(error));
  }
  while (written_ < out_.size()) {
    const ssize_t n = send(fd_, out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return Break(std::strerror(errno));
    written_ += static_cast<size_t>(n);
  }
  out_.clear();
  written_ = 0;
}

void Connection::Receive() {
  if (broken_) return;
  const ssize_t n = recv(fd_, in_.data(), in_.size(), 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return Break(n == 0 ? "the server closed the connection" : std::strerror(errno));
  wall_s_ = WallSeconds();
  const ssize_t taken = nghttp2_session_mem_recv(session_, in_.data(), static_cast<size_t>(n));
  if (taken < 0) return Break(nghttp2_strerror(static_cast<int>(taken)));
  if (nghttp2_session_want_write(session_) != 0) Flush();
}

void Connection::Break(const std::string& why) {
  broken_ = true;
  out_.clear();
  written_ = 0;
  const std::string how = farewell_.empty() ? why : absl::StrCat(why, ": ", farewell_);
  for (H2Call* call : calls_) EndCall(call, how);
}

void Connection::EndCall(H2Call* call, const std::string& how) {
  if (std::exchange(call->over_, true)) return;
  call->end_ = call->status_.empty() ? how : call->status_;
  call->outgoing_.clear();
  call->OnOver();
}

ssize_t Connection::OnSend(nghttp2_session*, const uint8_t* data, size_t size, int, void* self) {
  auto& out = static_cast<Connection*>(self)->out_;
  out.insert(out.end(), data, data + size);
  return static_cast<ssize_t>(size);
}

// How much of a call's first message goes into the next frame; OnSendData then copies it.
ssize_t Connection::OnWanted(nghttp2_session*, int32_t, uint8_t*, size_t most, uint32_t* flags,
                             nghttp2_data_source* source, void*) {
  const auto& call = *static_cast<H2Call*>(source->ptr);
  if (call.outgoing_.empty()) return NGHTTP2_ERR_DEFERRED;
  const size_t size = std::min(most, call.outgoing_.front()->size() - call.sent_of_first_);
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (call.last_sent_ && call.outgoing_.size() == 1 &&
      call.sent_of_first_ + size == call.outgoing_.front()->size()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
  }
  return static_cast<ssize_t>(size);
}

int Connection::OnSendData(nghttp2_session*, nghttp2_frame*, const uint8_t* header, size_t size,
                           nghttp2_data_source* source, void* self) {
  constexpr size_t kFrameHeader = 9;
  auto& out = static_cast<Connection*>(self)->out_;
  auto& call = *static_cast<H2Call*>(source->ptr);
  const std::string& message = *call.outgoing_.front();
  const auto* bytes = reinterpret_cast<const uint8_t*>(message.data()) + call.sent_of_first_;
  out.insert(out.end(), header, header + kFrameHeader);
  out.insert(out.end(), bytes, bytes + size);
  call.sent_of_first_ += size;
  if (call.sent_of_first_ == message.size()) {
    call.outgoing_.pop_front();
    call.sent_of_first_ = 0;
  }
  return 0;
}

int Connection::OnChunk(nghttp2_session* session, uint8_t, int32_t stream, const uint8_t* data,
                        size_t size, void* self) {
  auto* call = static_cast<H2Call*>(nghttp2_session_get_stream_user_data(session, stream));
  if (call != nullptr) call->OnBytes({data, size}, static_cast<Connection*>(self)->wall_s_);
  return 0;
}

int Connection::OnHeader(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name,
                         size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                         void*) {
  const absl::string_view key(reinterpret_cast<const char*>(name), name_size);
  if (key != "grpc-status" && key != "grpc-message") return 0;
  auto* call =
      static_cast<H2Call*>(nghttp2_session_get_stream_user_data(session, frame->hd.stream_id));
  if (call == nullptr) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(value), value_size);
  absl::StrAppend(&call->status_, call->status_.empty() ? "" : ", ", key, " ", text);
  return 0;
}

int Connection::OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  auto& connection = *static_cast<Connection*>(self);
  if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
    connection.settled_ = true;
  } else if (frame->hd.type == NGHTTP2_GOAWAY) {
    const nghttp2_goaway& goaway = frame->goaway;
    connection.farewell_ = goaway.opaque_data_len == 0
                               ? nghttp2_http2_strerror(goaway.error_code)
                               : std::string(reinterpret_cast<const char*>(goaway.opaque_data),
                                             goaway.opaque_data_len);
  }
  return 0;
}

int Connection::OnClosed(nghttp2_session* session, int32_t stream, uint32_t error, void* self) {
  auto* call = static_cast<H2Call*>(nghttp2_session_get_stream_user_data(session, stream));
  if (call == nullptr) return 0;
  auto& connection = *static_cast<Connection*>(self);
  connection.EndCall(call,
                     absl::StrCat("HTTP/2 error ", error, ", ", nghttp2_http2_strerror(error),
                                  connection.farewell_.empty() ? "" : ": ", connection.farewell_));
  return 0;
}

}  // namespace posewire::loadgen
