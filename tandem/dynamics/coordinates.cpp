#include "tandem/dynamics/coordinates.hpp"

#include "tandem/dynamics/body_coordinates.hpp"
#include "tandem/dynamics/tree_coordinates.hpp"

namespace tandem {

std::unique_ptr<Coordinates> make_coordinates(const Model& model, Cut cut, CoordinatesName coordinates) {
  if (cut == Cut::loops) return std::make_unique<TreeCoordinates>(model);
  if (coordinates == CoordinatesName::quaternion) return std::make_unique<BodyCoordinates<QuaternionAttitude>>(model);
  if (coordinates == CoordinatesName::euler312) return std::make_unique<BodyCoordinates<Euler312Attitude>>(model);
  return std::make_unique<BodyCoordinates<QuasiAttitude>>(model);
}

Eigen::VectorXd row_sizes(const Model& model, const std::vector<int>& model_row) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(model_row.size()));
  for (std::size_t i = 0; i < model_row.size(); ++i)
    if (model_row[i] >= 0) sizes[static_cast<Eigen::Index>(i)] = model.row_size(model_row[i]);
  return sizes;
}

Mat6<double> body_inertia(const Body& body) {
  Mat6<double> M = Mat6<double>::Zero();
  if (!body.point_mass) M.topLeftCorner<3, 3>() = body.inertia;
  M.bottomRightCorner<3, 3>().diagonal().setConstant(body.mass);
  return M;
}

}  // namespace tandem
