/**
 * Tables that slices and core declare, each with what a sample of it needs beside the declaration.
 * The contract runs over every one of them: who declares a table adds it here.
 */
import type { TableCase } from './sampleRecord.ts';

export const DECLARED: readonly TableCase[] = [];
