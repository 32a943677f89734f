/** `dsar …`: requests about personal data, on the store itself. */
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import {
  approve,
  effectiveDue,
  extendRequest,
  IDENTITY_METHODS,
  noteIdentity,
  privacyDeskOf,
  privacyPartsOf,
  REFUSAL_GROUNDS,
  REQUEST_ACTIONS,
  REQUEST_STATES,
  readRequests,
  receiveRequest,
  refuseRequest,
  signedPrivacyOf,
} from '#slices/privacy';
import { EXIT } from '../../../cli/command.ts';
import { table } from '../../../cli/output.ts';
import type { SliceCommand } from '../../processes.ts';
import {
  actingFor,
  PERSON,
  placeOf,
  REQUEST,
  requiredWord,
  TENANT,
  tell,
  wordOf,
} from './commandParts.ts';
import { presentRequest } from './presentation.ts';

const SHOWN = 50;

export const requestCommands: readonly SliceCommand[] = [
  {
    example: 'dsar list --tenant 0190… --status received',
    options: [TENANT, { help: REQUEST_STATES.join(', '), name: 'status', value: 'STATUS' }],
    async run({ clock, open, output }, given) {
      const status = wordOf('status', REQUEST_STATES, given.optional('status'));
      const { requests } = await readRequests(privacyPartsOf(await open()), {
        limit: SHOWN,
        tenantId: given.value('tenant') as TenantId,
        ...(status !== undefined && { status }),
      });
      const now = clock.now();
      output.result(
        { requests: requests.map((one) => presentRequest(one, now)) },
        table(
          ['REQUEST', 'ACTION', 'STATUS', 'RECEIVED', 'DUE', 'OVERDUE'],
          requests.map((one) => [
            one.requestId,
            one.action,
            one.status,
            toTimestamp(one.receivedAt),
            toTimestamp(effectiveDue(one)),
            presentRequest(one, now).overdue ? 'yes' : 'no',
          ]),
        ),
      );
      return EXIT.done;
    },
    summary: `Show the last ${SHOWN} requests about personal data`,
    words: 'dsar list',
  },
  {
    example: 'dsar show --tenant 0190… 019a…',
    options: [TENANT],
    positionals: REQUEST,
    async run({ clock, open, output }, given) {
      const place = placeOf(given);
      const request = await signedPrivacyOf(await open()).requireRequest(place);
      return tell(output, request, clock.now());
    },
    summary: 'Show a request about personal data',
    words: 'dsar show',
  },
  {
    example: 'dsar create --action export --subject C-1042 --identity in_person --tenant 0190…',
    options: [
      TENANT,
      { help: REQUEST_ACTIONS.join(', '), name: 'action', required: true, value: 'ACTION' },
      { help: 'your own id of the subject', name: 'subject', required: true, value: 'REF' },
      {
        help: IDENTITY_METHODS.join(', '),
        name: 'identity',
        required: true,
        value: 'METHOD',
      },
      { help: 'where the answer goes', name: 'contact', value: 'TEXT' },
      { help: 'what the person said', name: 'note', value: 'TEXT' },
      PERSON,
    ],
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const contact = given.optional('contact');
      const note = given.optional('note');
      const request = await receiveRequest(privacyPartsOf(process), {
        action: requiredWord('action', REQUEST_ACTIONS, given.value('action')),
        by: await actingFor(process, given, actor),
        identity: { method: requiredWord('identity', IDENTITY_METHODS, given.value('identity')) },
        locale: 'fr',
        requester: { relation: 'self', ...(contact !== undefined && { contact }) },
        subject: { subjectRef: given.value('subject') },
        ...(note !== undefined && { note }),
      });
      return tell(output, request, clock.now());
    },
    summary: 'Take in a request for the data of a person, or its erasure',
    words: 'dsar create',
  },
  {
    example: 'dsar identity --proven --tenant 0190… 019a…',
    options: [
      TENANT,
      { help: 'the requester has proved who he is; without it more is asked for', name: 'proven' },
      PERSON,
    ],
    positionals: REQUEST,
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const by = await actingFor(process, given, actor);
      const ask = { by, isProven: given.isSet('proven'), requestId: placeOf(given).requestId };
      return tell(output, await noteIdentity(privacyPartsOf(process), ask), clock.now());
    },
    summary: 'Say whether the requester has proved who he is',
    words: 'dsar identity',
  },
  {
    example: 'dsar approve --tenant 0190… 019a…',
    options: [TENANT, PERSON],
    positionals: REQUEST,
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const by = await actingFor(process, given, actor);
      const ask = { by, requestId: placeOf(given).requestId };
      return tell(output, await approve(privacyDeskOf(process), ask), clock.now());
    },
    summary: 'Approve what is given to the person, or the erasure by its plan',
    words: 'dsar approve',
  },
  {
    example: 'dsar extend --reason "…" --tenant 0190… 019a…',
    options: [
      TENANT,
      {
        help: 'why it is complex, 50 characters or more',
        name: 'reason',
        required: true,
        value: 'TEXT',
      },
      PERSON,
    ],
    positionals: REQUEST,
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const by = await actingFor(process, given, actor);
      const { requestId } = placeOf(given);
      const ask = { by, reason: given.value('reason'), requestId };
      return tell(output, await extendRequest(privacyPartsOf(process), ask), clock.now());
    },
    summary: 'Extend the deadline of a complex request by two months, once',
    words: 'dsar extend',
  },
  {
    example: 'dsar refuse --ground identity_unproven --text "…" --tenant 0190… 019a…',
    options: [
      TENANT,
      { help: REFUSAL_GROUNDS.join(', '), name: 'ground', required: true, value: 'GROUND' },
      {
        help: 'for the person, 10 characters or more',
        name: 'text',
        required: true,
        value: 'TEXT',
      },
      PERSON,
    ],
    positionals: REQUEST,
    async run({ actor, clock, open, output }, given) {
      const process = await open();
      const ask = {
        by: await actingFor(process, given, actor),
        ground: requiredWord('ground', REFUSAL_GROUNDS, given.value('ground')),
        requestId: placeOf(given).requestId,
        text: given.value('text'),
      };
      return tell(output, await refuseRequest(privacyPartsOf(process), ask), clock.now());
    },
    summary: 'Refuse a request, on a ground of the law',
    words: 'dsar refuse',
  },
];
