/** Reports to the authority: those that exist for the caller, one of them, or a new one. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { DraftReport } from './draftReport.tsx';
import { ReportList } from './reportList.tsx';
import { ReportPage } from './reportPage.tsx';

export function Page({ id, query }: AreaProps): JSX.Element {
  if (id === undefined) return <ReportList query={query} />;
  return id === 'new' ? <DraftReport query={query} /> : <ReportPage id={id} />;
}
