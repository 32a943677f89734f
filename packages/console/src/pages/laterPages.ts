/** Pages that are loaded when they are opened, by their names in the address. */
import type { LaterPages } from '../parts/later.tsx';

export const LATER: LaterPages = {
  policies: async () => (await import('./policies.tsx')).PolicyPages,
  risk: async () => (await import('./risk.tsx')).RiskPages,
  tax: async () => (await import('./tax.tsx')).TaxPages,
  privacy: async () => (await import('./privacy.tsx')).PrivacyPages,
  forms: async () => (await import('./forms.tsx')).FormPages,
};
