/** Forms with the workflows of cases, or one form in its versions. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { FormList } from './formList.tsx';
import { FormPage } from './formPage.tsx';

export const Page = ({ id, query }: AreaProps): JSX.Element =>
  id === undefined ? <FormList /> : <FormPage id={id} versionId={query.version} />;
