/**
 * The number types of AssemblyScript for TypeScript. The kernels are one source: Node runs it as it
 * is, and asc compiles it to WebAssembly (scripts/buildKernels.ts).
 */
type i32 = number;
type f64 = number;
type bool = boolean;
