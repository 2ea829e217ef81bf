# Writes a C++ source that holds the text of the example files.
#
#   LIST    a file that names one example file per line
#   OUTPUT  the source to write

set(chunk_limit 15000) # compilers may refuse longer string literals
set(delimiter "tandem_toml")

file(STRINGS "${LIST}" files ENCODING UTF-8)
set(entries "")
set(count 0)
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME_WLE)
  file(READ "${file}" text)
  string(FIND "${text}" ")${delimiter}\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} contains )${delimiter}\", which cannot be embedded")
  endif()

  set(literals "")
  string(LENGTH "${text}" left)
  while(left GREATER chunk_limit)
    # Cut after the last line that fits.
    string(SUBSTRING "${text}" 0 ${chunk_limit} chunk)
    string(FIND "${chunk}" "\n" cut REVERSE)
    if(cut EQUAL -1)
      message(FATAL_ERROR "${file} has a line longer than ${chunk_limit} characters")
    endif()
    math(EXPR cut "${cut} + 1")
    string(SUBSTRING "${text}" 0 ${cut} chunk)
    string(SUBSTRING "${text}" ${cut} -1 text)
    string(LENGTH "${text}" left)
    string(APPEND literals "\n     R\"${delimiter}(${chunk})${delimiter}\"")
  endwhile()
  string(APPEND literals "\n     R\"${delimiter}(${text})${delimiter}\"")

  string(APPEND entries "    {\"${name}\",${literals}},\n")
  math(EXPR count "${count} + 1")
endforeach()

set(source "// Generated from the files in examples/. Do not edit.\n\n")
string(APPEND source "#include \"tandem/io/model/examples.hpp\"\n\n#include <span>\n#include <string_view>\n\n")
string(APPEND source "namespace tandem {\n\n")
if(count EQUAL 0)
  string(APPEND source "std::span<const EmbeddedExample> embedded_examples() { return {}; }\n")
else()
  string(APPEND source "static constexpr EmbeddedExample all_examples[] = {\n${entries}};\n\n")
  string(APPEND source "std::span<const EmbeddedExample> embedded_examples() { return all_examples; }\n")
endif()
string(APPEND source "\n}  // namespace tandem\n")
file(WRITE "${OUTPUT}" "${source}")
