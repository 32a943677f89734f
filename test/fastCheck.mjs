/**
 * fast-check as the tests have it (the configuration of vitest puts this in its place): the same cases each
 * time, so that a run says something of the change alone. With FUZZ_RUNS they are new ones, and a
 * failure prints the seed that repeats it.
 */
import * as fc from '../node_modules/fast-check/lib/fast-check.js';

const SEED = 20_261_123;

if (process.env.FUZZ_RUNS === undefined) fc.configureGlobal({ seed: SEED });

export * from '../node_modules/fast-check/lib/fast-check.js';
export { default } from '../node_modules/fast-check/lib/fast-check.js';
