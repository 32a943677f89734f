/** The pages of risk, which come together. */
import type { JSX } from 'preact';
import type { LaterProps } from '../parts/later.tsx';
import { RiskPoliciesPage } from './riskPolicies.tsx';
import { RiskPolicyPage } from './riskPolicy.tsx';

export const RiskPages = ({ id, query }: LaterProps): JSX.Element =>
  id === undefined ? <RiskPoliciesPage /> : <RiskPolicyPage btrId={query.backtest} id={id} />;
