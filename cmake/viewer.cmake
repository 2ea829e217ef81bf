# The report page: viewer/, built by Node into one HTML file, which becomes a C++ source of the library. Without Node,
# or with one that is too old, the library is built without the page, and reports say what to install.

option(TANDEM_VIEWER "Build the page of reports; needs Node and npm" ON)
set(TANDEM_NODE_MINIMUM 18)

set(no_page "")
if(NOT TANDEM_VIEWER)
  set(no_page "it was built with TANDEM_VIEWER=OFF. Build it with: cmake --preset release -DTANDEM_VIEWER=ON && make build")
else()
  set(cure "Install it (apt-get install nodejs npm) and build again: make build")
  find_program(TANDEM_NODE NAMES node nodejs)
  find_program(TANDEM_NPM npm)
  if(NOT TANDEM_NODE OR NOT TANDEM_NPM)
    set(no_page "Node ${TANDEM_NODE_MINIMUM} with npm was not found when it was built. ${cure}")
  else()
    execute_process(COMMAND "${TANDEM_NODE}" --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_QUIET)
    string(REGEX REPLACE "^v" "" node_version "${node_version}")
    if(NOT node_version OR node_version VERSION_LESS TANDEM_NODE_MINIMUM)
      set(no_page "it needs Node ${TANDEM_NODE_MINIMUM} or newer, and found ${node_version}. ${cure}")
    endif()
  endif()
endif()

set(TANDEM_NO_PAGE "${no_page}")
string(COMPARE EQUAL "${no_page}" "" TANDEM_HAS_PAGE)
# Two names: what is written here must not pass for what Node builds once it is there.
set(page_source "${generated}/embedded_page.cpp")
if(no_page)
  set(page_source "${generated}/no_page.cpp")
  message(STATUS "No page for reports: ${no_page}")
  configure_file(cmake/no_page.cpp.in "${page_source}" @ONLY)
else()
  file(GLOB_RECURSE page_inputs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/viewer/src/*")
  list(APPEND page_inputs viewer/index.html viewer/build.mjs viewer/package.json viewer/package-lock.json
       viewer/tsconfig.json)
  add_custom_command(
    OUTPUT "${page_source}"
    COMMAND "${CMAKE_COMMAND}" "-DNODE=${TANDEM_NODE}" "-DNPM=${TANDEM_NPM}"
            "-DVIEWER=${PROJECT_SOURCE_DIR}/viewer" "-DOUTPUT=${page_source}" "-DHTML=${PROJECT_BINARY_DIR}/page.html"
            "-DNO_PAGE=${PROJECT_SOURCE_DIR}/cmake/no_page.cpp.in" -P "${PROJECT_SOURCE_DIR}/cmake/build_page.cmake"
    DEPENDS ${page_inputs} cmake/build_page.cmake cmake/no_page.cpp.in
    COMMENT "Building the page of reports"
    VERBATIM)
endif()
