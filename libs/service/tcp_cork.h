// Lets what is written to a TCP connection within a short while go out together.
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

// A connection that got one write the last time is not corked before it gets a second one, so that
// a lone write never waits. Each socket that is corked is uncorked by the next End: a number that
// is closed, or is another file by now, does no harm. Takes no memory and no lock. Of one thread.
class TcpCork {
 public:
  void Begin();
  // Does nothing between End and Begin, nor for a negative number.
  void BeforeWrite(int fd);
  void End();

 private:
  // Connections on one line of the table forget about each other, and are corked later for it.
  static constexpr size_t kLines = 1024;
  static constexpr size_t kMostCorked = 64;

  struct Line {
    int fd = -1;
    bool many = false;      // more than one write in this batch
    bool had_many = false;  // in the one before it
    bool tried = false;     // to cork it
    uint64_t batch = 0;     // the last one that wrote to it
  };

  bool open_ = false;
  uint64_t batch_ = 0;
  size_t corked_count_ = 0;
  std::array<int, kMostCorked> corked_{};
  std::array<Line, kLines> lines_;
};

}  // namespace posewire::service

#endif  // POSEWIRE_LIBS_SERVICE_TCP_CORK_H_
