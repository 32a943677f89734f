/** A form that two persons have published, at a gateway with nothing replaced. */
import {
  approvalMessage,
  type GivenSignature,
  identityStore,
  signedAuthorOf,
} from '#core/identity';
import type { TenantId } from '#core/kernel';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { systemRandom } from '#platform/random';
import {
  createForm,
  type FormDefinition,
  type FormVersion,
  publicationSubject,
  publishForm,
} from '#slices/forms';
import { formPartsOf } from '../../../src/slices/forms/edge/parts.ts';
import { createAdministration } from '../../../src/slices/tenants/administration.ts';
import type { RealGateway } from '../../api/realGateway.ts';
import { FORM, NAME } from '../forms/formDesk.ts';

const ACTOR = 'cli:test' as const;
const SIGNERS = [
  { name: 'carl', role: 'compliance_officer' },
  { name: 'dora', role: 'dsi_admin' },
] as const;

export async function publishedForm(
  gateway: RealGateway,
  tenantId: TenantId,
  definition: FormDefinition = FORM,
): Promise<FormVersion> {
  const { installation, process } = gateway;
  const { persons } = createAdministration({
    ...installation,
    store: identityStore(installation.storage.tables),
  });
  const ask = { principal: { actor: ACTOR, kind: 'cli' }, tenantId } as const;
  const ports = formPartsOf(process);
  const { version } = await createForm(ports, ask, { ...definition, name: NAME });
  const signatures: GivenSignature[] = [];
  for (const { name, role } of SIGNERS) {
    const key: Signer = signerFromSeed(systemRandom.bytes(32));
    const added = { accounts: [], actor: ACTOR, name, roles: [role], tenantId };
    const { id: personId } = await persons.add(added);
    const publicKey = Buffer.from(key.publicKey.raw).toString('base64');
    await persons.addKey({ actor: ACTOR, personId, publicKey, tenantId });
    const timestamp = new Date().toISOString();
    const message = approvalMessage(publicationSubject(version), {
      approver: personId,
      author: signedAuthorOf(version),
      timestamp,
    });
    const signature = Buffer.from(key.sign(message)).toString('base64');
    signatures.push({ signature, signer: personId, timestamp });
  }
  const { formId, versionId } = version;
  return (await publishForm(ports, { ...ask, formId, signatures, versionId })).version;
}
