# What is built again on another type for the numbers of a model: all from a text to forces and rows.

set(tandem_by_parameter_foundation
    base/expression.cpp
    base/faults.cpp
    base/limits.cpp
    base/suggest.cpp
    constraints/point_on_curve.cpp
    drives/table.cpp
    math/euler312.cpp
    math/rotation.cpp
    math/spline.cpp
    model/colors.cpp
    model/registry.cpp
    model/shape.cpp)
set(tandem_by_parameter_compiler
    model/compile.cpp
    model/compile_bodies.cpp
    model/compile_constraints.cpp
    model/compile_forces.cpp
    model/compile_joints.cpp
    model/compile_outputs.cpp
    model/compile_simulation.cpp
    model/setup.cpp
    model/compile_starts.cpp
    model/compile_steady.cpp
    model/compile_stops.cpp
    model/coordinate_names.cpp
    model/model.cpp
    model/row_sizes.cpp
    model/scale.cpp)
set(tandem_by_parameter_reader
    io/model/json_document.cpp
    io/model/model_file.cpp
    io/model/parameters.cpp
    io/model/read_bodies.cpp
    io/model/read_constraints.cpp
    io/model/read_joints.cpp
    io/model/read_starts.cpp
    io/model/read_steady.cpp
    io/model/read_text.cpp
    io/model/table_files.cpp
    io/model/table_reader.cpp
    io/model/toml_scan.cpp
    io/model/utf8.cpp
    io/model/within_limits.cpp
    io/model/write_document.cpp)
set(tandem_by_parameter_dynamics
    observe/loaded.cpp
    linearize/output_tangent.cpp
    linearize/readings.cpp
    by_parameter/parameter_tangent.cpp
    dynamics/applied.cpp
    observe/coordinate_reading.cpp
    dynamics/kinematics.cpp
    dynamics/rows.cpp
    dynamics/state.cpp
    dynamics/tangent.cpp)

# An object library NAME: namespace tandem is called NAME in it, and HEADER says what Real is. To spare the compiler, the
# files of a list above are compiled as one, so they must not have functions of their own of the same name.
function(tandem_by_parameter name header)
  set(sources "${PROJECT_SOURCE_DIR}/tandem/io/model/document.cpp")
  foreach(group IN ITEMS foundation compiler reader dynamics)
    list(TRANSFORM tandem_by_parameter_${group} PREPEND "${PROJECT_SOURCE_DIR}/tandem/" OUTPUT_VARIABLE files)
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${group})
    list(APPEND sources ${files})
  endforeach()
  add_library(${name} OBJECT ${sources})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_features(${name} PRIVATE cxx_std_20)
  tandem_same_bits(${name} PRIVATE)
  target_compile_definitions(${name} PRIVATE "tandem=${name}" "TANDEM_REAL_HEADER=\"${header}\"")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
  target_include_directories(${name} SYSTEM PRIVATE "${TANDEM_TOMLPLUSPLUS_INCLUDE_DIR}")
  target_link_libraries(${name} PRIVATE Eigen3::Eigen fmt::fmt tandem_warnings)
  target_compile_options(${name} PRIVATE ${TANDEM_LIBRARY_FLAGS})
  if(TANDEM_PCH)
    target_precompile_headers(${name} PRIVATE ${tandem_precompiled_headers})
  endif()
endfunction()
