/** Requests about personal data: the list, or one of them. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { RequestList } from './requestList.tsx';
import { RequestPage } from './requestPage.tsx';

export const Page = ({ id }: AreaProps): JSX.Element =>
  id === undefined ? <RequestList /> : <RequestPage id={id} />;
