/** Every slice, one line each, in order: a slice may use those before it. */
import { alerts } from '../slices/alerts/slice.ts';
import { approvals } from '../slices/approvals/slice.ts';
import { audit } from '../slices/audit/slice.ts';
import { batches } from '../slices/batches/slice.ts';
import { console } from '../slices/console/slice.ts';
import { customers } from '../slices/customers/slice.ts';
import { exclusions } from '../slices/exclusions/slice.ts';
import { forms } from '../slices/forms/slice.ts';
import { ingestion } from '../slices/ingestion/slice.ts';
import { intake } from '../slices/intake/slice.ts';
import { lists } from '../slices/lists/slice.ts';
import { monitoring } from '../slices/monitoring/slice.ts';
import { notifications } from '../slices/notifications/slice.ts';
import { onboarding } from '../slices/onboarding/slice.ts';
import { policies } from '../slices/policies/slice.ts';
import { privacy } from '../slices/privacy/slice.ts';
import { recognition } from '../slices/recognition/slice.ts';
import { registries } from '../slices/registries/slice.ts';
import { rescreening } from '../slices/rescreening/slice.ts';
import { resolution } from '../slices/resolution/slice.ts';
import { risk } from '../slices/risk/slice.ts';
import { rules } from '../slices/rules/slice.ts';
import { sanctions } from '../slices/sanctions/slice.ts';
import { screening } from '../slices/screening/slice.ts';
import { str } from '../slices/str/slice.ts';
import { tax } from '../slices/tax/slice.ts';
import { tenants } from '../slices/tenants/slice.ts';
import { vitals } from '../slices/vitals/slice.ts';
import { webhooks } from '../slices/webhooks/slice.ts';

export const SLICES = [
  audit,
  approvals,
  lists,
  ingestion,
  resolution,
  screening,
  policies,
  intake,
  batches,
  exclusions,
  alerts,
  monitoring,
  rules,
  sanctions,
  rescreening,
  webhooks,
  str,
  recognition,
  customers,
  registries,
  forms,
  onboarding,
  privacy,
  risk,
  tax,
  notifications,
  vitals,
  tenants,
  console,
] as const;
