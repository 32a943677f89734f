/**
 * A rule as its document. What is wrong with it is told by the API, all at once and by pointer; a
 * violation leads to its place in the text.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change, get } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code } from '../../parts/data.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Failure, PageFrame, Ready } from '../../parts/frame.tsx';
import { JsonField } from '../../parts/jsonField.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Problem } from '../../problem.ts';
import { go, routeTo } from '../../router.ts';
import { EMPTY_RULE } from './emptyRule.ts';
import { useI18n } from './i18n.ts';
import { RULES, type RuleVersion, versionPath } from './types.ts';

interface EditorProps {
  readonly id: string;
  /** A further version, of what this one says. */
  readonly isNext: boolean;
  readonly version: string;
}

export function RuleEditor({ id, isNext, version }: EditorProps): JSX.Element {
  const { t } = useI18n();
  const isNew = version === '';
  const found = useLoad(`${id}/${version}`, async (signal) =>
    isNew
      ? undefined
      : get<RuleVersion>(versionPath({ rule_id: id, version: Number(version) }), {}, signal),
  );
  const back = isNew ? routeTo('rules') : routeTo('rules', id, { version });
  return (
    <PageFrame title={t(isNew ? 'draftRule' : 'editRule')}>
      <p class="ways">
        <a href={back}>{t(isNew ? 'backToRules' : 'backToRule')}</a>
      </p>
      {isNew ? (
        <Editor back={back} of={undefined} />
      ) : (
        <Ready of={found}>{(one) => <Editor back={back} isNext={isNext} of={one} />}</Ready>
      )}
    </PageFrame>
  );
}

const INDENT = 2;
const HEAD = '/content';

function Editor({
  back,
  isNext = false,
  of,
}: {
  readonly back: string;
  readonly isNext?: boolean;
  readonly of: RuleVersion | undefined;
}): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [text, setText] = useState(() => JSON.stringify(of?.content ?? EMPTY_RULE, null, INDENT));
  const [why, setWhy] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const violations = error instanceof Problem ? error.errors : [];

  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const body = { content: JSON.parse(text) as object, justification: why };
      const isKept = of !== undefined && !isNext;
      const made = isKept
        ? await change<RuleVersion>('PUT', versionPath(of), body, { 'If-Match': of.etag })
        : await change<RuleVersion>('POST', RULES, body);
      toast(t('ruleSaved'));
      go(routeTo('rules', made.rule_id, { version: String(made.version) }));
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="fields one-column" onSubmit={save}>
      <JsonField
        head={HEAD}
        label={t('ruleDocument')}
        onInput={setText}
        value={text}
        violations={violations}
      />
      <p class="hint">
        {t('ruleLanguage')} <Code text="tm-rule-v1" />: docs/rules.md
      </p>
      <TextField isLong isRequired label={t('why')} onInput={setWhy} value={why} />
      {error === undefined ? null : <Failure error={error} />}
      <div class="actions">
        <button class="primary" disabled={isBusy} type="submit">
          {t('save')}
        </button>
        <a href={back}>{t('cancel')}</a>
      </div>
    </form>
  );
}
