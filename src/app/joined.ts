/** The product's slices with their questions joined to the answers. */
import { ADAPTERS } from './adapters.ts';
import { joinAnswers } from './answers.ts';
import { SLICES } from './slices.ts';

export const JOINED = joinAnswers(SLICES, ADAPTERS);
