/**
 * Re-rankers that a tenant can choose: SemVer, ascending, as the engine has them installed
 * (src/engine/rerankers.ts; a test holds the two lists to each other).
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '#platform/canonicalJson';
import model from '../../../config/tables/reranker2Model.json' with { type: 'json' };

export const RERANKERS = ['1.0.0', '1.1.0', '2.0.0'] as const;

/** Whether related parties are judged as such only where they are not listed themselves (2.6). */
export const judgesRelatedAlone = (version: string): boolean => version !== '1.0.0';

/** The model of a re-ranker that has one, as evidence names it. */
export interface RerankerModel {
  /** SHA-256 of the model as canonical JSON, in hex. */
  readonly digest: string;
  /** What z is shifted by, by kind of names. */
  readonly shifts: { readonly entity: number; readonly person: number };
}

const MODELS: Readonly<Record<string, RerankerModel>> = {
  '2.0.0': {
    digest: createHash('sha256').update(canonicalJson(model)).digest('hex'),
    shifts: { entity: model.entity.shift, person: model.person.shift },
  },
};

/** The model behind a version; undefined for a formula. */
export function modelOf(version: string): RerankerModel | undefined {
  return Object.hasOwn(MODELS, version) ? MODELS[version] : undefined;
}
