/** Evaluations along the chain, as they were signed, and what two policies make of them. */
import type { SealedEvent } from '#core/audit';
import { chainOf, type TenantId } from '#core/kernel';
import type { CompiledPolicy, RiskResult } from './compilePolicy.ts';
import { type Evaluation, readEvaluation } from './evaluation.ts';
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

/** In the order of the chain. Throws `evidence-altered`. */
export async function* evaluationsIn(
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  { afterSeq, tenantId, throughSeq }: EvaluationRange,
): AsyncGenerator<Evaluation> {
  for (let fromSeq = afterSeq + 1; fromSeq <= throughSeq; ) {
    const page = await ports.audit.readEvents({
      action: 'risk.evaluated',
      chainId: chainOf(tenantId),
      fromSeq,
      limit: EVENTS_A_PAGE,
    });
    for (const event of page) {
      if (event.seq > throughSeq) return;
      yield await readEvaluation(ports, tenantId, event);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < EVENTS_A_PAGE) return;
    fromSeq = last.seq + 1;
  }
}

/**
 * Against the order of the chain, by pages: the next one is read while this one is verified. Throws
 * `evidence-altered`.
 */
export async function* evaluationsBack(
  ports: Pick<RiskReadPorts, 'audit' | 'events'>,
  { afterSeq, tenantId, throughSeq }: EvaluationRange,
): AsyncGenerator<readonly Evaluation[]> {
  const read = (toSeq: number): Promise<readonly SealedEvent[]> =>
    ports.audit.searchEvents({
      actions: ['risk.evaluated'],
      chainId: chainOf(tenantId),
      fromSeq: afterSeq + 1,
      limit: EVENTS_A_PAGE,
      order: 'desc',
      toSeq,
    });
  for (let page = throughSeq > afterSeq ? read(throughSeq) : undefined; page !== undefined; ) {
    const events = await page;
    const last = events.at(-1);
    const hasMore = events.length === EVENTS_A_PAGE && last !== undefined;
    page = hasMore && last.seq - 1 > afterSeq ? read(last.seq - 1) : undefined;
    // It is awaited in the next round, unless nobody asks for that any more.
    page?.catch(() => undefined);
    const found: Evaluation[] = [];
    for (const event of events) found.push(await readEvaluation(ports, tenantId, event));
    yield found;
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
