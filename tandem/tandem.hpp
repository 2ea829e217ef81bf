// All of Tandem for C++ users: build or load a model, check it, move it.
#pragma once

#include "tandem/analysis/counts.hpp"
#include "tandem/analysis/momentum.hpp"
#include "tandem/analysis/outputs.hpp"
#include "tandem/constraints/all.hpp"
#include "tandem/drives/all.hpp"
#include "tandem/dynamics/inverse_dynamics.hpp"
#include "tandem/forces/all.hpp"
#include "tandem/io/examples.hpp"
#include "tandem/io/model_file.hpp"
#include "tandem/joints/all.hpp"
#include "tandem/methods/quaternion_form.hpp"
#include "tandem/methods/single_body.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/model/forest.hpp"
#include "tandem/simulate.hpp"
