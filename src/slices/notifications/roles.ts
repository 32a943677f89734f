/** Who reads what people were told, and who is told. */
import type { Role, RoleSets } from '#core/identity';
import type { NoticeKind } from './codes.ts';

/** The sets of roles that this slice's operations name. */
export const roles = {
  read: [
    'admin',
    'developer',
    'dsi_admin',
    'compliance_officer',
    'compliance_director',
    'mlro',
    'auditor',
  ],
} as const satisfies RoleSets;

/** Roles of a tenant's people who are written to about webhooks. */
const WEBHOOK_READERS: readonly Role[] = ['admin'];

/** Roles of a tenant's people who are written to about its evidence. */
const EVIDENCE_READERS: readonly Role[] = [
  'admin',
  'compliance_officer',
  'compliance_director',
  'dsi_admin',
];

/** Roles of a tenant's people who are written to about requests of persons. */
const PRIVACY_READERS: readonly Role[] = [
  'compliance_officer',
  'compliance_director',
  'data_protection_officer',
];

/** Roles of a tenant’s people to whom a risk policy that nobody approves is escalated. */
const RISK_READERS: readonly Role[] = ['mlro', 'admin'];

/** Roles of a tenant’s people who are written to about forms of tax holders. */
const TAX_READERS: readonly Role[] = ['compliance_officer', 'compliance_director'];

/** Who is written to, by what is told. */
export function readersOf(kind: NoticeKind): readonly Role[] {
  if (kind.startsWith('webhook.')) return WEBHOOK_READERS;
  if (kind.startsWith('risk.')) return RISK_READERS;
  if (kind.startsWith('tax.')) return TAX_READERS;
  return kind.startsWith('privacy.') ? PRIVACY_READERS : EVIDENCE_READERS;
}

/** Roles that must be told of something: `doctor` warns of one without an address. */
export const TOLD_ROLES: readonly Role[] = ['admin', 'compliance_officer', 'dsi_admin'];
