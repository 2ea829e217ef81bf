// Whether this build is watched by the address sanitizer, which has a malloc and terabytes of addresses of its own.
#pragma once

namespace tandem::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)  // clang has no such macro
inline constexpr bool sanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace tandem::test
