/** Payment messages as others publish them, where TEST_DATA_DIR points at them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const dataFolder = process.env.TEST_DATA_DIR;
if (!dataFolder) console.warn('SKIPPED: published payment messages (TEST_DATA_DIR is not set)');

export const sample = (path: string): Buffer =>
  readFileSync(join(dataFolder ?? '', 'payments', path));
