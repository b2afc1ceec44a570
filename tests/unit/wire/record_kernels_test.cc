// Every kernel, of every instruction set that this CPU has, against a plain loop.
#include "libs/wire/record_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "hwy/targets.h"

namespace posewire::wire {
namespace {

using Rng = std::mt19937;

// --- The scalar twins.
template <size_t kFloats>
std::string WriteRecord(const float* v, unsigned shape) {
  std::string fields;
  for (size_t k = 0; k < kFloats; ++k) {
    if ((shape >> k & 1) == 0) continue;
    fields += static_cast<char>((k + 1) << 3 | 5);
    fields.append(reinterpret_cast<const char*>(v + k), sizeof(float));
  }
  return std::string("\x12") + static_cast<char>(fields.size()) + fields;
}

bool IsUnit(const float* q) {
  double square = 0;
  for (int k = 0; k < 4; ++k) square += double{q[k]} * q[k];
  return std::fabs(square - 1) <= 2e-6;
}
// --- End of the twins.

float AnyFloat(Rng& rng) {
  const auto bits = static_cast<uint32_t>(rng());
  float f;
  std::memcpy(&f, &bits, sizeof f);
  return f;
}

// Of the first `n`; NaN is a value here.
bool SameBits(const std::vector<float>& a, const std::vector<float>& b, size_t n) {
  return n == 0 || std::memcmp(a.data(), b.data(), n * sizeof(float)) == 0;
}

class RecordKernels : public ::testing::TestWithParam<int64_t> {
 protected:
  RecordKernels() {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    kernels_ = ChooseKernels();
  }
  ~RecordKernels() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }

  template <size_t kFloats>
  auto ReadFull() const {
    if constexpr (kFloats == 3) return kernels_.read_full_vectors;
    if constexpr (kFloats == 4) return kernels_.read_full_rotations;
  }
  template <size_t kFloats>
  auto ReadShaped() const {
    if constexpr (kFloats == 3) return kernels_.read_shaped_vectors;
    if constexpr (kFloats == 4) return kernels_.read_shaped_rotations;
  }

  // The arrays have no byte to spare, for the sanitizers.
  template <size_t kFloats>
  void ExpectFullRecordsAreRead(size_t n, size_t behind, Rng& rng) {
    std::vector<float> floats(n * kFloats);
    for (float& f : floats) f = AnyFloat(rng);
    std::string bytes;
    for (size_t i = 0; i < n; ++i) bytes += WriteRecord<kFloats>(&floats[i * kFloats], 15);
    const size_t size = bytes.size();
    bytes.append(behind, '\x12');
    const std::vector<uint8_t> in(bytes.begin(), bytes.end());
    std::vector<float> out(n * kFloats);
    ASSERT_EQ(ReadFull<kFloats>()(in.data(), in.data() + in.size(), n, out.data()), n);
    EXPECT_TRUE(SameBits(out, floats, n * kFloats));
    // One tag that is wrong ends it there or a little before.
    if (n == 0) return;
    const size_t record = rng() % n, record_bytes = size / n;
    const size_t tags[] = {0, 1, 2, 7, 12, record_bytes - 5};
    std::vector<uint8_t> damaged = in;
    damaged[record * record_bytes + tags[rng() % 6]] ^= static_cast<uint8_t>(1 << rng() % 8);
    const size_t read =
        ReadFull<kFloats>()(damaged.data(), damaged.data() + damaged.size(), n, out.data());
    EXPECT_LE(read, record);
    EXPECT_LE(record - read, 16u);
    EXPECT_TRUE(SameBits(out, floats, read * kFloats));
  }

  template <size_t kFloats>
  void ExpectShapedRecordsAreRead(size_t n, size_t behind, Rng& rng) {
    std::vector<float> floats(n * kFloats);
    std::vector<uint8_t> shapes(n);
    std::vector<size_t> places;
    std::string bytes;
    for (size_t i = 0; i < n; ++i) {
      shapes[i] = static_cast<uint8_t>(rng() % (1u << kFloats));
      for (size_t k = 0; k < kFloats; ++k) {
        floats[i * kFloats + k] = (shapes[i] >> k & 1) != 0 ? AnyFloat(rng) : 0;
      }
      places.push_back(bytes.size());
      bytes += WriteRecord<kFloats>(&floats[i * kFloats], shapes[i]);
    }
    places.push_back(bytes.size());
    bytes.append(behind, '\x12');
    std::vector<uint8_t> in(bytes.begin(), bytes.end());
    std::vector<float> out(n * kFloats);
    const auto read = [&] {
      const uint8_t* from = in.data();
      const size_t done =
          ReadShaped<kFloats>()(&from, in.data() + in.size(), shapes.data(), n, out.data());
      EXPECT_EQ(static_cast<size_t>(from - in.data()), places[done]);
      EXPECT_TRUE(SameBits(out, floats, done * kFloats));
      return done;
    };
    const size_t most = read();
    if (behind >= 32) {
      EXPECT_EQ(most, n);
    }
    if (most == 0) return;
    const size_t record = rng() % most;
    const size_t fields = (places[record + 1] - places[record] - 2) / 5;
    const size_t tag = rng() % (2 + fields);
    in[places[record] + (tag < 2 ? tag : 5 * tag - 8)] ^= static_cast<uint8_t>(1 << rng() % 8);
    EXPECT_LE(read(), record);
  }

  wire::RecordKernels kernels_;
};

TEST_P(RecordKernels, FullRecordsAreReadUpToTheFirstOther) {
  Rng rng(1);
  for (size_t n = 0; n < 110; ++n) {
    for (const size_t behind : {0u, 1u, 31u, 64u}) {
      ExpectFullRecordsAreRead<3>(n, behind, rng);
      ExpectFullRecordsAreRead<4>(n, behind, rng);
    }
  }
}

TEST_P(RecordKernels, RecordsOfKnownShapesAreReadUpToTheFirstOther) {
  Rng rng(2);
  for (size_t n = 0; n < 110; ++n) {
    for (const size_t behind : {0u, 1u, 31u, 64u}) {
      ExpectShapedRecordsAreRead<3>(n, behind, rng);
      ExpectShapedRecordsAreRead<4>(n, behind, rng);
    }
  }
}

TEST_P(RecordKernels, RowsAreWrittenAsRecords) {
  Rng rng(3);
  for (size_t n = 0; n < 110; ++n) {
    std::vector<std::vector<float>> rows(4, std::vector<float>(n));
    std::string vectors, rotations;
    for (size_t i = 0; i < n; ++i) {
      float v[4];
      for (size_t k = 0; k < 4; ++k) v[k] = rows[k][i] = AnyFloat(rng);
      vectors += WriteRecord<3>(v, 7);
      rotations += WriteRecord<4>(v, 15);
    }
    std::vector<uint8_t> out(17 * n);
    kernels_.write_vectors({rows[0].data(), rows[1].data(), rows[2].data()}, n, out.data());
    EXPECT_EQ(std::string(out.begin(), out.end()), vectors);
    out.assign(22 * n, 0);
    kernels_.write_rotations({rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()}, n,
                             out.data());
    EXPECT_EQ(std::string(out.begin(), out.end()), rotations);
  }
}

TEST_P(RecordKernels, OneNumberOutOfBoundsIsFoundWhereverItStands) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (size_t n = 0; n < 100; ++n) {
    std::vector<float> v(n, -1e9f);
    EXPECT_TRUE(kernels_.all_within(v.data(), n, 1e9f));
    for (size_t i = 0; i < n; ++i) {
      for (const float bad : {1.0001e9f, -1.0001e9f, kInf, -kInf, std::nanf("")}) {
        v[i] = bad;
        EXPECT_FALSE(kernels_.all_within(v.data(), n, 1e9f)) << n << " " << i << " " << bad;
      }
      v[i] = 1e9f;
    }
  }
}

TEST_P(RecordKernels, RotationsOfUnitLengthAreThoseThatTheTwinTakes) {
  Rng rng(4);
  std::uniform_real_distribution<float> number(-1, 1);
  for (size_t n = 0; n < 100; ++n) {
    std::vector<float> q(4 * n);
    for (size_t i = 0; i < n; ++i) {
      double square = 0;
      for (size_t k = 0; k < 4; ++k)
        q[4 * i + k] = number(rng), square += std::pow(q[4 * i + k], 2);
      for (size_t k = 0; k < 4; ++k) q[4 * i + k] /= static_cast<float>(std::sqrt(square));
    }
    EXPECT_TRUE(kernels_.all_unit_length(q.data(), n));
    for (size_t i = 0; i < n; ++i) {
      const std::array<float, 4> was = {q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]};
      for (const float factor :
           {0.0f, 1.00001f, 0.999999f, 1.0000008f, 2.0f, -1.0f, std::nanf("")}) {
        for (size_t k = 0; k < 4; ++k) q[4 * i + k] = was[k] * factor;
        double square = 0;
        for (size_t k = 0; k < 4; ++k) square += double{q[4 * i + k]} * q[4 * i + k];
        const bool taken = kernels_.all_unit_length(q.data(), n);
        EXPECT_TRUE(!taken || IsUnit(&q[4 * i])) << factor;
        EXPECT_TRUE(taken || !(std::fabs(square - 1) < 1e-6)) << factor;
      }
      std::copy(was.begin(), was.end(), q.begin() + static_cast<ptrdiff_t>(4 * i));
    }
  }
}

std::vector<int64_t> Targets() {
  std::vector<int64_t> targets;
  for (int64_t bits = hwy::SupportedTargets(); bits != 0; bits &= bits - 1) {
    targets.push_back(bits & -bits);
  }
  return targets;
}

INSTANTIATE_TEST_SUITE_P(Every, RecordKernels, ::testing::ValuesIn(Targets()),
                         [](const auto& info) { return std::string(hwy::TargetName(info.param)); });

}  // namespace
}  // namespace posewire::wire
