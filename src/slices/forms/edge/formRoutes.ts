/** Forms over HTTP: listed, made, and read by who fills them in. */
import { PAGE_LIMIT_DEFAULT } from '#platform/limits';
import {
  createForm,
  type FormRecord,
  filledVersion,
  listForms,
  listVersions,
  requireForm,
  requireSdk,
  usageOf,
} from '#slices/forms';
import { namesEtag } from '../../../api/etags.ts';
import type { Operation } from '../../../api/operation.ts';
import { EXAMPLE_FORM } from './exampleForm.ts';
import { presentActive, presentForm, presentVersion } from './presentation.ts';
import {
  answerChange,
  CHANGE_PROBLEMS,
  CHANGING,
  FORM,
  FORMS,
  type FormRouteOptions,
  placeOf,
  READING,
  VERSIONS,
} from './routeOptions.ts';
import {
  ActiveResult,
  CreatedForm,
  FormBody,
  type FormGiven,
  FormResult,
  FormsPage,
  FormsQuery,
  VersionsPage,
  VersionsQuery,
} from './schemas.ts';

export const formOperations = (options: FormRouteOptions): Operation[] => [
  list(options),
  create(options),
  get(options),
  active(options),
  versions(options),
];

const list = (options: FormRouteOptions): Operation => ({
  ...READING,
  id: 'listForms',
  path: FORMS,
  summary: 'Forms of the tenant, latest first',
  query: FormsQuery,
  responses: { 200: { description: 'A page of forms', schema: FormsPage } },
  async handle({ query, tenantId }) {
    const { cursor, limit = PAGE_LIMIT_DEFAULT } = query as { cursor?: string; limit?: number };
    const scope = { filters: {}, list: 'listForms', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { forms, hasMore } = await listForms(options.ports(), {
      limit,
      tenantId,
      ...(position !== undefined && { after: position.id }),
    });
    const last = hasMore ? forms.at(-1) : undefined;
    const next = last && options.cursors.encode(scope, { id: last.formId, key: last.createdAt });
    const data = await Promise.all(forms.map((form) => shownForm(options, form)));
    return { body: { data, next_cursor: next ?? null }, status: 200 };
  },
});

/** With how often it was used. */
async function shownForm({ ports }: FormRouteOptions, form: FormRecord) {
  const parts = ports();
  const { formId, tenantId } = form;
  return presentForm(form, await usageOf(parts, { formId, now: parts.clock.now(), tenantId }));
}

const create = (options: FormRouteOptions): Operation => ({
  ...CHANGING,
  id: 'createForm',
  method: 'POST',
  path: FORMS,
  idempotency: 'required',
  problems: [...CHANGE_PROBLEMS, 'form-code-taken', 'form-invalid'],
  summary: 'Make a form, with the draft of its first version',
  description:
    'Every violation of the definition is told at once. `schema.data` is derived from the steps. ' +
    'Only registered persons write forms, no API key does.',
  body: FormBody,
  example: { ...EXAMPLE_FORM, name: { en: 'Onboarding', fr: 'Entrée en relation' } },
  responses: { 201: { description: 'The form, and its draft', schema: CreatedForm } },
  handle(context) {
    const now = options.ports().clock.now();
    return answerChange(options, context, {
      change: (ports, ask) => createForm(ports, ask, context.body as FormGiven),
      headers: ({ form }) => [['location', `${FORMS}/${form.formId}`]],
      present: ({ form, version }) => ({
        ...presentForm(form, 0),
        draft: presentVersion(version, now),
      }),
      statusOf: () => 201,
    });
  },
});

const get = (options: FormRouteOptions): Operation => ({
  ...READING,
  id: 'getForm',
  path: FORM,
  problems: ['form-unknown', 'state-altered'],
  summary: 'A form',
  responses: { 200: { description: 'The form', schema: FormResult } },
  handle: async (context) => ({
    body: await shownForm(options, await requireForm(options.ports(), placeOf(context))),
    status: 200,
  }),
});

const active = (options: FormRouteOptions): Operation => ({
  ...READING,
  id: 'getActiveForm',
  session: 'live',
  path: `${FORM}/active`,
  conditions: 'file',
  problems: ['form-unknown', 'header-invalid', 'sdk-too-old', 'state-altered'],
  summary: 'The active version of a form, as it is filled in',
  description:
    'Its entity tag is the hash; 304 for who has it. An SDK names itself in `X-SDK-Version`, as ' +
    '`ios/1.4.0`; one that is older than the tenant’s `sdk.minimum.ios` is refused. By the token ' +
    'of a session it is the version that the session pinned.',
  responses: {
    200: { description: 'The definition', schema: ActiveResult },
    304: { description: 'The caller has it' },
  },
  async handle(context) {
    const ports = options.ports();
    const sdk = context.request.header('x-sdk-version');
    if (sdk !== undefined) requireSdk(sdk, await options.sdkOf(context.tenantId));
    const form = await requireForm(ports, placeOf(context));
    const version = await filledVersion(ports, form, context.principal.session?.versionId);
    const etag = `"${version.hash}"`;
    const headers = [['etag', etag]] as const;
    if (namesEtag(context.request.header('if-none-match'), etag)) {
      return { body: '', headers, status: 304 };
    }
    return { body: presentActive(form, version, options.signer()), headers, status: 200 };
  },
});

const versions = (options: FormRouteOptions): Operation => ({
  ...READING,
  id: 'listFormVersions',
  path: VERSIONS,
  problems: ['form-unknown', 'state-altered'],
  summary: 'Versions of a form, latest first',
  query: VersionsQuery,
  responses: { 200: { description: 'A page of versions', schema: VersionsPage } },
  async handle(context) {
    const {
      cursor,
      include,
      limit = PAGE_LIMIT_DEFAULT,
    } = context.query as {
      cursor?: string;
      include?: string;
      limit?: number;
    };
    const ports = options.ports();
    const { tenantId } = context;
    const place: Pick<FormRecord, 'formId' | 'tenantId'> = placeOf(context);
    const scope = { filters: { formId: place.formId }, list: 'listFormVersions', tenantId };
    const position = cursor === undefined ? undefined : options.cursors.decode(scope, cursor);
    const { hasMore, versions: found } = await listVersions(ports, {
      ...place,
      limit,
      ...(position !== undefined && {
        after: { createdAt: Number(position.key), versionId: position.id },
      }),
    });
    const now = ports.clock.now();
    const last = hasMore ? found.at(-1) : undefined;
    const next = last && options.cursors.encode(scope, { id: last.versionId, key: last.createdAt });
    const data = found.map((one) => presentVersion(one, now, include === 'schema'));
    return { body: { data, next_cursor: next ?? null }, status: 200 };
  },
});
