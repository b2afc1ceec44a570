#include "libs/service/tcp_cork.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/service/tcp_pair.h"

namespace posewire::service {
namespace {

// One batch of writes to `pair`.
void WriteBatch(TcpCork& cork, const TcpPair& pair, int writes) {
  cork.Begin();
  for (int i = 0; i < writes; ++i) {
    cork.BeforeWrite(pair.server.get());
    EXPECT_TRUE(pair.Write("x"));
  }
  cork.End();
}

TEST(TcpCork, ALoneWriteGoesAtOnce) {
  TcpCork cork;
  const TcpPair pair;
  for (int i = 0; i < 3; ++i) {
    cork.Begin();
    cork.BeforeWrite(pair.server.get());
    EXPECT_FALSE(pair.corked());
    ASSERT_TRUE(pair.Write("lone"));
    EXPECT_EQ(pair.Read(4), "lone");
    cork.End();
  }
}

TEST(TcpCork, HoldsAConnectionFromItsSecondWriteAndThenFromItsFirst) {
  TcpCork cork;
  const TcpPair pair;
  for (const bool first_is_held : {false, true, true}) {
    cork.Begin();
    for (const bool held : {first_is_held, true, true}) {
      cork.BeforeWrite(pair.server.get());
      EXPECT_EQ(pair.corked(), held);
      ASSERT_TRUE(pair.Write("x"));
    }
    cork.End();
    EXPECT_FALSE(pair.corked());
    EXPECT_EQ(pair.Read(3), "xxx");
  }
}

TEST(TcpCork, TheWritesOfABatchComeInOneSegment) {
  TcpCork cork;
  const TcpPair pair;
  WriteBatch(cork, pair, 2);
  EXPECT_EQ(pair.Read(2), "xx");
  // The system lets go of them after 200 ms, which a busy machine may take now and then.
  uint32_t least = 100;
  for (int i = 0; i < 20; ++i) {
    const uint32_t before = pair.segments();
    WriteBatch(cork, pair, 20);
    EXPECT_EQ(pair.Read(20), std::string(20, 'x'));
    least = std::min(least, pair.segments() - before);
  }
  EXPECT_EQ(least, 1u);
}

TEST(TcpCork, LearnsThatABatchHasOneWriteAgain) {
  TcpCork cork;
  const TcpPair pair;
  WriteBatch(cork, pair, 5);
  WriteBatch(cork, pair, 1);
  cork.Begin();
  cork.BeforeWrite(pair.server.get());
  EXPECT_FALSE(pair.corked());
  cork.End();
}

TEST(TcpCork, WritesOutsideOfABatchNeverWait) {
  TcpCork cork;
  const TcpPair pair;
  WriteBatch(cork, pair, 3);
  EXPECT_EQ(pair.Read(3), "xxx");
  for (const char* text : {"a", "b", "c"}) {
    cork.BeforeWrite(pair.server.get());
    ASSERT_TRUE(pair.Write(text));
    EXPECT_FALSE(pair.corked());
    EXPECT_EQ(pair.Read(1), text);
  }
}

TEST(TcpCork, ANumberThatIsNoTcpConnectionDoesNoHarm) {
  TcpCork cork;
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const files::Descriptor out(pipe_ends[0]), in(pipe_ends[1]);
  for (int round = 0; round < 3; ++round) {
    cork.Begin();
    for (const int fd : {-1, in.get(), 1 << 20, 2'000'000'000}) {
      for (int i = 0; i < 3; ++i) cork.BeforeWrite(fd);
    }
    cork.End();
  }
}

TEST(TcpCork, AConnectionThatGetsTheNumberOfACorkedOneIsLeftOpen) {
  TcpCork cork;
  TcpPair old, other;
  const int number = old.server.get();
  WriteBatch(cork, old, 2);
  cork.Begin();
  cork.BeforeWrite(number);
  EXPECT_TRUE(old.corked());
  ASSERT_TRUE(old.Write("last"));
  old.server = files::Descriptor();
  EXPECT_EQ(old.Read(100), "xxlast");  // closing lets out what was held back
  ASSERT_EQ(dup2(other.server.get(), number), number);
  other.server = files::Descriptor(number);
  // It was not corked itself: to uncork it is all that may happen.
  cork.BeforeWrite(number);
  ASSERT_TRUE(other.Write("new"));
  cork.End();
  EXPECT_FALSE(other.corked());
  EXPECT_EQ(other.Read(3), "new");
}

// Against the plain rule: all that was written in a batch has come at its end, in order.
TEST(TcpCork, WhateverIsWrittenHasComeAtTheEndOfTheBatch) {
  std::mt19937 random(5);
  TcpCork cork;
  std::vector<std::unique_ptr<TcpPair>> pairs;
  for (int i = 0; i < 100; ++i) pairs.push_back(std::make_unique<TcpPair>());
  for (int batch = 0; batch < 50; ++batch) {
    std::vector<std::string> sent(pairs.size());
    cork.Begin();
    const auto writes = random() % 500;
    for (unsigned i = 0; i < writes; ++i) {
      const size_t at = random() % (1 + random() % pairs.size());
      const std::string text(1 + random() % 30, static_cast<char>('a' + random() % 26));
      cork.BeforeWrite(pairs[at]->server.get());
      ASSERT_TRUE(pairs[at]->Write(text));
      sent[at] += text;
    }
    cork.End();
    for (size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(pairs[i]->Read(sent[i].size()), sent[i]);
      EXPECT_FALSE(pairs[i]->corked());
    }
  }
}

}  // namespace
}  // namespace posewire::service
