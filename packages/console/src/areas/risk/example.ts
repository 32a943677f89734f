/** In a sandbox: a policy that weighs countries more, and clients whom it moves. */
import { change } from '../../http.ts';
import type { Step } from '../../parts/example.tsx';
import type { RiskPolicy } from './types.ts';

/** Where the invented clients live, how old they are, and what they have. */
const CLIENTS = [
  ['TN', '1990-05-17', 'current_account'],
  ['FR', '1948-02-01', 'savings_account'],
  ['VE', '1985-11-30', 'current_account'],
  ['DZ', '2004-06-12', 'cash_intensive'],
  ['KP', '1979-01-09', 'current_account'],
  ['LB', '1968-08-25', 'private_banking'],
  ['TN', '1956-04-03', 'precious_metals'],
  ['DE', '1999-10-21', 'current_account'],
  ['YE', '1982-12-15', 'savings_account'],
  ['IT', '1975-03-08', 'virtual_assets'],
] as const;

/** `name`: of the draft; `onAsked`: with the ids of the policy and of its backtest. */
export function riskExample(
  name: string,
  onAsked: (policyId: string, btrId: string) => void,
): readonly Step[] {
  const mark = Date.now().toString(36);
  const evaluated = CLIENTS.map(([country, dob, product], at): Step => {
    const external_ref = `example-${mark}-${at + 1}`;
    return async () => {
      await change('POST', '/v1/kyc/cases', {
        external_ref,
        locale: 'fr-TN',
        subject: { country_residence: country, dob },
        subject_type: 'individual',
        workflow_code: 'individual_standard',
      });
      await change('POST', '/v1/risk/evaluations', {
        client: { external_ref },
        facts: { 'product.codes': [product] },
      });
    };
  });
  let draft: RiskPolicy;
  return [
    async () => {
      draft = await change<RiskPolicy>('POST', '/v1/risk/policies', {
        name,
        thresholds: { high: 52 },
        weights: {
          aml_screening: 2_000,
          channel: 1_000,
          client: 2_000,
          geo: 3_500,
          product: 1_500,
        },
      });
    },
    () => change('POST', `/v1/risk/policies/${draft.policy_id}/shadow-activate`),
    ...evaluated,
    async () => {
      const { policy_id } = draft;
      const path = `/v1/risk/policies/${policy_id}/backtest`;
      onAsked(policy_id, (await change<{ btrId: string }>('POST', path, {})).btrId);
    },
  ];
}
