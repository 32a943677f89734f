/**
 * `event list`, `event retry`, `event drop`: events that a subscriber could not do and has skipped.
 * `event unsubscribe`: a subscriber that no release has any more.
 */
import { type Actor, type AuditAction, entry, type JsonObject } from '#core/audit';
import { DomainError, PLATFORM_CHAIN } from '#core/kernel';
import { BUS_SUBSCRIBER, type Outbox, type SubscriberFigures } from '#core/reactions';
import { toTimestamp } from '#platform/clock';
import { EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { CliProcess, SliceCommand } from '../../processes.ts';

const SHOWN_EVENTS = 100;
const EVENT = [
  { name: 'SUBSCRIBER', help: 'as `event list` names it' },
  { name: 'EVENT', help: 'an id, of `event list`' },
] as const;
const REASON = { name: 'reason', value: 'TEXT', help: 'kept in the entry of the audit trail' };

export const eventCommands: readonly SliceCommand[] = [
  {
    words: 'event list',
    summary: `Show the oldest ${SHOWN_EVENTS} events that failed and are set aside`,
    options: [{ name: 'subscriber', value: 'NAME', help: 'of this subscriber only' }],
    example: 'event list',
    async run({ open, output }, given) {
      const { outbox } = (await open()).storage;
      const subscriber = given.optional('subscriber');
      if (subscriber !== undefined) await figuresOf(outbox, subscriber);
      const aside = await outbox.listSetAside({
        limit: SHOWN_EVENTS,
        ...(subscriber !== undefined && { subscriber }),
      });
      const rows = aside.map(({ at, code, event, subscriber: by, tries }) => [
        by,
        event.id,
        event.topic,
        code,
        String(tries),
        toTimestamp(at),
      ]);
      output.result(
        {
          events: aside.map(({ at, code, event, subscriber: by, tries }) => ({
            code,
            event_id: event.id,
            set_aside_at: toTimestamp(at),
            subscriber: by,
            topic: event.topic,
            tries,
          })),
        },
        table(['SUBSCRIBER', 'EVENT', 'TOPIC', 'CODE', 'TRIES', 'SET ASIDE'], rows),
      );
      return EXIT.done;
    },
  },
  {
    words: 'event retry',
    summary: 'Let the worker try an event once more that was set aside',
    positionals: EVENT,
    example: 'event retry resolution 42',
    async run({ open, output }, given) {
      const [subscriber = '', eventId = ''] = given.positionals;
      const { outbox } = (await open()).storage;
      if (!(await outbox.retrySetAside(subscriber, eventId))) throw unknown(subscriber, eventId);
      output.result(
        { event_id: eventId, subscriber },
        `${subscriber} tries ${eventId} again within seconds; \`event list\` says if it failed`,
      );
      return EXIT.done;
    },
  },
  {
    words: 'event drop',
    summary: 'Give up an event that was set aside: its subscriber never does it',
    positionals: EVENT,
    options: [REASON],
    example: 'event drop resolution 42 --reason ticket-17',
    async run({ actor, open, output }, given) {
      const [subscriber = '', eventId = ''] = given.positionals;
      const installation = await open();
      const { outbox } = installation.storage;
      const found = await outbox.findSetAside(subscriber, eventId);
      if (found === undefined) throw unknown(subscriber, eventId);
      // The entry comes first: after a crash in between the command is repeated.
      await record(installation, {
        action: 'service.event.dropped',
        actor,
        members: { code: found.code, subscriber, topic: found.event.topic, tries: found.tries },
        reason: given.optional('reason'),
        target: `event:${eventId}`,
      });
      await outbox.dropSetAside(subscriber, eventId);
      output.result({ event_id: eventId, subscriber }, `${subscriber} never does ${eventId}`);
      return EXIT.done;
    },
  },
  {
    words: 'event unsubscribe',
    summary: 'Remove a subscriber that no release has any more, with the events that wait for it',
    positionals: [{ name: 'SUBSCRIBER', help: 'as `doctor` names it' }],
    options: [REASON],
    example: 'event unsubscribe former --reason upgrade',
    async run({ actor, open, output }, given) {
      const [subscriber = ''] = given.positionals;
      const installation = await open();
      const waiting = await removable(installation, subscriber);
      await record(installation, {
        action: 'service.subscriber.removed',
        actor,
        members: { set_aside: waiting.setAside, waiting: waiting.waiting },
        reason: given.optional('reason'),
        target: `subscriber:${subscriber}`,
      });
      await installation.storage.outbox.unsubscribe(subscriber);
      output.result({ subscriber }, `${subscriber} is removed; the outbox waits for it no more`);
      return EXIT.done;
    },
  },
];

function unknown(subscriber: string, eventId: string): DomainError {
  const detail = `no event ${eventId} of ${subscriber} is set aside`;
  return new DomainError('set-aside-unknown', { detail });
}

/** Throws `subscriber-unknown`. */
async function figuresOf(outbox: Outbox, subscriber: string): Promise<SubscriberFigures> {
  const found = (await outbox.figures()).find((one) => one.subscriber === subscriber);
  if (found !== undefined) return found;
  throw new DomainError('subscriber-unknown', { detail: `${subscriber}: not registered` });
}

/** Figures of a subscriber that nobody works for now. */
async function removable({ storage: { outbox } }: CliProcess, subscriber: string) {
  const found = await figuresOf(outbox, subscriber);
  const holder = (await outbox.findLease(subscriber))?.holder;
  if (subscriber === BUS_SUBSCRIBER || holder !== undefined) {
    const detail = `${subscriber}: ${holder ?? 'every worker'} works for it`;
    throw new DomainError('subscriber-in-use', { detail });
  }
  return found;
}

/** Who did it, in the chain of the installation. */
async function record(
  installation: CliProcess,
  of: {
    readonly action: AuditAction;
    readonly actor: Actor;
    readonly members: JsonObject;
    readonly reason: string | undefined;
    readonly target: string;
  },
): Promise<void> {
  const { reason, ...rest } = of;
  const open = reason === undefined ? {} : { open: { reason } };
  const made = entry(installation, { ...rest, ...open, severity: 'NOTICE' });
  await installation.commit(PLATFORM_CHAIN, { bus: [], changes: [], events: [made] });
}
