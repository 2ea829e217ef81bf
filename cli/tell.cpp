#include "tell.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tandem::cli {

void keep_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // the lowest number that is free: this one
  }
}

}  // namespace tandem::cli
