// Tables in files of their own: points = { file = "cam.csv" }.
#pragma once

#include "tandem/io/model/document.hpp"
#include "tandem/io/model/model_file.hpp"

namespace tandem {

// Puts the rows of each such file in the place of its name. Whether there was any; what is wrong is told.
bool put_in_table_files(Node& root, const std::string& file_name, const ReadOptions& options, Faults& faults);

}  // namespace tandem
