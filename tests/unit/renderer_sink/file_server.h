// An HTTP server of one file on 127.0.0.1, which answers as a test asks it to.
#ifndef POSEWIRE_TESTS_UNIT_RENDERER_SINK_FILE_SERVER_H_
#define POSEWIRE_TESTS_UNIT_RENDERER_SINK_FILE_SERVER_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"

namespace posewire::renderer_sink {

// One connection at a time. A test changes its fields between requests.
class FileServer {
 public:
  enum class Way { kRanges, kWhole, kOtherRange, kCutOff, kSilent, kMissing, kBroken, kElsewhere };

  explicit FileServer(std::string whole)
      : file(std::move(whole)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&at), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FileServer() {
    stop = true;
    shutdown(listener_, SHUT_RDWR);
    if (const int open = open_; open >= 0) shutdown(open, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }

  std::string Url() const { return absl::StrCat("http://127.0.0.1:", port_, "/a.offsets?x=1"); }

  std::atomic<Way> way{Way::kRanges};
  std::atomic<bool> stop{false}, closes{false};
  std::atomic<int> connections{0}, requests{0}, confirmations{0};
  std::string last_request;
  std::string location;  // kElsewhere redirects there, so often
  int redirects = 0;
  std::string file;
  std::string headers;  // of each range, such as "ETag: ...\r\n"
  // A request with this line is answered 304.
  std::string not_modified = "no such line";

 private:
  void Serve() {
    while (!stop) {
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      ++connections;
      open_ = fd;
      std::string held;
      char bytes[4096];
      for (;;) {
        const size_t end = held.find("\r\n\r\n");
        if (end == std::string::npos) {
          const ssize_t n = recv(fd, bytes, sizeof bytes, 0);
          if (n <= 0) break;
          held.append(bytes, static_cast<size_t>(n));
          continue;
        }
        last_request = held.substr(0, end);
        held.erase(0, end + 4);
        ++requests;
        if (way == Way::kSilent) continue;
        const std::string reply = Reply(last_request);
        send(fd, reply.data(), reply.size(), MSG_NOSIGNAL);
        if (way == Way::kCutOff || closes) break;
      }
      open_ = -1;
      close(fd);
    }
  }

  std::string Reply(const std::string& request) {
    unsigned long long first = 0, last = 0;
    const size_t at = request.find("Range: bytes=");
    if (way == Way::kMissing) return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    if (way == Way::kElsewhere && redirects-- > 0) {
      return absl::StrCat("HTTP/1.1 302 Found\r\nLocation: ", location,
                          "\r\nContent-Length: 2\r\n\r\n..");
    }
    if (way == Way::kBroken) return "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n";
    if (way == Way::kWhole || at == std::string::npos ||
        std::sscanf(request.c_str() + at, "Range: bytes=%llu-%llu", &first, &last) != 2) {
      return absl::StrCat("HTTP/1.1 200 OK\r\nContent-Length: ", file.size(), "\r\n\r\n", file);
    }
    if (request.find(not_modified) != std::string::npos) {
      ++confirmations;
      return absl::StrCat("HTTP/1.1 304 Not Modified\r\n", headers, "\r\n");
    }
    if (first >= file.size()) {
      return absl::StrCat("HTTP/1.1 416 No\r\nContent-Range: bytes */", file.size(),
                          "\r\nContent-Length: 0\r\n\r\n");
    }
    last = std::min<unsigned long long>(last, file.size() - 1);
    const std::string body = file.substr(first, last - first + 1);
    if (way == Way::kOtherRange) ++first;
    return absl::StrCat("HTTP/1.1 206 Partial\r\nContent-Range: bytes ", first, "-", last, "/",
                        file.size(), "\r\n", headers, "Content-Length: ", body.size(), "\r\n\r\n",
                        way == Way::kCutOff ? body.substr(0, body.size() / 2) : body);
  }

  const int listener_;
  int port_ = 0;
  std::atomic<int> open_{-1};
  std::thread thread_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_TESTS_UNIT_RENDERER_SINK_FILE_SERVER_H_
