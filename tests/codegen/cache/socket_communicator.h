// A communicator of processes on one machine: rank 0 has a socket to every other rank.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "codegen/communicator.h"

namespace dgsolve::codegen {

class SocketCommunicator : public Communicator {
 public:
  /// `sockets`: of rank 0 one for each other rank ([size], the first unused), of the others the one to rank 0.
  SocketCommunicator(int rank, std::vector<int> nodes, std::vector<int> sockets)
      : rank_(rank), nodes_(std::move(nodes)), sockets_(std::move(sockets)) {
    for (const int socket : sockets_) {
      const timeval limit{30, 0};  // a dead-lock becomes an error
      if (socket >= 0) ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] std::vector<int> nodes() const override { return nodes_; }
  void broadcast(std::string& bytes, int root) override {
    if (rank_ != 0) {
      if (rank_ == root) {
        send(sockets_[0], bytes);
      } else {
        bytes = receive(sockets_[0]);
      }
      return;
    }
    if (root != 0) bytes = receive(sockets_[static_cast<std::size_t>(root)]);
    for (int other = 1; other < size(); ++other) {
      if (other != root) send(sockets_[static_cast<std::size_t>(other)], bytes);
    }
  }
  void barrier() override { (void)all_gather({}); }

 private:
  static void send(int socket, const std::string& bytes) {
    const std::uint64_t count = bytes.size();
    write_all(socket, reinterpret_cast<const char*>(&count), sizeof count);
    write_all(socket, bytes.data(), bytes.size());
  }
  static void write_all(int socket, const char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t done = ::send(socket, data, bytes, MSG_NOSIGNAL);
      if (done <= 0) throw std::runtime_error("a rank is gone");
      data += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }
  static std::string receive(int socket) {
    std::uint64_t count = 0;
    read_all(socket, reinterpret_cast<char*>(&count), sizeof count);
    std::string bytes(count, '\0');
    read_all(socket, bytes.data(), bytes.size());
    return bytes;
  }
  static void read_all(int socket, char* data, std::size_t bytes) {
    while (bytes > 0) {
      const ssize_t done = ::recv(socket, data, bytes, 0);
      if (done <= 0) throw std::runtime_error("no word from a rank: dead-lock, or it is gone");
      data += done;
      bytes -= static_cast<std::size_t>(done);
    }
  }

  int rank_;
  std::vector<int> nodes_;
  std::vector<int> sockets_;
};

}  // namespace dgsolve::codegen
