/**
 * What stands for an erased person in what is kept: drawn, not derived, so that nobody finds the
 * person by guessing names.
 */
import type { Random } from '#platform/random';
import { base32 } from './base32.ts';

/** 26 letters of five bits. */
const CHARS = 26;
const BYTES = 17;

export const drawPseudonym = (random: Random): string =>
  `psn_${base32(random.bytes(BYTES)).slice(0, CHARS).toLowerCase()}`;
