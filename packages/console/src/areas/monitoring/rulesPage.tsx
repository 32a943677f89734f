/** Rules: all of them, or one version of one. */
import type { JSX } from 'preact';
import type { AreaProps } from '../../parts/areaPage.tsx';
import { RuleEditor } from './ruleEditor.tsx';
import { RuleList } from './ruleList.tsx';
import { RulePage } from './rulePage.tsx';

export function Page({ id, query }: AreaProps): JSX.Element {
  if (id === undefined) return <RuleList query={query} />;
  const { edit, version } = query;
  if (edit !== undefined) {
    return <RuleEditor id={id} isNext={edit === 'next'} version={version ?? ''} />;
  }
  return <RulePage id={id} version={version} />;
}
