/** Policies of risk: the list, or one of them with the backtest that is asked for. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { PolicyList } from './policyList.tsx';
import { PolicyPage } from './policyPage.tsx';

export const Page = ({ id, query }: AreaProps): JSX.Element =>
  id === undefined ? <PolicyList /> : <PolicyPage btrId={query.backtest} id={id} />;
