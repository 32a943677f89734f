/** Verbs of the noun `webhook` for certificates of endpoints. */
import { changeTls, chosenEndpoint, requestCertificate, type TlsChange } from '#slices/webhooks';
import { EXIT, type Given, UsageError } from '../../../cli/command.ts';
import { readDocument } from '../../../cli/files.ts';
import type { SliceCommand } from '../../processes.ts';
import { ENDPOINT, ownerOf, TENANT, tenantOf } from './commandOptions.ts';
import { configurePorts } from './parts.ts';
import { presentEndpoint } from './presentation.ts';

const NONE = 'none';

export const tlsCommands: readonly SliceCommand[] = [
  {
    words: 'webhook tls',
    summary: 'Set the client certificate and the authority of an endpoint, or take them away',
    options: [
      TENANT,
      ENDPOINT,
      { name: 'certificate', value: 'FILE', help: `PEM, the chain; '${NONE}' takes it away` },
      { name: 'key', value: 'FILE', help: 'PEM; without it the key of `webhook request`' },
      { name: 'ca', value: 'FILE', help: `PEM; '${NONE}': the public authorities again` },
    ],
    example: 'webhook tls --certificate client.pem --key client.key --ca bank-ca.pem',
    async run({ actor, clock, open, output }, given) {
      const change = await changeGiven(given);
      const process = await open();
      const tenant = await tenantOf(process, given.optional('tenant'));
      const ports = process.once(configurePorts);
      const { endpointId } = await chosenEndpoint(ports, tenant.id, given.optional('endpoint'));
      const ask = { actor, endpointId, owner: ownerOf(tenant) };
      const shown = presentEndpoint(await changeTls(ports, ask, change), clock.now());
      const { ca_sha256: ca, client_certificate: certificate } = shown.tls;
      const named = certificate && `${certificate.subject}, until ${certificate.not_after}`;
      output.result(
        shown,
        [
          `endpoint    ${endpointId}`,
          `certificate ${named ?? '–'}`,
          `authority   ${ca ?? 'the public ones'}`,
        ].join('\n'),
      );
      return EXIT.done;
    },
  },
  {
    words: 'webhook request',
    summary:
      'Make a key for an endpoint, which stays here, and print a request for its certificate',
    options: [
      TENANT,
      ENDPOINT,
      { name: 'common-name', value: 'TEXT', required: true, help: 'whom it is to name' },
      { name: 'organization', value: 'TEXT', help: 'its organisation' },
    ],
    example: 'webhook request --common-name compliance.bank.example',
    async run({ actor, open, output }, given) {
      const process = await open();
      const tenant = await tenantOf(process, given.optional('tenant'));
      const ports = process.once(configurePorts);
      const { endpointId } = await chosenEndpoint(ports, tenant.id, given.optional('endpoint'));
      const organization = given.optional('organization');
      const { requestPem } = await requestCertificate(
        ports,
        { actor, endpointId, owner: ownerOf(tenant) },
        {
          commonName: given.value('common-name'),
          ...(organization !== undefined && { organization }),
        },
      );
      output.result({ endpoint_id: endpointId, request_pem: requestPem }, requestPem.trimEnd());
      return EXIT.done;
    },
  },
];

async function changeGiven(given: Given): Promise<TlsChange> {
  const [certificate, key, ca] = ['certificate', 'key', 'ca'].map((name) => given.optional(name));
  if (certificate === undefined && ca === undefined) {
    throw new UsageError('expected --certificate or --ca');
  }
  const keyPem = key === undefined ? undefined : await readDocument(key);
  return {
    ...(ca !== undefined && { caPem: ca === NONE ? null : await readDocument(ca) }),
    ...(certificate !== undefined && {
      clientCertificate:
        certificate === NONE
          ? null
          : {
              certificatePem: await readDocument(certificate),
              ...(keyPem !== undefined && { keyPem }),
            },
    }),
  };
}
