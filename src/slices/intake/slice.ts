/** How cohorts come in: CSV and JSON of any length, read as they come. */
import { slice } from '../slice.ts';
import { problems } from './problems.ts';

export const intake = slice('intake', {
  problems,
});
