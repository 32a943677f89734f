/** Client certificates and authorities of endpoints over HTTP (W1). */
import { type Static, Type } from 'typebox';
import { inWords } from '#core/kernel';
import {
  changeTls,
  type RequestedCertificate,
  requestCertificate,
  type TlsChange,
  type WebhookEndpoint,
} from '#slices/webhooks';
import type { Operation } from '../../../api/operation.ts';
import { roles } from '../roles.ts';
import { presentEndpoint } from './presentation.ts';
import { COMMON, kept, type WebhookRouteOptions } from './routeOptions.ts';
import { EndpointResult } from './schemas.ts';

const TLS_PATH = '/v1/webhooks/{endpoint_id}/tls';
const PEM_CHARS_MAX = 32_768;
const BODY_BYTES_MAX = 3 * PEM_CHARS_MAX;
const NAME_CHARS_MAX = 64;

const PEM = {
  maxLength: PEM_CHARS_MAX,
  ...inWords('a PEM block at least', '-----BEGIN [A-Z ]{1,32}-----'),
};
const Pem = (description: string) => Type.String({ description, ...PEM });
const Name = (description: string) =>
  Type.String({ description, maxLength: NAME_CHARS_MAX, minLength: 1 });

const ClientCertificate = Type.Object(
  {
    certificate_pem: Pem('The certificate, then those between it and its authority'),
    private_key_pem: Type.Optional(
      Pem('Its key, kept sealed and never shown; absent: the one that a request was made with'),
    ),
  },
  { additionalProperties: false },
);
type GivenCertificate = Static<typeof ClientCertificate>;
const TlsBody = Type.Object(
  {
    client_certificate: Type.Optional(
      Type.Unsafe<GivenCertificate | null>({ ...ClientCertificate, type: ['object', 'null'] }),
    ),
    ca_pem: Type.Optional(
      Type.Unsafe<string | null>({
        description: 'Authorities that alone are believed to name this endpoint',
        type: ['string', 'null'],
        ...PEM,
      }),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

const block = (label: string): string =>
  `-----BEGIN ${label}-----\nMIIB…\n-----END ${label}-----\n`;
const EXAMPLE = {
  ca_pem: block('CERTIFICATE'),
  client_certificate: {
    certificate_pem: block('CERTIFICATE'),
    private_key_pem: block('PRIVATE KEY'),
  },
};

const RequestBody = Type.Object(
  {
    common_name: Name('Whom the certificate is to name'),
    organization: Type.Optional(Name('Its organisation')),
  },
  { additionalProperties: false },
);

const RequestResult = Type.Object({
  endpoint_id: Type.String({ format: 'uuid' }),
  request_pem: Type.String({ description: 'PKCS #10, to be signed by the endpoint’s authority' }),
});

export const tlsOperations = (options: WebhookRouteOptions): Operation[] => [
  changeWebhookTls(options),
  requestWebhookCertificate(options),
];

function changeWebhookTls(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'changeWebhookTls',
    method: 'PATCH',
    path: TLS_PATH,
    summary: 'Set or take away the client certificate, and the authority, of an endpoint',
    description:
      'With a certificate the endpoint is called with it, or not at all: one that cannot be ' +
      'loaded, or has ended, fails as `mtls`. `null` takes away.',
    roles: roles.administer,
    scope: 'webhooks:write',
    conditions: 'version',
    problems: [
      'webhook-certificate-refused',
      'webhook-url-refused',
      'webhook-unknown',
      'state-conflict',
    ],
    bodyBytesMax: BODY_BYTES_MAX,
    body: TlsBody,
    example: EXAMPLE,
    responses: { 200: { description: 'The endpoint', schema: EndpointResult } },
    async handle(context) {
      const ports = options.ports();
      const now = ports.clock.now();
      const { ask, reply } = kept<WebhookEndpoint>(ports, context, {
        present: (endpoint) => presentEndpoint(endpoint, now),
        status: 200,
      });
      const endpointId = context.params.endpoint_id ?? '';
      const change = changeOf(context.body as Static<typeof TlsBody>);
      return reply(await changeTls(ports, { ...ask, endpointId }, change));
    },
  };
}

function requestWebhookCertificate(options: WebhookRouteOptions): Operation {
  return {
    ...COMMON,
    id: 'requestWebhookCertificate',
    method: 'POST',
    path: `${TLS_PATH}/request`,
    summary: 'Make a key, and a request for its certificate',
    description:
      'The key never leaves the service. Let the request be signed, then set the certificate ' +
      'without a key. Another request replaces the key that waits.',
    roles: roles.administer,
    scope: 'webhooks:write',
    idempotency: 'required',
    problems: ['webhook-unknown', 'state-conflict'],
    bodyBytesMax: BODY_BYTES_MAX,
    body: RequestBody,
    example: { common_name: 'compliance.bank.example' },
    responses: { 201: { description: 'The request', schema: RequestResult } },
    async handle(context) {
      const ports = options.ports();
      const { ask, reply } = kept<RequestedCertificate>(ports, context, {
        present: ({ endpointId, requestPem }) => ({
          endpoint_id: endpointId,
          request_pem: requestPem,
        }),
        status: 201,
      });
      const endpointId = context.params.endpoint_id ?? '';
      const { common_name: commonName, organization } = context.body as Static<typeof RequestBody>;
      const subject = { commonName, ...(organization !== undefined && { organization }) };
      return reply(await requestCertificate(ports, { ...ask, endpointId }, subject));
    },
  };
}

function changeOf({ ca_pem: caPem, client_certificate: given }: Static<typeof TlsBody>): TlsChange {
  const keyPem = given?.private_key_pem;
  return {
    ...(caPem !== undefined && { caPem }),
    ...(given !== undefined && {
      clientCertificate: given && {
        certificatePem: given.certificate_pem,
        ...(keyPem !== undefined && { keyPem }),
      },
    }),
  };
}
