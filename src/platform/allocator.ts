/**
 * How the C library's allocator treats large buffers, as the environment of a process: nothing
 * inside one can set it. glibc takes them from the system until one is freed, and larger and larger
 * ones from its heaps from then on, which return little: an import of a million entities peaked at
 * 1,140 MB, and at 810 with this. It takes some three per cent more of the processor there, and
 * nothing that can be measured of a gateway's. Another C library does not look at it.
 */

/** 128 KiB, where glibc starts; given, it stays. mallopt(3), M_MMAP_THRESHOLD. */
export const ALLOCATOR_ENVIRONMENT: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: '131072',
};
