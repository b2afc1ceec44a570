#include "libs/client/byte_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/numbers.h"
#include "grpcpp/support/slice.h"
#include "libs/client/connection.h"
#include "libs/rpc/grpc_status.h"
#include "libs/rpc/message_bytes.h"
#include "libs/rpc/reactor_order.h"

namespace posewire::client {
namespace {

// In addition to the number of messages: limits read-ahead of large ones.
constexpr size_t kReadAhead_bytes = 8 << 20;

}  // namespace

ByteCall::ByteCall(std::shared_ptr<grpc::Channel> channel, const char* method,
                   const Metadata& metadata, size_t read_ahead)
    : stub_(std::move(channel)), read_ahead_(read_ahead) {
  for (const auto& [key, value] : metadata) context_.AddMetadata(key, value);
  stub_.PrepareBidiStreamingCall(&context_, method, /*options=*/{}, this);
  // Held until reading ends, so that OnDone is not called while operations may still be started.
  AddHold();
  POSEWIRE_BEFORE_START();
  StartRead(&read_buffer_);
  StartCall();
}

ByteCall::~ByteCall() {
  Cancel();
  (void)Finish();
}

template <typename Ready>
bool ByteCall::WaitUntil(std::unique_lock<std::mutex>& lock, double timeout_s, Ready ready) {
  if (timeout_s < 0) {
    changed_.wait(lock, ready);
    return true;
  }
  return changed_.wait_for(lock, std::chrono::duration<double>(timeout_s), ready);
}

ByteCall::Result ByteCall::Write(std::shared_ptr<const std::string> message, double timeout_s,
                                 bool last) {
  {
    std::unique_lock lock(mutex_);
    if (!WaitUntil(lock, timeout_s, [&] { return !writing_ || reads_over_; })) return kTimeout;
    if (reads_over_ || write_failed_) return kOver;
    writing_ = true;
    AddHold();
  }
  const std::string& bytes = *message;
  const grpc::Slice slice = rpc::Wrap(bytes.data(), bytes.size(), std::move(message));
  write_buffer_ = grpc::ByteBuffer(&slice, 1);
  POSEWIRE_BEFORE_START();
  if (last) {
    StartWriteLast(&write_buffer_, grpc::WriteOptions());
  } else {
    StartWrite(&write_buffer_);
  }
  RemoveHold();
  return kOk;
}

ByteCall::Result ByteCall::Flush(double timeout_s) {
  std::unique_lock lock(mutex_);
  if (!WaitUntil(lock, timeout_s, [&] { return !writing_ || reads_over_; })) return kTimeout;
  return reads_over_ || write_failed_ ? kOver : kOk;
}

ByteCall::Result ByteCall::WritesDone(double timeout_s) {
  {
    std::unique_lock lock(mutex_);
    if (!WaitUntil(lock, timeout_s, [&] { return !writing_ || reads_over_; })) return kTimeout;
    if (reads_over_ || write_failed_) return kOver;
    AddHold();
  }
  POSEWIRE_BEFORE_START();
  StartWritesDone();
  RemoveHold();
  return kOk;
}

ByteCall::Result ByteCall::WaitInitialMetadata(double timeout_s) {
  std::unique_lock lock(mutex_);
  if (!WaitUntil(lock, timeout_s, [&] { return initial_metadata_over_ || done_; })) {
    return kTimeout;
  }
  return have_initial_metadata_ ? kOk : kOver;
}

std::optional<std::string> ByteCall::InitialMetadata(const std::string& key) {
  std::unique_lock lock(mutex_);
  if (!have_initial_metadata_) return std::nullopt;
  const auto& metadata = context_.GetServerInitialMetadata();
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  return std::string(found->second.data(), found->second.size());
}

bool ByteCall::HasRoom() const {
  return received_.size() < read_ahead_ && received_bytes_ < kReadAhead_bytes;
}

ByteCall::Result ByteCall::Read(double timeout_s, ReceivedBytes& message) {
  bool restart = false;
  {
    std::unique_lock lock(mutex_);
    if (!WaitUntil(lock, timeout_s, [&] { return !received_.empty() || reads_over_; })) {
      return kTimeout;
    }
    if (received_.empty()) return kOver;
    message = std::move(received_.front());
    received_.pop_front();
    received_bytes_ -= message.bytes.Length();
    restart = read_paused_ && HasRoom();
    if (restart) read_paused_ = false;
  }
  if (restart) {
    // The constructor's hold is still active, because reading has not ended.
    POSEWIRE_BEFORE_START();
    StartRead(&read_buffer_);
  }
  return kOk;
}

bool ByteCall::over() {
  std::unique_lock lock(mutex_);
  return reads_over_;
}

bool ByteCall::alive() {
  std::unique_lock lock(mutex_);
  return alive_;
}

absl::Status ByteCall::Finish() {
  bool drain = false;
  {
    std::unique_lock lock(mutex_);
    // Unread messages must not prevent the call from ending.
    discard_ = true;
    received_.clear();
    received_bytes_ = 0;
    drain = std::exchange(read_paused_, false);
  }
  if (drain) {
    POSEWIRE_BEFORE_START();
    StartRead(&read_buffer_);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
  return status_;
}

std::optional<double> ByteCall::RetryHint() const {
  constexpr double kLongest_s = 60;
  const auto& metadata = context_.GetServerTrailingMetadata();
  const auto found = metadata.find("grpc-retry-pushback-ms");
  int64_t pushback_ms = 0;
  if (found == metadata.end() ||
      !absl::SimpleAtoi(absl::string_view(found->second.data(), found->second.size()),
                        &pushback_ms) ||
      pushback_ms < 0) {
    return std::nullopt;
  }
  return std::min(static_cast<double>(pushback_ms) / 1e3, kLongest_s);
}

void ByteCall::Cancel() { context_.TryCancel(); }

void ByteCall::OnWriteDone(bool ok) {
  POSEWIRE_ENTER_CALLBACK();
  std::unique_lock lock(mutex_);
  writing_ = false;
  (ok ? alive_ : write_failed_) = true;
  changed_.notify_all();
}

void ByteCall::OnWritesDoneDone(bool) { POSEWIRE_ENTER_CALLBACK(); }

void ByteCall::OnReadInitialMetadataDone(bool ok) {
  POSEWIRE_ENTER_CALLBACK();
  std::unique_lock lock(mutex_);
  initial_metadata_over_ = true;
  have_initial_metadata_ = ok;
  changed_.notify_all();
}

void ByteCall::OnReadDone(bool ok) {
  POSEWIRE_ENTER_CALLBACK();
  bool restart = false;
  {
    std::unique_lock lock(mutex_);
    if (ok) {
      if (!discard_) {
        received_bytes_ += read_buffer_.Length();
        received_.push_back({read_buffer_, SteadySeconds()});
      }
      read_buffer_.Clear();
      restart = HasRoom();
      read_paused_ = !restart;
      alive_ = true;
    } else {
      reads_over_ = true;
    }
    changed_.notify_all();
  }
  if (restart) {
    POSEWIRE_BEFORE_START();
    StartRead(&read_buffer_);
  } else if (!ok) {
    RemoveHold();
  }
}

void ByteCall::OnDone(const grpc::Status& status) {
  POSEWIRE_ENTER_CALLBACK();
  std::unique_lock lock(mutex_);
  status_ = rpc::FromGrpc(status);
  reads_over_ = true;
  done_ = true;
  // With the lock held: the waiter may destroy this object as soon as it has the lock.
  changed_.notify_all();
}

}  // namespace posewire::client
