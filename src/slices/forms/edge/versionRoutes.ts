/** Versions of a form over HTTP: drafted, saved, tried, signed, discarded. */
import { toTimestamp } from '#platform/clock';
import {
  discardVersion,
  draftVersion,
  evaluateForm,
  publishForm,
  requireVersion,
  saveVersion,
  type WantedVersion,
} from '#slices/forms';
import { SIGNING_PROBLEMS, signaturesIn } from '../../../api/givenSignatures.ts';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { EXAMPLE_FORM } from './exampleForm.ts';
import { presentVersion } from './presentation.ts';
import {
  answerChange,
  CHANGE_PROBLEMS,
  CHANGING,
  type FormRouteOptions,
  placeOf,
  READING,
  VERSION,
  VERSIONS,
} from './routeOptions.ts';
import {
  PreviewBody,
  PreviewResult,
  type Publish,
  PublishBody,
  VersionBody,
  type VersionGiven,
  VersionResult,
} from './schemas.ts';

export const versionOperations = (options: FormRouteOptions): Operation[] => [
  draft(options),
  get(options),
  save(options),
  discard(options),
  preview(options),
  publish(options),
];

const wantedIn = ({ change, languages, schema }: VersionGiven): WantedVersion => ({
  ...(change !== undefined && { sizeAtLeast: change }),
  ...(languages !== undefined && { languages }),
  ...(schema !== undefined && { schema }),
});

const draft = (options: FormRouteOptions): Operation => ({
  ...CHANGING,
  id: 'draftFormVersion',
  method: 'POST',
  path: VERSIONS,
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, 'form-invalid'],
  summary: 'Draft the next version: a copy of the active one, or as given',
  description: 'A form has one draft at a time. Its label follows from what changed.',
  body: VersionBody,
  example: { schema: EXAMPLE_FORM.schema },
  responses: { 201: { description: 'The draft', schema: VersionResult } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) =>
        draftVersion(
          ports,
          { ...ask, ...placeOf(context) },
          wantedIn(context.body as VersionGiven),
        ),
      statusOf: () => 201,
    }),
});

const get = (options: FormRouteOptions): Operation => ({
  ...READING,
  id: 'getFormVersion',
  path: VERSION,
  problems: ['form-unknown', 'state-altered'],
  summary: 'One version of a form',
  responses: { 200: { description: 'The version', schema: VersionResult } },
  async handle(context) {
    const ports = options.ports();
    const version = await requireVersion(ports, placeOf(context));
    const shown = presentVersion(version, ports.clock.now());
    return { body: shown, headers: [['etag', shown.etag]], status: 200 };
  },
});

const save = (options: FormRouteOptions): Operation => ({
  ...CHANGING,
  id: 'saveFormVersion',
  method: 'PUT',
  path: VERSION,
  conditions: 'version',
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, 'form-immutable', 'form-invalid'],
  summary: 'Replace a draft; its signatures are void, and its label is counted anew',
  body: VersionBody,
  example: { languages: EXAMPLE_FORM.languages, schema: EXAMPLE_FORM.schema },
  responses: { 200: { description: 'The draft', schema: VersionResult } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) =>
        saveVersion(ports, { ...ask, ...placeOf(context) }, wantedIn(context.body as VersionGiven)),
    }),
});

const discard = (options: FormRouteOptions): Operation => ({
  ...CHANGING,
  id: 'discardFormVersion',
  method: 'DELETE',
  path: VERSION,
  bodyBytesMax: 0,
  conditions: 'version',
  idempotency: 'none',
  problems: [...CHANGE_PROBLEMS, 'form-immutable'],
  summary: 'Take a draft away: its author, or an administrator',
  responses: { 200: { description: 'The draft as it was', schema: VersionResult } },
  handle: (context) =>
    answerChange(options, context, {
      change: (ports, ask) => discardVersion(ports, { ...ask, ...placeOf(context) }),
    }),
});

const preview = (options: FormRouteOptions): Operation => ({
  ...READING,
  bodyBytesMax: CHANGING.bodyBytesMax,
  id: 'previewForm',
  method: 'POST',
  path: `${VERSION}/preview`,
  idempotency: 'required',
  problems: ['form-unknown', 'state-altered'],
  roles: roles.publish,
  scope: 'forms:write',
  summary: 'Evaluate a version with values; nothing is stored',
  body: PreviewBody,
  example: { data: { first_name: 'Amira', nationality: 'TN', status: 'self_employed' } },
  responses: { 200: { description: 'What came of them', schema: PreviewResult } },
  async handle(context) {
    const ports = options.ports();
    const version = await requireVersion(ports, placeOf(context));
    const { data } = context.body as { readonly data: Readonly<Record<string, unknown>> };
    const found = evaluateForm(version, data, {
      isCountry: ports.isCountry,
      matchesOf: ports.matchesOf,
      today: toTimestamp(ports.clock.now()).slice(0, 10),
    });
    const { ignored: ignored_fields, ...rest } = found;
    return { body: { ...rest, ignored_fields }, status: 200 };
  },
});

const publish = (options: FormRouteOptions): Operation => ({
  ...CHANGING,
  id: 'publishForm',
  method: 'POST',
  path: `${VERSION}/publish`,
  conditions: 'version',
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, ...SIGNING_PROBLEMS, 'form-immutable'],
  roles: roles.publish,
  summary: 'Sign a draft; the second signature makes it the active version',
  description:
    'Two persons sign, one of compliance and one of administration or DSI; the editor may be one ' +
    'of them. The first signature counts for seven days, and any edit voids it. The former ' +
    'version is archived in the same commit.',
  body: PublishBody,
  example: { signature: `${'A'.repeat(86)}==`, timestamp: '2026-01-31T06:00:00.000Z' },
  responses: {
    200: { description: 'The version, active', schema: VersionResult },
    202: { description: 'The version, waiting for the second person', schema: VersionResult },
  },
  handle(context) {
    const { comment } = context.body as Publish;
    const signatures = signaturesIn(context.body as Publish);
    return answerChange(options, context, {
      change: (ports, ask) =>
        publishForm(ports, {
          ...ask,
          ...placeOf(context),
          signatures,
          ...(comment !== undefined && { comment }),
        }),
      statusOf: ({ version }) => (version.status === 'active' ? 200 : 202),
    });
  },
});
