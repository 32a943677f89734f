/** Sanctions policies: those of all times, or one version beside another. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { PolicyList } from './policyList.tsx';
import { PolicyPage } from './policyPage.tsx';

export const Page = ({ id, query }: AreaProps): JSX.Element =>
  id === undefined ? <PolicyList /> : <PolicyPage against={query.against} id={id} />;
