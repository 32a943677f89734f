/**
 * A form, a workflow and a link in a sandbox, so that a newcomer sees a case decided. The form is
 * signed by two invented persons, whose keys are forgotten once they have signed.
 */
import type { Actor } from '#core/audit';
import {
  approvalMessage,
  createPersonAdmin,
  type GivenSignature,
  type IdentityStore,
  signedAuthorOf,
} from '#core/identity';
import type { TenantId } from '#core/kernel';
import { toTimestamp } from '#platform/clock';
import { type Signer, signerFromSeed } from '#platform/crypto';
import { putWorkflow, shippedWorkflow, type WorkflowContent } from '#slices/customers';
import {
  activeVersion,
  createForm,
  type FormDefinition,
  type FormRecord,
  type FormVersion,
  formTable,
  publicationSubject,
  publishForm,
  requireForm,
} from '#slices/forms';
import content from '../../../config/demo/onboarding.json' with { type: 'json' };
import { type OpenedSession, openSession } from './openSession.ts';
import type { OnboardingPorts } from './ports.ts';

const DEMO = content as unknown as FormDefinition & Pick<FormRecord, 'name'>;
const WORKFLOW = 'demo_onboarding';
const SEED_BYTES = 32;
const SIGNERS = [
  { name: 'Invented compliance officer', role: 'compliance_officer' },
  { name: 'Invented head of systems', role: 'dsi_admin' },
] as const;

/** Who wants it. */
export interface DemoAsk {
  readonly tenantId: TenantId;
  readonly actor: Actor;
}

/** Makes what is not there yet, and a link for a customer who is new each time. */
export async function demoOnboarding(
  ports: OnboardingPorts & { readonly identity: IdentityStore },
  { actor, tenantId }: DemoAsk,
): Promise<OpenedSession> {
  await publishedDemo(ports, { actor, tenantId });
  await putWorkflow(ports.cases, {
    actor,
    code: WORKFLOW,
    content: documentless(),
    tenantId,
  });
  return openSession(
    ports,
    { actor, tenantId },
    {
      case: {
        external_ref: `demo-${toTimestamp(ports.clock.now())}`,
        locale: 'fr-TN',
        subject_type: 'individual',
        workflow_code: WORKFLOW,
      },
      channel: 'web',
    },
  );
}

/** What the service checks by itself: who is on no list is approved at once. */
function documentless(): WorkflowContent {
  const { content: standard } = shippedWorkflow('individual_standard');
  return {
    ...standard,
    auto_approve: { enabled: true, max_tier: 'standard' },
    checks: ['consent', 'required_data', 'age', 'screening', 'risk'],
    form_code: DEMO.code,
    required_documents: [],
    required_fields: ['dob', 'nationality'],
  };
}

async function publishedDemo(
  ports: OnboardingPorts & { readonly identity: IdentityStore },
  { actor, tenantId }: DemoAsk,
): Promise<FormVersion> {
  const row = await ports.tables.findUnique(formTable, 'byCode', { code: DEMO.code, tenantId });
  const form = row && (await requireForm(ports, row));
  const active = form && (await activeVersion(ports, form));
  if (active !== undefined) return active;
  const ask = { principal: { actor, kind: 'cli' }, tenantId } as const;
  const { version } = await createForm(ports, ask, DEMO);
  const signatures = await Promise.all(
    SIGNERS.map((signer) => signedBy(ports, version, { ...signer, actor })),
  );
  const { formId, versionId } = version;
  return (await publishForm(ports, { ...ask, formId, signatures, versionId })).version;
}

async function signedBy(
  ports: OnboardingPorts & { readonly identity: IdentityStore },
  version: FormVersion,
  { actor, name, role }: (typeof SIGNERS)[number] & Pick<DemoAsk, 'actor'>,
): Promise<GivenSignature> {
  const { tenantId } = version;
  const persons = createPersonAdmin({ ...ports.cases, store: ports.identity });
  const { id: personId } = await persons.add({
    accounts: [],
    actor,
    name,
    roles: [role],
    tenantId,
  });
  const key: Signer = signerFromSeed(ports.random.bytes(SEED_BYTES));
  const publicKey = Buffer.from(key.publicKey.raw).toString('base64');
  await persons.addKey({ actor, personId, publicKey, tenantId });
  const timestamp = toTimestamp(ports.clock.now());
  const message = approvalMessage(publicationSubject(version), {
    approver: personId,
    author: signedAuthorOf(version),
    timestamp,
  });
  return {
    signature: Buffer.from(key.sign(message)).toString('base64'),
    signer: personId,
    timestamp,
  };
}
