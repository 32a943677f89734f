/** Who did something, as records name actors: by the name of a person where the page knows it. */
import { createContext, type JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { useI18n } from '../i18n/index.ts';
import { useCaller } from '../session.ts';
import { Code, Data } from './data.tsx';

/** Names by actor, for the pages below. */
export const NamesContext = createContext<ReadonlyMap<string, string>>(new Map());

export function Who({ actor }: { readonly actor: string }): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const name = useContext(NamesContext).get(actor);
  const own = caller.person;
  if (actor === own.actor || actor === own.person_id) return <>{t('me')}</>;
  return name === undefined ? <Code text={actor} /> : <Data text={name} />;
}
