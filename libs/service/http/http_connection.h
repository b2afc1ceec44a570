// One HTTP connection. Internal to libs/service.
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

// Sends a reply to a connection whose request is not read, as far as the system accepts it
// immediately.
void WriteAtOnce(const HttpReply& reply, boost::asio::ip::tcp::socket& socket);

// Reads requests one after the other, passes them to handlers and writes the replies, until the
// client closes, time runs out or the host drains. Everything except Drain, Cut and GiveWay runs on
// the strand of its socket. Holds at most max_header_bytes in addition to the request's body.
class HttpConnection : public HttpMember, public std::enable_shared_from_this<HttpConnection> {
 public:
  // `stream`'s executor must be a strand. `room` must not be kNone.
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
  // Lets a replier find the connection while the request waits for its reply.
  struct Slot {
    std::mutex mutex;
    HttpConnection* waiting = nullptr;
  };

  // Returns a completion handler that calls `work` with this connection and keeps the connection
  // alive until then. If `work` throws, the connection ends.
  template <typename Work>
  HttpDone Then(Work work);
  void SetWait(HttpWait wait);
  void ShakeHands();
  void OnHandshake(Error error);
  void AwaitRequest();
  void ReadHeader();
  void OnHeader();
  void ReadBody();
  // Reads until the parser has the header, or the whole request if the parser is eager.
  void Parse();
  void ReadMore();
  void OnBadRequest(Error error);
  // Sends the reply and closes the connection.
  void Reject(HttpReply reply);
  // The request is complete.
  void Handle();
  void HandOver(const HttpRouter::Match& match);
  std::optional<HttpReply> RejectForeign() const;
  HttpReply AnswerOptions(const std::vector<std::string>& allowed) const;
  void OpenWebSocket(WebSocketEndpoint* endpoint);
  void CallHandler(const HttpHandler& handler);
  void StopWaiting();
  void Write(HttpReply reply);
  void SetHeaders(const HttpReply& reply, Response* response) const;
  void OnWritten(Error error, bool keep);
  // Closes if the client has received nothing since the last check; checks again later.
  void WatchProgress();
  // Closes so that the last reply still reaches a client that is sending.
  void Linger();
  void LingerBelowTls();
  void ReadAway(size_t left);
  void Close();
  bool upgrade() const;

  HttpCore& core_;
  const HttpRoom room_;
  uint64_t id_ = 0;
  HttpStream stream_;
  boost::asio::steady_timer deadline_;  // Of the handler, then of the next progress check.
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<Body>> parser_;
  std::string head_;              // Of the reply being written.
  std::optional<HttpBody> body_;  // Of the reply being written.
  uint64_t replies_ = 0;          // Number of replies begun.
  bool writing_ = false;
  uint64_t taken_bytes_ = 0;  // Acknowledged by the client at the last check.
  HttpRequest request_;
  std::shared_ptr<Slot> slot_;
  std::chrono::steady_clock::time_point began_;
  HttpWait wait_ = HttpWait::kNone;
  bool first_ = true;
  bool draining_ = false;
};

}  // namespace posewire::service::internal

#endif  // POSEWIRE_LIBS_SERVICE_HTTP_HTTP_CONNECTION_H_
