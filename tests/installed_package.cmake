# Installs Tandem below WORK_DIR, then configures, builds and runs the project in CONSUMER_DIR.

function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix "${WORK_DIR}/prefix")
set(build "${WORK_DIR}/build")
file(REMOVE_RECURSE "${WORK_DIR}")

step("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
step("${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
     "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
     "-DTANDEM_EXPECTED_VERSION=${VERSION}")
step("${CMAKE_COMMAND}" --build "${build}")
step("${CMAKE_COMMAND}" -E chdir "${build}" "${build}/consumer")
if(EXISTS "${BUILD_DIR}/tandem")
  step("${prefix}/bin/tandem" --version)
endif()
