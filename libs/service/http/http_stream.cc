#include "libs/service/http/http_stream.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <variant>

namespace posewire::service::internal {

namespace asio = boost::asio;
namespace beast = boost::beast;

struct HttpStream::Impl {
  using Plain = beast::tcp_stream;
  using Tls = beast::ssl_stream<Plain>;

  explicit Impl(asio::ip::tcp::socket socket)
      : either(std::in_place_type<Plain>, std::move(socket)), tcp(&std::get<Plain>(either)) {}
  Impl(asio::ip::tcp::socket socket, asio::ssl::context& context)
      : either(std::in_place_type<Tls>, std::move(socket), context),
        tcp(&std::get<Tls>(either).next_layer()) {}

  std::variant<Plain, Tls> either;
  Plain* const tcp;  // handles time-outs in both cases
};

HttpStream::HttpStream(asio::ip::tcp::socket socket)
    : executor_(socket.get_executor()), impl_(std::make_unique<Impl>(std::move(socket))) {}
HttpStream::HttpStream(asio::ip::tcp::socket socket, asio::ssl::context& context)
    : executor_(socket.get_executor()), impl_(std::make_unique<Impl>(std::move(socket), context)) {}
HttpStream::HttpStream(HttpStream&& other) noexcept
    : executor_(other.executor_), impl_(std::move(other.impl_)) {}
HttpStream::~HttpStream() = default;

bool HttpStream::is_tls() const { return std::holds_alternative<Impl::Tls>(impl_->either); }
asio::ip::tcp::socket& HttpStream::socket() { return impl_->tcp->socket(); }

void HttpStream::ExpiresAfter(std::chrono::milliseconds time) { impl_->tcp->expires_after(time); }
void HttpStream::ExpiresNever() { impl_->tcp->expires_never(); }
void HttpStream::Close() {
  if (impl_ != nullptr) impl_->tcp->close();
}

void HttpStream::Post(HttpDone done) { asio::post(executor_, std::move(done)); }
void HttpStream::ReadInto(const ReadBuffers& buffers, HttpDone done) {
  std::visit([&](auto& s) { s.async_read_some(buffers, std::move(done)); }, impl_->either);
}
void HttpStream::ReadSome(asio::mutable_buffer buffer, HttpDone done) {
  ReadInto({buffer}, std::move(done));
}
void HttpStream::ReadSomeOfTcp(asio::mutable_buffer buffer, HttpDone done) {
  impl_->tcp->async_read_some(ReadBuffers{buffer}, std::move(done));
}
void HttpStream::WriteSome(const WriteBuffers& buffers, HttpDone done) {
  std::visit([&](auto& s) { s.async_write_some(buffers, std::move(done)); }, impl_->either);
}
void HttpStream::Write(asio::const_buffer head, asio::const_buffer body, HttpDone done) {
  WriteSome({head, body},
            HttpDone([this, head, body, done = std::move(done)](Error error, size_t size) mutable {
              const size_t of_head = std::min(size, head.size());
              head += of_head;
              body += size - of_head;
              if (error || head.size() + body.size() == 0) return done(error);
              Write(head, body, std::move(done));
            }));
}
void HttpStream::Handshake(HttpDone done) {
  std::get<Impl::Tls>(impl_->either)
      .async_handshake(asio::ssl::stream_base::server, std::move(done));
}
void HttpStream::Shutdown(HttpDone done) {
  std::get<Impl::Tls>(impl_->either).async_shutdown(std::move(done));
}
void HttpStream::Teardown(beast::role_type role, HttpDone done) {
  using beast::async_teardown;
  using beast::websocket::async_teardown;
  std::visit([&](auto& s) { async_teardown(role, s, std::move(done)); }, impl_->either);
}

}  // namespace posewire::service::internal
