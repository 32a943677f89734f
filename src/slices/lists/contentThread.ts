/** Entry of a thread that computes the digests and counts of one list (contentDigests.ts). */
import { serveSink } from '#platform/sinkThread';
import { makeContentDigests } from './contentDigests.ts';

serveSink(makeContentDigests);
