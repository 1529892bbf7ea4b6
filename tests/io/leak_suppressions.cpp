// HDF5 1.10 keeps about a kilobyte of a file that it could not close because the disk was full; the leak sanitizer is told so.

/// Called by the sanitizer's run-time, if there is one.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
