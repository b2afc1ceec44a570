// Limits on the memory that clients can make the process hold, current usage, and the error
// returned when a limit is reached.
//
// Everything that clients can make the process hold counts against a limit: a Budget for the
// process as a whole, or a plain Limit per stream, avatar or address. The error reports what is
// full, how full, which setting limits it, and when to try again. docs/configuration.md lists all
// limits.
#ifndef POSEWIRE_LIBS_STREAM_BUDGET_H_
#define POSEWIRE_LIBS_STREAM_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/stream/busy.h"

namespace posewire::stream {

// A maximum for something that its owner counts. Thread-safe.
class Limit {
 public:
  struct Names {
    absl::string_view name;     // in metrics: "pulls_per_stream"
    absl::string_view what;     // in errors: "pulls are open"
    absl::string_view setting;  // "--max-pulls-per-stream"
    int64_t unit = 1;           // unit of the numbers in errors: 1 << 20 for MiB
  };
  // The texts must live as long as the program.
  Limit(const Names& names, int64_t most) : names_(names), most_(most) {}
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

  // Returns OK if one more is allowed when `used` exist. Otherwise RESOURCE_EXHAUSTED, which asks
  // the client to try again (IsBusy), and counts a rejection. `of`: names the owner, such as " of
  // stream_id \"s\"".
  absl::Status Check(int64_t used, absl::string_view of = "") const {
    return used < most_ ? absl::OkStatus() : Reject(used, of);
  }
  absl::Status Reject(int64_t used, absl::string_view of = "") const {
    ++rejections_;
    return BusyError(absl::StrCat(used / names_.unit, " ", names_.what, of, ", and ",
                                  names_.setting, " allows ", most_ / names_.unit,
                                  "; try again in 5 s"));
  }

  const Names& names() const { return names_; }
  int64_t most() const { return most_; }
  int64_t rejections() const { return rejections_; }

 private:
  const Names names_;
  const int64_t most_;
  mutable std::atomic<int64_t> rejections_{0};
};

// A process-wide limit with its current usage. Thread-safe.
class Budget : public Limit {
 public:
  using Limit::Limit;

  // Adds `amount`, or returns the error of Refuse if that would exceed the limit.
  absl::Status Take(int64_t amount = 1) {
    const int64_t before = used_->fetch_add(amount, std::memory_order_relaxed);
    if (before + amount <= most()) return absl::OkStatus();
    Give(amount);
    return Reject(before);
  }
  // Adds usage unconditionally, even past the limit.
  void Add(int64_t amount) { used_->fetch_add(amount, std::memory_order_relaxed); }
  void Give(int64_t amount = 1) { used_->fetch_sub(amount, std::memory_order_relaxed); }

  int64_t used() const { return used_->load(std::memory_order_relaxed); }
  bool full() const { return used() >= most(); }
  absl::Status Check() const { return Limit::Check(used()); }
  // A counter that may outlive the budget, for objects that count themselves.
  std::shared_ptr<std::atomic<int64_t>> meter() const { return used_; }

 private:
  const std::shared_ptr<std::atomic<int64_t>> used_ = std::make_shared<std::atomic<int64_t>>(0);
};

// One owner's part of a budget, returned when destroyed. As thread-safe as its owner.
class Reservation {
 public:
  // Null: nothing is counted. The budget must outlive this.
  explicit Reservation(Budget* budget = nullptr) : budget_(budget) {}
  ~Reservation() { Set(0); }
  Reservation(Reservation&& from) noexcept
      : budget_(std::exchange(from.budget_, nullptr)), amount_(std::exchange(from.amount_, 0)) {}
  Reservation& operator=(Reservation&& from) noexcept {
    std::swap(budget_, from.budget_);
    std::swap(amount_, from.amount_);
    return *this;
  }

  // Adds one, or returns the budget's error.
  absl::Status Take() {
    absl::Status taken = budget_ == nullptr ? absl::OkStatus() : budget_->Take();
    if (taken.ok()) ++amount_;
    return taken;
  }
  // Changes the amount unconditionally, even past the limit.
  void Set(int64_t amount) {
    if (budget_ != nullptr && amount != amount_) budget_->Add(amount - amount_);
    amount_ = amount;
  }
  int64_t amount() const { return amount_; }
  bool full() const { return budget_ != nullptr && budget_->full(); }
  bool over() const { return budget_ != nullptr && budget_->used() > budget_->most(); }

 private:
  Budget* budget_;
  int64_t amount_ = 0;
};

}  // namespace posewire::stream

#endif  // POSEWIRE_LIBS_STREAM_BUDGET_H_
