/** Tax reporting: an overview, one declaration, or the accounts of an institution. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { AccountsPage } from './accountsPage.tsx';
import { DeclarationPage } from './declarationPage.tsx';
import { Overview } from './overview.tsx';

export function Page({ id, query }: AreaProps): JSX.Element {
  if (id !== undefined) return <DeclarationPage id={id} />;
  return query.giin === undefined ? <Overview /> : <AccountsPage giin={query.giin} query={query} />;
}
