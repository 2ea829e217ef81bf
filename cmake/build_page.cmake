# Builds the report page and writes it as a C++ source. npm fetches packages only when the lock file has changed.
#
#   NODE, NPM  the programs
#   VIEWER     the folder of the page's sources
#   OUTPUT     the C++ source to write
#   HTML       the page itself, for a look
#   NO_PAGE    what is written when packages cannot be fetched

set(stamp "${VIEWER}/node_modules/.tandem-stamp")
if(NOT EXISTS "${stamp}" OR "${VIEWER}/package-lock.json" IS_NEWER_THAN "${stamp}")
  execute_process(COMMAND "${NPM}" ci --ignore-scripts --no-audit --no-fund --loglevel=error WORKING_DIRECTORY "${VIEWER}"
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(WARNING "No page for reports: npm could not fetch its packages.\n${said}")
    set(TANDEM_NO_PAGE "npm could not fetch its packages when it was built. With a network: rm ${OUTPUT} && make build")
    configure_file("${NO_PAGE}" "${OUTPUT}" @ONLY)
    return()
  endif()
  file(TOUCH "${stamp}")
endif()

execute_process(COMMAND "${NODE}" build.mjs "--cpp=${OUTPUT}" "--html=${HTML}" WORKING_DIRECTORY "${VIEWER}"
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The page of reports could not be built.")
endif()
