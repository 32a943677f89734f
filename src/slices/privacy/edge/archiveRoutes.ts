/** The archive of a completed request: a link, the ZIP, and its passphrase, once. */
import { entry } from '#core/audit';
import { chainOf, DomainError } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { requestTarget, requireArchive, tellPassphrase } from '#slices/privacy';
import { askerOf } from '../../../api/asker.ts';
import { blobReply } from '../../../api/blobReply.ts';
import type { Operation, OperationContext } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { actorOf } from './actorOf.ts';
import { COMMON, type PrivacyRouteOptions } from './routeOptions.ts';
import { ArchiveLink, ArchiveQuery, Passphrase } from './schemas.ts';

const ONE = '/v1/privacy/dsar/{request_id}';
const PROBLEMS = [
  'privacy-archive-gone',
  'privacy-request-state',
  'privacy-request-unknown',
  'state-altered',
] as const;

export const archiveRoutes = (options: PrivacyRouteOptions): Operation[] => [
  link(options),
  download(options),
  passphrase(options),
];

const placeOf = ({ params, tenantId }: OperationContext) => ({
  requestId: params.request_id ?? '',
  tenantId,
});

const link = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  id: 'linkPrivacyArchive',
  idempotency: 'required',
  method: 'POST',
  path: `${ONE}/download`,
  problems: PROBLEMS,
  responses: { 200: { description: 'The link', schema: ArchiveLink } },
  roles: roles.decide,
  scope: 'privacy:write',
  summary: 'A link to the archive, for this caller and thirty minutes',
  async handle(context) {
    const place = placeOf(context);
    const { archive } = await requireArchive(options.ports, place);
    const caller = context.principal.id;
    const { requestId, tenantId } = place;
    const { expiresAt, token } = options.links().make([tenantId, caller, requestId]);
    return {
      body: {
        expires_at: toTimestamp(expiresAt),
        sha256: archive.sha256,
        url: `/v1/privacy/dsar/${place.requestId}/archive?link=${token}`,
      },
      status: 200,
    };
  },
});

const download = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  conditions: 'file',
  description:
    'A ZIP under AES-256. The file manager of Windows does not open it: 7-Zip and Keka do. ' +
    'Each download is an entry of the audit trail.',
  id: 'getPrivacyArchive',
  idempotency: 'none',
  method: 'GET',
  path: `${ONE}/archive`,
  problems: [...PROBLEMS, 'not-found', 'privacy-link-expired'],
  query: ArchiveQuery,
  responses: { 200: { description: 'The archive', files: ['application/zip'] } },
  roles: roles.decide,
  scope: 'privacy:read',
  summary: 'The archive, by a link that was made for the caller',
  async handle(context) {
    const { links, ports } = options;
    const place = placeOf(context);
    const { link: token } = context.query as unknown as { readonly link: string };
    const of = [place.tenantId, context.principal.id, place.requestId];
    if (!links().isGood(token, of)) throw new DomainError('privacy-link-expired');
    const { archive } = await requireArchive(ports, place);
    await ports.commit(chainOf(place.tenantId), {
      bus: [],
      changes: [],
      events: [
        entry(ports, {
          ...askerOf(context),
          action: 'privacy.archive.downloaded',
          members: { sha256: archive.sha256 },
          target: requestTarget(place.requestId),
        }),
      ],
    });
    return blobReply(ports.blobs, context.request, {
      address: archive.blob,
      contentType: 'application/zip',
      fileName: `personal-data-${place.requestId}.zip`,
    });
  },
});

const passphrase = (options: PrivacyRouteOptions): Operation => ({
  ...COMMON,
  bodyBytesMax: 0,
  description:
    'It is told to one caller, once, and never again, under the same key neither. Tell it to the ' +
    'person by another way than the archive takes.',
  id: 'tellPrivacyPassphrase',
  idempotency: 'required',
  method: 'POST',
  path: `${ONE}/passphrase`,
  problems: PROBLEMS,
  responses: { 200: { description: 'The passphrase', schema: Passphrase } },
  roles: roles.decide,
  scope: 'privacy:write',
  summary: 'The passphrase of the archive, once',
  async handle(context) {
    const { identity, ports } = options;
    const by = await actorOf({ identity }, context);
    const told = await tellPassphrase(ports, { by, requestId: placeOf(context).requestId });
    return { body: { passphrase: told }, status: 200 };
  },
});
