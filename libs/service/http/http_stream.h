// The bytes of one HTTP connection, in plain text or TLS. Internal to libs/service.
//
// Asio and Beast compile an operation separately for each type of stream, buffer sequence and
// completion handler. HttpStream and HttpDone hide all three, so that http_stream.cc compiles each
// operation only once.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_STREAM_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_STREAM_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/role.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/functional/any_invocable.h"

namespace boost::asio::ssl {
class context;
}  // namespace boost::asio::ssl

namespace posewire::service::internal {

// The completion handler of all operations of a connection. Called once, with the operation's error
// and number of bytes, if it has them.
class HttpDone {
 public:
  using Error = boost::system::error_code;

  explicit HttpDone(absl::AnyInvocable<void(Error, size_t)> call) : call_(std::move(call)) {}

  void operator()(Error error = {}, size_t size = 0) { call_(error, size); }
  // Handlers start the next operation: Asio keeps it on this thread and wakes no other.
  friend bool asio_handler_is_continuation(HttpDone*) { return true; }

 private:
  absl::AnyInvocable<void(Error, size_t)> call_;
};

// An AsyncStream in Asio's terms. Everything, including handlers, runs on the strand that is its
// executor; only Post may be called on any thread. Can be moved while no operation is in progress.
// A moved-from stream can Post, and its Close does nothing.
class HttpStream {
 public:
  using Error = boost::system::error_code;
  using executor_type = boost::asio::any_io_executor;

  explicit HttpStream(boost::asio::ip::tcp::socket socket);
  // A TLS server stream; `context` is not needed after this call. Call Handshake first.
  HttpStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& context);
  HttpStream(HttpStream&& other) noexcept;
  ~HttpStream();

  bool is_tls() const;
  executor_type get_executor() { return executor_; }
  boost::asio::ip::tcp::socket& socket();

  // Sets the time after which operations that begin later are cancelled: they end with an error,
  // and the socket is closed.
  void ExpiresAfter(std::chrono::milliseconds time);
  void ExpiresNever();
  // Closes the socket. Operations in progress end with an error.
  void Close();

  // Calls `done` on the strand.
  void Post(HttpDone done);
  // Buffers must stay valid until `done` is called.
  void ReadSome(boost::asio::mutable_buffer buffer, HttpDone done);
  // Reads bytes that arrive on the socket, without decrypting them.
  void ReadSomeOfTcp(boost::asio::mutable_buffer buffer, HttpDone done);
  // Writes all of both. At least one of them must not be empty.
  void Write(boost::asio::const_buffer head, boost::asio::const_buffer body, HttpDone done);
  // For TLS only.
  void Handshake(HttpDone done);
  void Shutdown(HttpDone done);

  // For Beast.
  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    ReadInto(
        {boost::asio::buffer_sequence_begin(buffers), boost::asio::buffer_sequence_end(buffers)},
        HttpDone(std::forward<Handler>(handler)));
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    WriteSome(
        {boost::asio::buffer_sequence_begin(buffers), boost::asio::buffer_sequence_end(buffers)},
        HttpDone(std::forward<Handler>(handler)));
  }
  template <typename Handler>
  friend void async_teardown(boost::beast::role_type role, HttpStream& stream, Handler&& handler) {
    stream.Teardown(role, HttpDone(std::forward<Handler>(handler)));
  }
  friend void beast_close_socket(HttpStream& stream) { stream.Close(); }

 private:
  struct Impl;
  using ReadBuffers = absl::InlinedVector<boost::asio::mutable_buffer, 2>;
  using WriteBuffers = absl::InlinedVector<boost::asio::const_buffer, 2>;
  void ReadInto(const ReadBuffers& buffers, HttpDone done);
  void WriteSome(const WriteBuffers& buffers, HttpDone done);
  void Teardown(boost::beast::role_type role, HttpDone done);

  const executor_type executor_;
  std::unique_ptr<Impl> impl_;  // Null after a move.
};

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_STREAM_H_
