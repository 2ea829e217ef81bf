# Read by ctest before it runs: the suites of one test program, one test of ctest each. A process a test would spend more
# on starting than on testing. GoogleTest itself tells which test of a suite failed.
#
# Given: folder, program.

if(NOT EXISTS "${program}")
  add_test("${folder}_NOT_BUILT" "${folder}_NOT_BUILT")
  return()
endif()

execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests: ${result}\n${listed}")
endif()

# "Name." or, one for each type, "Name/type.  # TypeParam = ..."; all types of a suite are one test here.
string(REGEX MATCHALL "\n[^ \n][^\n]*[.](  # TypeParam[^\n]*)?" lines "${listed}")
set(suites "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^\n([^\n]*)/[^/.]*[.]  # TypeParam.*" "\\1/*" suite "${line}")
  string(REGEX REPLACE "^\n([^\n]*)[.]$" "\\1" suite "${suite}")
  list(APPEND suites "${suite}")
endforeach()
list(REMOVE_DUPLICATES suites)

foreach(suite IN LISTS suites)
  string(REPLACE "/*" "" name "${folder}/${suite}")
  add_test("${name}" "${program}" "--gtest_filter=${suite}.*")
  # Skipped is a suite of which nothing ran and nothing failed.
  set_tests_properties(
    "${name}" PROPERTIES LABELS "${folder}" TIMEOUT 1800 SKIP_REGULAR_EXPRESSION
    "\\[  PASSED  \\] 0 tests[.]\n\\[  SKIPPED \\] [0-9]+ tests?, listed below:\n(\\[  SKIPPED \\] [^\n]*\n)+$")
endforeach()
