/** Evaluations along the chain, as they were signed, and what two policies make of them. */
import { chainOf, type TenantId } from '#core/kernel';
import type { CompiledPolicy, RiskResult } from './compilePolicy.ts';
import { EVALUATED, type Evaluation, readEvaluations } from './evaluation.ts';
import { CompiledPolicies } from './inForce.ts';
import type { RiskReadPorts } from './ports.ts';
import { readRiskContent } from './replayEvaluation.ts';
import type { ComparedCase } from './tally.ts';

const EVENTS_A_PAGE = 500;

/** Which part of the chain. */
export interface EvaluationRange {
  readonly tenantId: TenantId;
  /** Exclusive. */
  readonly afterSeq: number;
  /** Inclusive. */
  readonly throughSeq: number;
}

/** In the order of the chain, by pages. Throws `evidence-altered`. */
export const evaluationsIn = (
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  range: EvaluationRange,
  limit = EVENTS_A_PAGE,
): AsyncGenerator<readonly Evaluation[]> => evaluationPages(ports, range, { limit, order: 'asc' });

/** Against the order of the chain, by pages. Throws `evidence-altered`. */
export const evaluationsBack = (
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  range: EvaluationRange,
  limit = EVENTS_A_PAGE,
): AsyncGenerator<readonly Evaluation[]> => evaluationPages(ports, range, { limit, order: 'desc' });

interface ReadPage {
  readonly evaluations: Promise<readonly Evaluation[]>;
  /** Where to read on; undefined: there is no more. */
  readonly next?: Pick<EvaluationRange, 'afterSeq' | 'throughSeq'>;
}

/** While one page is looked at, the one behind it is verified, and another one is read. */
async function* evaluationPages(
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  { tenantId, ...whole }: EvaluationRange,
  { limit, order }: { readonly limit: number; readonly order: 'asc' | 'desc' },
): AsyncGenerator<readonly Evaluation[]> {
  const readPage = async ({ afterSeq, throughSeq }: typeof whole): Promise<ReadPage> => {
    const events = await ports.audit.searchEvents({
      actions: [EVALUATED],
      chainId: chainOf(tenantId),
      fromSeq: afterSeq + 1,
      limit,
      order,
      toSeq: throughSeq,
    });
    const own = events.filter(({ action }) => action === EVALUATED);
    const evaluations = readEvaluations(ports, tenantId, own);
    // It is awaited when its turn comes, unless nobody asks for that any more.
    evaluations.catch(() => undefined);
    const last = events.at(-1)?.seq;
    if (last === undefined || events.length < limit) return { evaluations };
    const next =
      order === 'asc' ? { afterSeq: last, throughSeq } : { afterSeq, throughSeq: last - 1 };
    return { evaluations, next };
  };
  const begin = (range: typeof whole | undefined): Promise<ReadPage> | undefined => {
    if (range === undefined || range.afterSeq >= range.throughSeq) return undefined;
    const page = readPage(range);
    page.catch(() => undefined);
    return page;
  };
  let reading = begin(whole);
  let verifying: ReadPage | undefined;
  for (;;) {
    const page = await reading;
    reading = begin(page?.next);
    const evaluations = (await verifying?.evaluations) ?? [];
    if (evaluations.length > 0) yield evaluations;
    if (page === undefined) return;
    verifying = page;
  }
}

/** Policies of then, by their hashes: each is loaded and compiled once. */
export class FormerPolicies {
  readonly #ports: Pick<RiskReadPorts, 'blobs'>;
  readonly #compiled = new CompiledPolicies();
  readonly #known = new Map<string, Promise<CompiledPolicy>>();

  constructor(ports: Pick<RiskReadPorts, 'blobs'>) {
    this.#ports = ports;
  }

  /** Throws `blob-damaged`. */
  of(contentHash: string): Promise<CompiledPolicy> {
    const known = this.#known.get(contentHash);
    if (known !== undefined) return known;
    const loading = readRiskContent(this.#ports, contentHash).then((content) =>
      this.#compiled.of(contentHash, content),
    );
    this.#known.set(contentHash, loading);
    return loading;
  }
}

/** Both results; undefined once the facts were erased. */
export async function compareCase(
  former: FormerPolicies,
  { members, open }: Evaluation,
  evaluate: (facts: ComparedCase['facts']) => RiskResult,
): Promise<ComparedCase | undefined> {
  if (open === undefined) return undefined;
  const before = (await former.of(members.policy_hash))(open.facts);
  return {
    after: evaluate(open.facts),
    before,
    evaluationId: members.evaluation_id,
    facts: open.facts,
    lists: listsOf(members),
    policyHash: members.policy_hash,
    signedLevel: members.level,
  };
}

const listsOf = ({ rescreenings = [], screening }: Evaluation['members']): readonly string[] => [
  ...new Set(
    [...(screening === null ? [] : [screening]), ...rescreenings]
      .flatMap(({ lists }) => lists)
      .map((one) => `${one.source} ${one.list_digest} ${one.content_digest}`),
  ),
];
