/** What takes the scores of hits apart, as screening needs it. */
import { explainFor } from '#engine';
import type { ExplainEntity } from '#slices/screening';

export const hitExplainer = async (): Promise<ExplainEntity> => explainFor;
