/** The terms of a pair of names, by its best pair of forms, as a search would compare it. */
import { foldName, listForms } from '../../src/engine/foldName.ts';
import type { Model } from '../../src/engine/reranker2/model.ts';
import { NamePairs } from '../../src/engine/reranker2/namePairs.ts';
import { type PreparedName, prepareName } from '../../src/engine/reranker2/preparedName.ts';
import { QueryNames } from '../../src/engine/reranker2/queryNames.ts';
import { readQuery } from '../../src/engine/reranker2/readQuery.ts';
import type { NameKind } from '../../src/engine/reranker2/wordFacts.ts';
import type { Pair } from './trainingPairs.ts';

/** A pair as the model sees it. */
export interface PairTerms {
  readonly kind: NameKind;
  readonly values: Float64Array;
  readonly raw: number;
  readonly shifted: number;
  readonly bits: number;
}

export function kindOfSchema(schema: Pair['schema']): NameKind {
  return schema === 'Person' ? 'person' : schema === 'Company' ? 'entity' : 'vessel';
}

function listNames(name: string, kind: NameKind): PreparedName[] {
  const folded = foldName(name, kind === 'person' ? 'person' : 'entity');
  return listForms(folded).map((form) => prepareName(form.split(' '), kind));
}

function queryNames(name: string, { schema }: Pick<Pair, 'schema'>): readonly PreparedName[] {
  const query = readQuery({
    name,
    transliterations: [],
    ...(schema !== 'Other' && { schema }),
  });
  return new QueryNames(query).of(kindOfSchema(schema));
}

/** Scores pairs with one model. */
export class PairScorer {
  readonly #pairs: NamePairs;

  constructor(model: Model) {
    this.#pairs = new NamePairs(model);
  }

  terms(pair: Pair): PairTerms {
    const kind = kindOfSchema(pair.schema);
    const entries = listNames(pair.b, kind);
    let best: PairTerms | undefined;
    for (const query of queryNames(pair.a, pair)) {
      for (const entry of entries) {
        this.#pairs.score(query, entry);
        const { features, raw, shifted } = this.#pairs;
        if (best !== undefined && raw <= best.raw) continue;
        best = { bits: features.bits, kind, raw, shifted, values: features.values.slice() };
      }
    }
    this.#pairs.features.clear();
    const none = { bits: 0, kind, raw: -20, shifted: -20 };
    return best ?? { ...none, values: this.#pairs.features.values.slice() };
  }
}
