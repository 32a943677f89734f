/** One name against the lists in force: the verdict, its hits, and why each is one. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import { Code, Data, Score } from '../parts/data.tsx';
import { Choice, TextField } from '../parts/fields.tsx';
import { Failure, PageFrame } from '../parts/frame.tsx';
import { useToast } from '../parts/toast.tsx';
import { Why } from '../parts/why.tsx';
import { Decision } from '../parts/words.tsx';
import { routeTo } from '../router.ts';
import { may, useCaller } from '../session.ts';
import type { Verdict } from '../types.ts';

/** Names of the shipped list, all invented. */
const EXAMPLES = ['Tarek Velmorani', 'طارق فلموراني'];

interface Asked {
  readonly name: string;
  readonly type: string;
  readonly dob: string;
  readonly nationality: string;
}

const bodyOf = ({ dob, name, nationality, type }: Asked): Record<string, string> => ({
  name,
  ...(type !== '' && { type }),
  ...(dob !== '' && { dob }),
  ...(nationality !== '' && { nationality: nationality.toUpperCase() }),
});

export function ScreenPage(): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const [asked, setAsked] = useState<Asked>({ dob: '', name: '', nationality: '', type: '' });
  const [verdict, setVerdict] = useState<Verdict>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const set = (part: Partial<Asked>): void => setAsked({ ...asked, ...part });

  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const path = '/v1/sanctions/screen?explain=true';
      setVerdict(await change<Verdict>('POST', path, bodyOf(asked)));
    } catch (failure) {
      setVerdict(undefined);
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(curlOf(asked));
    toast(t('copied'));
  };
  return (
    <PageFrame title={t('screenTitle')}>
      <form class="panel fields" onSubmit={submit}>
        <TextField
          isRequired
          label={t('screenName')}
          onInput={(name) => set({ name })}
          value={asked.name}
        />
        <Choice
          choices={[
            ['', t('typeAny')],
            ['Person', t('typePerson')],
            ['Company', t('typeCompany')],
          ]}
          label={t('screenType')}
          onChange={(type) => set({ type })}
          value={asked.type}
        />
        <TextField
          dir="ltr"
          hint={t('dobHint')}
          label={t('dob')}
          onInput={(dob) => set({ dob })}
          value={asked.dob}
        />
        <TextField
          dir="ltr"
          hint={t('nationalityHint')}
          label={t('nationality')}
          onInput={(nationality) => set({ nationality })}
          value={asked.nationality}
        />
        <div class="actions">
          <button class="primary" disabled={isBusy} type="submit">
            {t('screenSubmit')}
          </button>
          <button onClick={copy} type="button">
            {t('copyCurl')}
          </button>
        </div>
        <p class="hint">
          {t('screenExample')}{' '}
          {EXAMPLES.map((name) => (
            <button class="link" key={name} onClick={() => set({ name })} type="button">
              <Data text={name} />
            </button>
          ))}
        </p>
      </form>
      <div aria-live="polite">
        {error === undefined ? null : <Failure error={error} />}
        {verdict === undefined ? null : <Answer of={verdict} />}
      </div>
    </PageFrame>
  );
}

function Answer({ of }: { readonly of: Verdict }): JSX.Element {
  const { number, plural, t } = useI18n();
  const caller = useCaller();
  return (
    <section aria-labelledby="verdict">
      <h2 id="verdict">
        {t('verdict')}: <Decision of={of.decision} />
      </h2>
      <p>
        {of.hits.length === 0 ? t('noHits') : plural('hits', of.hits.length)} ·{' '}
        <span class="nowrap">{number(of.took_ms, 1)} ms</span> ·{' '}
        {may(caller, 'evidence') ? (
          <a href={routeTo('screenings', of.screening_id)}>
            {t('evidenceLink')} {number(of.audit.seq)}
          </a>
        ) : null}
      </p>
      {of.hits.map((hit) => (
        <article class="panel" key={hit.candidate.ftm_id}>
          <h3>
            <Data text={hit.candidate.primary_name} /> <Decision of={hit.typology} />
          </h3>
          <p>
            {t('score')} <Score value={hit.directScore} /> ·{' '}
            <Data text={hit.candidate.source_lists_hits.map(({ list }) => list).join(', ')} /> ·{' '}
            <Code text={hit.candidate.ftm_id} />
          </p>
          <details>
            <summary>{t('why')}</summary>
            <Why hit={hit} />
          </details>
        </article>
      ))}
    </section>
  );
}

/** One line; the key is the reader's own. */
function curlOf(asked: Asked): string {
  const body = JSON.stringify(bodyOf(asked)).replaceAll("'", "'\\''");
  return [
    `curl -sS '${location.origin}/v1/sanctions/screen?explain=true'`,
    `-H "X-API-Key: $KEY"`,
    `-H 'Content-Type: application/json'`,
    '-H "Idempotency-Key: $(uuidgen)"',
    `-d '${body}'`,
  ].join(' ');
}
