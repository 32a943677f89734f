/**
 * The invented persons of a sandbox: with them dual control can be tried in several profiles of a
 * browser. They are made once; who removed their accounts gets none back.
 */
import type { Actor } from '#core/audit';
import { createPersonAdmin, type Person, type Role } from '#core/identity';
import type { TenantId } from '#core/kernel';
import type { ConsolePorts } from './ports.ts';

/** Issuer of accounts that no identity provider has: no URL, so no token can name it. */
export const LOCAL_ISSUER = 'local';

const INVENTED: readonly {
  readonly name: string;
  readonly roles: Role[];
  readonly subject: string;
}[] = [
  {
    name: 'Leïla Mansour (invented)',
    roles: ['agent_l2', 'mlro', 'compliance_officer', 'auditor', 'developer'],
    subject: 'compliance',
  },
  {
    name: 'Karim Dridi (invented)',
    roles: ['agent_l2', 'dsi_admin', 'admin', 'auditor', 'data_protection_officer'],
    subject: 'dsi',
  },
  {
    // What two of compliance and IT may not have written themselves: risk policies, legal holds.
    name: 'Nadia Trabelsi (invented)',
    roles: ['compliance_director', 'auditor'],
    subject: 'director',
  },
];

/** The invented persons of the sandbox, the first for who asks for none; made where none is. */
export async function sandboxPersons(
  ports: Pick<ConsolePorts, 'clock' | 'commit' | 'identity' | 'random'>,
  { actor, tenantId }: { readonly actor: Actor; readonly tenantId: TenantId },
): Promise<readonly Person[]> {
  const known = (await ports.identity.listPersons(tenantId)).filter(({ accounts }) =>
    accounts.some(({ issuer }) => issuer === LOCAL_ISSUER),
  );
  if (known.length > 0) return known;
  const admin = createPersonAdmin({ ...ports, store: ports.identity });
  const made: Person[] = [];
  for (const { name, roles, subject } of INVENTED) {
    const accounts = [{ issuer: LOCAL_ISSUER, subject }];
    made.push(await admin.add({ accounts, actor, name, roles, tenantId }));
  }
  return made;
}
