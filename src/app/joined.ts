/** What the slices of the product ask, joined to who answers. */
import { ADAPTERS } from './adapters.ts';
import { joinAnswers } from './answers.ts';
import { SLICES } from './slices.ts';

export const JOINED = joinAnswers(SLICES, ADAPTERS);
