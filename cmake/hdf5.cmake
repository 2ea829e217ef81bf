# The C library of HDF5 as the target tandem::hdf5. Used by the build and by the installed package.
# CMake's own FindHDF5 works only in projects that enable the language C.

if(NOT TARGET tandem::hdf5)
  # Debian keeps the headers and the library of the serial version apart.
  find_path(TANDEM_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
  find_library(TANDEM_HDF5_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
  mark_as_advanced(TANDEM_HDF5_INCLUDE_DIR TANDEM_HDF5_LIBRARY)

  file(STRINGS "${TANDEM_HDF5_INCLUDE_DIR}/H5public.h" tandem_hdf5_version REGEX "H5_VERS_INFO +\"HDF5 library version")
  string(REGEX REPLACE ".*version: ([0-9.]+).*" "\\1" tandem_hdf5_version "${tandem_hdf5_version}")
  if(tandem_hdf5_version VERSION_LESS 1.10.7)
    message(FATAL_ERROR "Tandem needs HDF5 1.10.7 or newer; ${TANDEM_HDF5_INCLUDE_DIR} has '${tandem_hdf5_version}'")
  endif()

  add_library(tandem::hdf5 UNKNOWN IMPORTED)
  set_target_properties(
    tandem::hdf5 PROPERTIES IMPORTED_LOCATION "${TANDEM_HDF5_LIBRARY}"
                            INTERFACE_INCLUDE_DIRECTORIES "${TANDEM_HDF5_INCLUDE_DIR}")
endif()
