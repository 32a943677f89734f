/** The work of resolution in a worker: it follows publications. */
export { subscribers } from './reactions.ts';
