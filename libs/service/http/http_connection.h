// One connection that speaks HTTP. Internal to libs/service.
#ifndef POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CONNECTION_H_
#define POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CONNECTION_H_

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libs/service/http/http_core.h"
#include "libs/service/http/http_stream.h"

namespace posewire::service::internal {

// Sends a reply to a connection whose request is not read, as much of it as the system takes at
// once.
void WriteAtOnce(const HttpReply& reply, boost::asio::ip::tcp::socket& socket);

// Reads requests one after the other, has them answered and writes the replies, until the client
// ends, time is over or the host drains. All but Drain, Cut and GiveWay happens on the strand of
// its socket. Holds at most max_header_bytes beside the request's body, whatever is sent.
class HttpConnection : public HttpMember, public std::enable_shared_from_this<HttpConnection> {
 public:
  // `stream`'s executor is a strand. `room` is not kNone.
  HttpConnection(HttpCore& core, HttpStream stream, HttpRoom room);
  ~HttpConnection() override;

  void Run();
  void Drain() override;
  void Cut() override;
  void GiveWay() override;

 private:
  using Error = boost::system::error_code;
  using Body = boost::beast::http::string_body;
  using Response = boost::beast::http::response<boost::beast::http::empty_body>;
  // Where a replier finds the connection, as long as the request waits for its reply.
  struct Slot {
    std::mutex mutex;
    HttpConnection* waiting = nullptr;
  };

  // What `work`, given this connection, does when something has happened; the connection lives
  // until then, and ends when that throws.
  template <typename Work>
  HttpDone Then(Work work);
  void SetWait(HttpWait wait);
  void ShakeHands();
  void OnHandshake(Error error);
  void AwaitRequest();
  void ReadHeader();
  void OnHeader();
  void ReadBody();
  // Reads until the parser has the header, or all if it is eager.
  void Parse();
  void ReadMore();
  void OnBadRequest(Error error);
  // Replies, and closes the connection.
  void Refuse(HttpReply reply);
  // The request is whole.
  void Handle();
  void HandOver(const HttpRouter::Match& match);
  std::optional<HttpReply> RefuseForeign() const;
  HttpReply AnswerOptions(const std::vector<std::string>& allowed) const;
  void OpenWebSocket(WebSocketEndpoint* endpoint);
  void CallHandler(const HttpHandler& handler);
  void StopWaiting();
  void Write(HttpReply reply);
  void SetHeaders(const HttpReply& reply, Response* response) const;
  void OnWritten(Error error, bool keep);
  // Closes when the client has taken nothing since the last look; looks again later.
  void WatchProgress();
  // Closes so that the last reply reaches a client that is still sending.
  void Linger();
  void LingerBelowTls();
  void ReadAway(size_t left);
  void Close();
  bool upgrade() const;

  HttpCore& core_;
  const HttpRoom room_;
  uint64_t id_ = 0;
  HttpStream stream_;
  boost::asio::steady_timer deadline_;  // Of the handler, and then of the next look at progress.
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<Body>> parser_;
  std::string head_;              // Of the reply that is being written.
  std::optional<HttpBody> body_;  // Of the same.
  uint64_t replies_ = 0;          // That were begun.
  bool writing_ = false;
  uint64_t taken_bytes_ = 0;  // By the client, at the last look.
  HttpRequest request_;
  std::shared_ptr<Slot> slot_;
  std::chrono::steady_clock::time_point began_;
  HttpWait wait_ = HttpWait::kNone;
  bool first_ = true;
  bool draining_ = false;
};

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CONNECTION_H_
