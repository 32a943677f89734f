/**
 * The number types of AssemblyScript as TypeScript sees them: the kernels are one source, run as it
 * is by Node and compiled to WebAssembly by asc (scripts/buildKernels.ts).
 */
type i32 = number;
type f64 = number;
type bool = boolean;
