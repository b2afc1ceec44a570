// Runs tests/service/lying_voice.py as a child.
#ifndef POSEWIRE_TESTS_UNIT_VOICE_HTTP_LYING_SERVER_H_
#define POSEWIRE_TESTS_UNIT_VOICE_HTTP_LYING_SERVER_H_

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/program/child.h"

namespace posewire::voice_http {

class LyingServer {
 public:
  explicit LyingServer(const std::vector<std::string>& arguments = {}) {
    const char* const source = std::getenv("POSEWIRE_SOURCE_DIR");
    int in[2], out[2];
    if (source == nullptr || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) std::abort();
    std::vector<std::string> words = {"/usr/bin/python3", "-B",
                                      absl::StrCat(source, "/tests/service/lying_voice.py")};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const program::ChildStart start =
        program::StartChild(words, {{.ours = in[0], .its = 0}, {.ours = out[1], .its = 1}}, false);
    close(in[0]);
    close(out[1]);
    child_ = start.child;
    in_ = in[1];
    std::string line;
    for (char c = 0; c != '\n' && read(out[0], &c, 1) == 1;) line += c;
    close(out[0]);
    port_ = std::atoi(line.c_str() + std::string("{\"port\": ").size());
    if (const size_t ca = line.find("\"ca\": \""); ca != std::string::npos) {
      const size_t begin = ca + 7;
      ca_file_ = line.substr(begin, line.find('"', begin) - begin);
    }
    if (port_ == 0) std::abort();
  }
  ~LyingServer() {
    close(in_);
    waitpid(child_, nullptr, 0);
  }

  std::string url() const {
    return absl::StrCat(ca_file_.empty() ? "http" : "https", "://127.0.0.1:", port_);
  }
  const std::string& ca_file() const { return ca_file_; }

 private:
  pid_t child_ = -1;
  int in_ = -1;
  int port_ = 0;
  std::string ca_file_;
};

}  // namespace posewire::voice_http

#endif  // POSEWIRE_TESTS_UNIT_VOICE_HTTP_LYING_SERVER_H_
