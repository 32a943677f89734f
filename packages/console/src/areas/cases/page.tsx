/** Cases of identity verification: the list, or one of them. */
import type { JSX } from 'preact';
import { get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { NamesContext } from '../../parts/who.tsx';
import { may, useCaller } from '../../session.ts';
import { CaseList } from './caseList.tsx';
import { CasePage } from './casePage.tsx';
import { AssigneesContext } from './people.ts';
import type { Assignee } from './types.ts';

/** Who may assign cases is told who works on them, and so sees names where others see ids. */
export function Page({ id, query }: AreaProps): JSX.Element {
  const mayAssign = may(useCaller(), 'assignCases');
  const people = useLoad('assignees', async (signal) =>
    mayAssign
      ? (await get<{ readonly data: readonly Assignee[] }>('/v1/kyc/assignees', {}, signal)).data
      : [],
  );
  const all = people.data ?? [];
  const names = new Map(all.map(({ name, person_id }) => [`person:${person_id}`, name] as const));
  return (
    <AssigneesContext.Provider value={{ ...people, data: all }}>
      <NamesContext.Provider value={names}>
        {id === undefined ? <CaseList query={query} /> : <CasePage id={id} />}
      </NamesContext.Provider>
    </AssigneesContext.Provider>
  );
}
