/**
 * An evaluation is made again from what its entry names: policy and catalogue by their digests, the
 * facts from its open members. The result must be the same bytes; a difference is an alarm.
 */
import { type Actor, type CommitEvidence, entry, type IdempotencyRecord } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import { sha256Hex } from '#platform/crypto';
import type { Random } from '#platform/random';
import { compilePolicy } from './compilePolicy.ts';
import {
  type Evaluation,
  type EvaluationPlace,
  requireEvaluation,
  resultMembers,
} from './evaluation.ts';
import { FACTS_DIGEST } from './facts.ts';
import { EVALUATOR_VERSION, type RiskContent } from './policyContent.ts';
import type { RiskReadPorts } from './ports.ts';

/** What differs: a member of the evaluation, as it was and as it is now. */
export interface ReplayDifference {
  readonly member: string;
  readonly was: unknown;
  readonly is: unknown;
}

/** What a replay has found. */
export interface RiskReplay {
  readonly evaluation: Evaluation;
  readonly diff: readonly ReplayDifference[];
}

/** Pure but for its reads. Throws `evaluation-unreplayable`, `blob-damaged`. */
export async function replayedDifference(
  { blobs }: Pick<RiskReadPorts, 'blobs'>,
  { members, open }: Evaluation,
): Promise<readonly ReplayDifference[]> {
  if (open === undefined) throw unreplayable('its facts were erased');
  if (members.evaluator_version !== EVALUATOR_VERSION) {
    throw unreplayable(`expected the formula ${EVALUATOR_VERSION}`);
  }
  const catalogue = members.tables.find(({ name }) => name === 'facts');
  if (catalogue?.digest !== FACTS_DIGEST) throw unreplayable('its catalogue of facts is another');
  const content = await readRiskContent({ blobs }, members.policy_hash);
  const again = resultMembers(compilePolicy(content)(open.facts));
  return Object.entries(again).flatMap(([member, is]) => {
    const was = members[member as keyof typeof members];
    const isSame = canonicalJson(was as never) === canonicalJson(is as never);
    return isSame ? [] : [{ is, member, was }];
  });
}

const unreplayable = (detail: string): DomainError =>
  new DomainError('evaluation-unreplayable', { detail });

/** The content of this hash. Throws `blob-damaged`. */
export async function readRiskContent(
  { blobs }: Pick<RiskReadPorts, 'blobs'>,
  contentHash: string,
): Promise<RiskContent> {
  const bytes = await blobs.get(contentHash);
  if (bytes !== undefined && sha256Hex(bytes) === contentHash) {
    return JSON.parse(Buffer.from(bytes).toString()) as RiskContent;
  }
  throw new DomainError('blob-damaged', { detail: 'the policy of an evaluation is gone' });
}

/** Makes it again, with an entry that says what was found. */
export async function replayEvaluation(
  ports: Pick<RiskReadPorts, 'audit' | 'blobs' | 'clock' | 'events'> & {
    readonly commit: CommitEvidence;
    readonly random: Random;
  },
  ask: EvaluationPlace & {
    readonly actor: Actor;
    readonly idempotency?: (replay: RiskReplay) => IdempotencyRecord;
    readonly ip?: string;
  },
): Promise<RiskReplay> {
  const { idempotency } = ask;
  const evaluation = await requireEvaluation(ports, ask);
  const diff = await replayedDifference(ports, evaluation);
  const replay: RiskReplay = { diff, evaluation };
  const { client_id: clientId, evaluation_id } = evaluation.members;
  await ports.commit(chainOf(ask.tenantId), {
    bus: [],
    changes: [],
    events: [
      entry(ports, {
        action: 'risk.evaluation.replayed',
        actor: ask.actor,
        members: {
          client_id: clientId,
          differs: diff.map(({ member }) => member),
          equal: diff.length === 0,
        },
        target: `risk-evaluation:${evaluation_id}`,
        ...(ask.ip !== undefined && { ip: ask.ip }),
        ...(diff.length > 0 && { severity: 'ALERT' as const }),
      }),
    ],
    ...(idempotency !== undefined && { idempotency: () => idempotency(replay) }),
  });
  return replay;
}
