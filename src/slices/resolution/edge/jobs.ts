/** The work of resolution in a worker: it follows publications. */
export { subscribers } from './reactions.ts';

import type { JobPurposes } from '../../processes.ts';

export const purposes: JobPurposes = { resolution: 'none' };
