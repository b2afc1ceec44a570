// Combines writes to a TCP connection that happen shortly after each other.
//
//   cork.Begin();
//   for (...) { cork.BeforeWrite(fd); send(fd, ...); }
//   cork.End();
//
// Without it each write is a segment of its own, which wakes its reader.
#ifndef POSEWIRE_LIBS_SERVICE_TCP_CORK_H_
#define POSEWIRE_LIBS_SERVICE_TCP_CORK_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace posewire::service {

// A connection that got one write in the previous batch is corked only before its second write, so
// that a single write is never delayed. Each corked socket is uncorked by the next End. It is
// harmless if a number is closed or has become another file. Uses no memory and no lock. One
// thread.
class TcpCork {
 public:
  void Begin();
  // Does nothing between End and Begin, nor for a negative number.
  void BeforeWrite(int fd);
  void End();

 private:
  // Connections that share a table line replace each other, and are then corked later.
  static constexpr size_t kLines = 1024;
  static constexpr size_t kMostCorked = 64;

  struct Line {
    int fd = -1;
    bool many = false;      // more than one write in this batch
    bool had_many = false;  // in the previous batch
    bool tried = false;     // cork was attempted
    uint64_t batch = 0;     // the last batch that wrote to it
  };

  bool open_ = false;
  uint64_t batch_ = 0;
  size_t corked_count_ = 0;
  std::array<int, kMostCorked> corked_{};
  std::array<Line, kLines> lines_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TCP_CORK_H_
