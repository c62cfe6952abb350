/**
 * Failures name the lines of the sources. Not by node's flag, which every child process would inherit: reading the maps
 * of all dependencies makes its start half as long again.
 */
process.setSourceMapsEnabled(true);
