/**
 * The changes of lists that two persons sign, by the same steps whether the signature comes with
 * the request or later: what is signed, what is shown, and how it is made.
 */
import { type Asker, StaleChange } from '#core/audit';
import {
  type AppliedChange,
  type CheckedChange,
  memberSubject,
  type Principal,
} from '#core/identity';
import { DomainError } from '#core/kernel';
import { canonicalJson } from '#platform/canonicalJson';
import type { Clock, EpochMs } from '#platform/clock';
import {
  changeSources,
  fieldsOf,
  type ListRun,
  planSources,
  proposedSchedule,
  proposedSource,
  releasedBy,
  type SignedSources,
  type SourceChange,
  type SourceChangePorts,
  type SourcesProposal,
  shrinkApproval,
  shrinkSubject,
} from '#slices/ingestion';
import type { ListSource } from '#slices/lists';
import { actorOf } from '../../../api/asker.ts';
import { presentRun } from './runSchemas.ts';
import { type RunStartOptions, refuseWithoutOrigin, start } from './runStart.ts';
import { presentSource } from './sourceSchemas.ts';

/** How sources are presented in the answer, made before they are changed. */
type Presenter = (sources: readonly ListSource[], now: EpochMs) => unknown;

interface Signed {
  readonly author: Principal;
  readonly presenter: () => Promise<Presenter>;
  /** As the new value has it. */
  readonly oldOf: (before: readonly ListSource[]) => unknown;
}

/** One source: the answer is the source after the change. */
export function approvableSource(
  ports: SourceChangePorts,
  of: { readonly author: Principal; readonly change: SourceChange },
): CheckedChange {
  const { author, change } = of;
  return approvableSources(ports, proposedSource(change), {
    author,
    presenter:
      async () =>
      ([source], now) =>
        source && presentSource(source, now, true),
    oldOf: ([source]) => source && memberSubject('', { ...fieldsOf(source, change) }).newValue,
  });
}

/** Several sources, all or none. */
export const approvableSchedule = (
  ports: SourceChangePorts,
  of: Pick<Signed, 'author' | 'presenter'> & { readonly changes: readonly SourceChange[] },
): CheckedChange =>
  approvableSources(ports, proposedSchedule(of.changes), {
    ...of,
    oldOf: (before) =>
      Object.fromEntries(
        of.changes.flatMap((change, at) => {
          const source = before[at];
          return source === undefined ? [] : [[change.sourceId, fieldsOf(source, change)]];
        }),
      ),
  });

function approvableSources(
  ports: SourceChangePorts,
  { changes, subject }: SourcesProposal,
  { author, presenter, oldOf }: Signed,
): CheckedChange {
  return {
    subject,
    async apply({ idempotency, old, ...by }) {
      const now = ports.clock.now();
      const present = await presenter();
      // Made before the commit, so that it is stored with it.
      const answerOf = (sources: readonly ListSource[]): AppliedChange => ({
        body: JSON.stringify(present(sources, now)),
        status: 200,
      });
      const sources = await changeSources(ports, {
        ...by,
        changes,
        ...(old !== undefined && {
          mayReplace: (before: readonly ListSource[]) =>
            canonicalJson(oldOf(before)) === canonicalJson(old),
        }),
        ...(idempotency !== undefined && {
          idempotency: (changed: readonly ListSource[]) => idempotency(answerOf(changed)),
        }),
      });
      return answerOf(sources);
    },
    async show() {
      const planned = await planSources(ports, changes, author.id);
      return { new: subject.newValue, old: oldOf(planned.map(({ before }) => before)) };
    },
  };
}

export interface ShrinkOptions extends RunStartOptions {
  readonly clock: Clock;
  readonly signed: Pick<SignedSources, 'check' | 'requireUnused'>;
}

/** A refused run that may let its entities go: the answer is the run that does. */
export function approvableShrink(
  options: ShrinkOptions,
  of: { readonly author: Principal; readonly failed: ListRun },
): CheckedChange {
  const { author, failed } = of;
  const findSource = () => options.lists.findSource(failed.sourceId);
  return {
    subject: shrinkSubject(failed),
    async apply({ idempotency, ...by }) {
      const source = await findSource();
      const { ip } = by;
      const asker: Asker = { actor: actorOf(author), ...(ip && { ip }) };
      const ask = shrinkApproval(options, { by, failed, source });
      await options.signed.requireUnused(by.approval, options.clock.now());
      return start(options, {
        ask,
        asker,
        ...(idempotency !== undefined && { idempotency }),
      }).catch(refuseReplay);
    },
    async show() {
      releasedBy({ failed, source: await findSource() });
      await refuseWithoutOrigin(options, failed.sourceId);
      return { about: presentRun(failed, true), new: true, old: false };
    },
  };
}

/** The approval is the first change of its commit. */
function refuseReplay(error: unknown): never {
  const isUsed = error instanceof StaleChange && error.changeIndex === 0;
  throw isUsed ? new DomainError('dual-control-replayed') : error;
}
