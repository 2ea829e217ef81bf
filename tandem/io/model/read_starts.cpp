#include "tandem/io/model/model_reader.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {

void ModelReader::read_start(const Node& table) {
  TableReader reader(table, parameters_, faults_);
  StartDescription out;
  faults_.about_table("start", reader.source());
  out.joint = reader.text("joint", "");
  out.coordinate = reader.text("coordinate", "");
  out.body = reader.text("body", "");
  out.quantity = reader.text("quantity", "");
  faults_.about_table(start_label(out), reader.source());
  out.point = reader.optional_vector("point");
  out.value = reader.optional_number("value");
  out.rate = reader.optional_number("rate");
  reader.finish();
  out.source = reader.source();
  out_.starts.push_back(std::move(out));
}

}  // namespace tandem
