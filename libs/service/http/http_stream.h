// The bytes of one HTTP connection, in plain text or TLS. Internal to libs/service.
//
// Beast reads and writes through any type with the functions of Asio's AsyncStream. This one is
// either of two, so that HttpConnection and WebSocketConnection are written, and compiled, once.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_STREAM_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_STREAM_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <utility>
#include <variant>

namespace posewire::service::internal {

// Of one strand. Time runs out (expires_after) in the stream below, for both.
class HttpStream {
 public:
  using next_layer_type = boost::beast::tcp_stream;
  using executor_type = next_layer_type::executor_type;

  explicit HttpStream(boost::asio::ip::tcp::socket socket)
      : stream_(std::in_place_type<Plain>, std::move(socket)) {}
  // TLS, as its server; `context` is not needed after this. A handshake comes first.
  HttpStream(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& context)
      : stream_(std::in_place_type<Tls>, std::move(socket), context) {}

  bool is_tls() const { return std::holds_alternative<Tls>(stream_); }
  executor_type get_executor() { return next_layer().get_executor(); }
  next_layer_type& next_layer() {
    Tls* const tls = std::get_if<Tls>(&stream_);
    return tls != nullptr ? tls->next_layer() : std::get<Plain>(stream_);
  }
  const next_layer_type& next_layer() const { return const_cast<HttpStream*>(this)->next_layer(); }
  boost::asio::ip::tcp::socket& socket() { return next_layer().socket(); }

  template <typename Buffers, typename Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    std::visit([&](auto& s) { s.async_read_some(buffers, std::forward<Handler>(handler)); },
               stream_);
  }
  template <typename Buffers, typename Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    std::visit([&](auto& s) { s.async_write_some(buffers, std::forward<Handler>(handler)); },
               stream_);
  }
  // Of TLS alone.
  template <typename Handler>
  void AsyncHandshake(Handler&& handler) {
    std::get<Tls>(stream_).async_handshake(boost::asio::ssl::stream_base::server,
                                           std::forward<Handler>(handler));
  }
  template <typename Handler>
  void AsyncShutdown(Handler&& handler) {
    std::get<Tls>(stream_).async_shutdown(std::forward<Handler>(handler));
  }

  // How Beast ends a WebSocket's connection.
  template <typename Handler>
  friend void async_teardown(boost::beast::role_type role, HttpStream& stream, Handler&& handler) {
    using boost::beast::async_teardown;
    using boost::beast::websocket::async_teardown;
    std::visit([&](auto& s) { async_teardown(role, s, std::forward<Handler>(handler)); },
               stream.stream_);
  }
  friend void teardown(boost::beast::role_type role, HttpStream& stream,
                       boost::system::error_code& error) {
    using boost::beast::teardown;
    using boost::beast::websocket::teardown;
    std::visit([&](auto& s) { teardown(role, s, error); }, stream.stream_);
  }

 private:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<Plain>;
  std::variant<Plain, Tls> stream_;
};

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_STREAM_H_
