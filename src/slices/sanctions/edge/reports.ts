/**
 * The report of a screening over HTTP (interface.md 4.8): made, and fetched by a link of thirty
 * minutes that needs no credential. A forged link is a 404, as an unknown path is; an expired one
 * is 403 `link-expired`, since only its holder can have it.
 */
import { type Static, Type } from 'typebox';
import type { AuditStore } from '#core/audit';
import { type BlobStore, openSealed, type SealedUnder } from '#core/blobs';
import { chainOf, DomainError, type ScreeningId, type TenantId } from '#core/kernel';
import { type Clock, type EpochMs, toTimestamp } from '#platform/clock';
import type { Signer } from '#platform/crypto';
import { LOCALES, type Locale } from '#platform/locales';
import {
  type ListPorts,
  type MadeReport,
  REPORT_LINK_MS,
  type ReportAsk,
  type ReportLink,
  type ReportLinks,
  type ScreeningReports,
  seenByOf,
  signFile,
} from '#slices/sanctions';
import { isPastRetention } from '#slices/screening';
import { askerOf } from '../../../api/asker.ts';
import { blobReply } from '../../../api/blobReply.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import type { PublicPage } from '../../../api/ports.ts';
import { Slots } from '../../../api/slots.ts';
import { REPORT_TOKENS, REPORTS_AT_ONCE_MAX, REPORTS_PER_TENANT_MAX } from '../limits.ts';
import { roles } from '../roles.ts';
import { reportFileName } from './reportParts.ts';
import { oneOf } from './schemas.ts';

export interface ReportRouteOptions {
  readonly audit: Pick<AuditStore, 'findByScreening'>;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly clock: Clock;
  readonly isAllowed: (tenantId: TenantId) => Promise<boolean>;
  readonly links: () => ReportLinks;
  readonly origin: () => string;
  readonly parts: () => ListPorts;
  readonly reports: () => ScreeningReports;
  readonly sealedUnder: (tenantId: TenantId) => SealedUnder;
  readonly signer: Signer;
}

const PATH = '/downloads/screenings';

const ReportQuery = Type.Object(
  { lang: Type.Optional(oneOf(LOCALES, 'Language of the report; English where none is said')) },
  { additionalProperties: false },
);

const ReportLinkResult = Type.Object({
  url: Type.String({ description: 'The PDF; needs no credential', format: 'uri' }),
  expires_at: Type.String({ format: 'date-time' }),
  sha256: Type.String({ description: 'Of the PDF' }),
  bytes: Type.Integer(),
  signature_url: Type.String({
    description: 'Its detached signature, for `screening verify-report`; needs no credential',
    format: 'uri',
  }),
});

export const reportOperation = (options: ReportRouteOptions): Operation => {
  const slots = new Slots({
    inAllMax: REPORTS_AT_ONCE_MAX,
    max: REPORTS_PER_TENANT_MAX,
    what: 'reports of screenings',
  });
  return { ...REPORT, handle: (context) => exportReport(options, slots, context) };
};

const REPORT = {
  id: 'exportScreening',
  method: 'GET',
  path: '/v1/sanctions/screenings/{id}/export.pdf',
  tag: 'Sanctions',
  summary: 'The signed report of a screening as a PDF, by a link of thirty minutes',
  description:
    'Query, verdict, each hit with its components and what people decided, lists, policy and ' +
    'place in the chain. The event is attached as evidence.json; `screening verify-report` ' +
    'verifies all of it offline. Answers 303 to the file; 200 where `Accept` asks for ' +
    '`application/json`. An agent has those of the screenings that they asked for, or whose ' +
    `alert is theirs. A report that is not there yet costs ${REPORT_TOKENS} tokens of the rate ` +
    `limits, and a tenant has at most ${REPORTS_PER_TENANT_MAX} made at once.`,
  roles: roles.list,
  scope: 'screening:read',
  problems: [
    'alert-altered',
    'deadline-exceeded',
    'engine-queue-full',
    'evidence-altered',
    'export-disabled',
    'not-found',
  ],
  idempotency: 'none',
  limits: 'general',
  bodyBytesMax: 0,
  query: ReportQuery,
  responses: {
    200: { description: 'The links, where JSON was asked for', schema: ReportLinkResult },
    303: { description: 'The same links; `Location` is the PDF', schema: ReportLinkResult },
  },
} as const satisfies Omit<Operation, 'handle'>;

async function exportReport(options: ReportRouteOptions, slots: Slots, context: OperationContext) {
  const { params, principal, request, tenantId } = context;
  const { lang = 'en' } = context.query as Static<typeof ReportQuery>;
  const screeningId = params.id ?? '';
  if (!(await options.isAllowed(tenantId))) throw new DomainError('export-disabled');
  const seenBy = await seenByOf(options.parts(), principal);
  const ask: ReportAsk = {
    ...askerOf(context),
    lang,
    screeningId,
    tenantId,
    ...(seenBy !== undefined && {
      mayRead: (requestedBy) =>
        seenBy.requestedBy === requestedBy || seenBy.assigned.includes(screeningId),
    }),
  };
  const by = {
    charge: (tokens: number) => context.charge(tokens),
    signal: request.signal,
    turn: tenantId,
  };
  const made = await slots.hold(tenantId, () => options.reports().export(ask, by));
  const body = linksTo(options, { ...made, lang, screeningId, tenantId });
  const isJsonAsked = /\bapplication\/json\b/i.test(request.header('accept') ?? '');
  return isJsonAsked
    ? { body, status: 200 }
    : { body, headers: [['location', body.url]] as const, status: 303 };
}

function linksTo(
  { clock, links, origin }: ReportRouteOptions,
  of: MadeReport & {
    readonly lang: Locale;
    readonly screeningId: string;
    readonly tenantId: TenantId;
  },
) {
  const { blob, bytes, isErased, lang, screeningId, sha256, tenantId } = of;
  const expiresAt = (clock.now() + REPORT_LINK_MS) as EpochMs;
  const link = { blob, isErased, lang, screeningId, sha256, tenantId };
  const urlOf = (part: ReportLink['part']): string =>
    `${origin()}${PATH}/${links().issue({ ...link, part }, expiresAt)}`;
  return {
    url: urlOf('pdf'),
    expires_at: toTimestamp(expiresAt),
    sha256,
    bytes,
    signature_url: urlOf('signature'),
  };
}

/** The file behind a link, or its signature. */
export const reportPage = (options: ReportRouteOptions): PublicPage => ({
  path: `${PATH}/{token}`,
  async reply({ params, request }) {
    const link = options.links().open(params.token ?? '');
    await refuseGone(options, link);
    const sealed = await options.blobs.get(link.blob);
    if (sealed === undefined) throw new DomainError('not-found');
    const pdf = await openSealed(sealed, options.sealedUnder(link.tenantId));
    const fileName = reportFileName(link.screeningId, link.lang);
    if (link.part === 'signature') {
      return {
        body: `${signFile(pdf, options.signer)}\n`,
        headers: [
          ['content-type', 'text/plain; charset=utf-8'],
          ['content-disposition', `attachment; filename="${fileName}.sig"`],
        ],
        status: 200,
      };
    }
    const content = {
      open: async () => once(pdf),
      size: async () => pdf.length,
    };
    const file = { address: link.sha256, contentType: 'application/pdf', fileName };
    return blobReply(content, request, file);
  },
});

/** Who was erased since, and what is too old, is served no more. */
async function refuseGone(
  { audit, clock }: ReportRouteOptions,
  { isErased, screeningId, tenantId }: ReportLink,
): Promise<void> {
  const event = await audit.findByScreening(chainOf(tenantId), screeningId as ScreeningId);
  const isThere =
    event !== undefined &&
    !isPastRetention(event, clock.now()) &&
    (isErased || event.open !== undefined);
  if (!isThere) throw new DomainError('not-found');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
