// Child processes of a test: forks, and fresh starts of the test program that run one hidden test.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "codegen/device.h"

namespace dgsolve::codegen {

/// Exit status of a child; the negated signal that ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Runs `body` in a fork; its result becomes the exit status. Not for devices: their threads do not survive a fork.
template <class Body>
pid_t fork_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}

template <class Body>
int exit_status_of_child(Body body) {
  return wait_for(fork_child(body));
}

/// NVIDIA's OpenCL shows no platform in a process that was started by one that uses it.
inline bool starts_in_children(const DeviceFacts& facts) { return facts.is_cpu || facts.backend != "opencl"; }

/// Closes at exec what is not a socket of the tests: what drivers hold open.
inline void keep_only_sockets() {
  struct stat facts {};
  for (int file = 3; file < 1024; ++file) {
    if (::fstat(file, &facts) == 0 && !S_ISSOCK(facts.st_mode)) ::fcntl(file, F_SETFD, FD_CLOEXEC);
  }
}

/// Starts this program anew for the (disabled) test `name`, with more variables in its environment. Open sockets are passed on, what
/// it prints goes to standard error.
inline pid_t start_test(const std::string& name, const std::vector<std::pair<std::string, std::string>>& environment) {
  const std::string filter = "--gtest_filter=" + name;
  const pid_t child = ::fork();
  if (child != 0) return child;
  keep_only_sockets();
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) ::unsetenv(variable);  // the child runs its one test
  for (const auto& [variable, value] : environment) ::setenv(variable.c_str(), value.c_str(), 1);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execl("/proc/self/exe", "test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr);
  ::_exit(127);
}

}  // namespace dgsolve::codegen
