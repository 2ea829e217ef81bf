// While one lives, numbers below 2.2e-308 count as zero on this thread. In every function that evaluates, and not in
// the step alone: else what a state answers and the first stage of the step from it would differ.
//
// What happens at one end of a long chain reaches the other weakened by a factor a link (a rope of balls: 0.27), so far
// away it is smaller than any normal number. Processors take a hundred times longer over such numbers, and nobody can
// see them: a rope of 1000 balls took half as long again. Without SSE it does nothing.
#pragma once

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace tandem {

class FlushDenormals {
 public:
#ifdef __SSE2__
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | flush_results | flush_operands); }
  ~FlushDenormals() { _mm_setcsr(before_); }
#else
  FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

#ifdef __SSE2__
 private:
  static constexpr unsigned flush_results = 0x8000, flush_operands = 0x0040;  // of MXCSR
  unsigned before_;
#endif
};

}  // namespace tandem
