/** `event list`, `event retry`: events that a subscriber could not do and has skipped. */
import { DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';

const SHOWN_EVENTS = 100;

export const eventCommands: readonly SliceCommand[] = [
  {
    words: 'event list',
    summary: `Show the oldest ${SHOWN_EVENTS} events that failed and are set aside`,
    options: [{ name: 'subscriber', value: 'NAME', help: 'of this subscriber only' }],
    example: 'event list',
    async run({ open, output }, given) {
      const { outbox } = (await open()).storage;
      const subscriber = given.optional('subscriber');
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
    positionals: [
      { name: 'SUBSCRIBER', help: 'as `event list` names it' },
      { name: 'EVENT', help: 'an id, of `event list`' },
    ],
    example: 'event retry resolution 42',
    async run({ open, output }, given) {
      const [subscriber = '', eventId = ''] = given.positionals;
      const { outbox } = (await open()).storage;
      if (!(await outbox.retrySetAside(subscriber, eventId))) {
        const detail = `no event ${eventId} of ${subscriber} is set aside`;
        throw new DomainError('event-unknown', { detail });
      }
      output.result(
        { event_id: eventId, subscriber },
        `${subscriber} tries ${eventId} again within seconds; \`event list\` says if it failed`,
      );
      return EXIT.done;
    },
  },
];
