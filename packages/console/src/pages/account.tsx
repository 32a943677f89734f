/** What a person chooses for this browser, where they are signed in, and the key they sign with. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ask } from '../http.ts';
import { useI18n } from '../i18n/index.ts';
import type { Language } from '../i18n/language.ts';
import { useLoad } from '../load.ts';
import { Code, CodeBlock, Data, Time } from '../parts/data.tsx';
import { Choice } from '../parts/fields.tsx';
import { Failure, PageFrame, Ready } from '../parts/frame.tsx';
import { Table } from '../parts/table.tsx';
import { areKeysOn, chooseTheme, chosenTheme, switchKeys, type Theme } from '../preferences.ts';
import { useCaller } from '../session.ts';
import { type KeptKey, keptKey, makeKey } from '../signingKey.ts';
import type { Session } from '../types.ts';

const LANGUAGE_NAMES = [
  ['en', 'English'],
  ['fr', 'Français'],
  ['ar', 'العربية'],
] as const;

export function AccountPage({
  onLanguage,
}: {
  readonly onLanguage: (language: Language) => void;
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  return (
    <PageFrame title={t('accountTitle')}>
      <dl class="panel facts">
        <dt>{t('you')}</dt>
        <dd>
          <Data text={caller.person.name} />
        </dd>
        <dt>{t('roles')}</dt>
        <dd>
          <Code text={caller.person.roles.join(', ')} />
        </dd>
      </dl>
      <Preferences onLanguage={onLanguage} />
      <Sessions />
      {caller.person.person_id === null ? null : <SigningKey personId={caller.person.person_id} />}
    </PageFrame>
  );
}

function Preferences({
  onLanguage,
}: {
  readonly onLanguage: (language: Language) => void;
}): JSX.Element {
  const { language, t } = useI18n();
  const [theme, setTheme] = useState(chosenTheme());
  const [isOn, setOn] = useState(areKeysOn());
  return (
    <form class="panel fields">
      <Choice
        choices={LANGUAGE_NAMES}
        label={t('language')}
        onChange={(one) => onLanguage(one as Language)}
        value={language}
      />
      <Choice
        choices={[
          ['auto', t('themeAuto')],
          ['light', t('themeLight')],
          ['dark', t('themeDark')],
        ]}
        label={t('theme')}
        onChange={(one) => {
          chooseTheme(one as Theme);
          setTheme(one as Theme);
        }}
        value={theme}
      />
      <label class="choice">
        <input
          checked={isOn}
          onChange={(event) => {
            switchKeys(event.currentTarget.checked);
            setOn(event.currentTarget.checked);
          }}
          type="checkbox"
        />
        {t('keysOn')}
      </label>
    </form>
  );
}

function Sessions(): JSX.Element {
  const { t } = useI18n();
  const [error, setError] = useState<unknown>();
  const sessions = useLoad('sessions', () => ask<{ data: readonly Session[] }>('sessions'));
  const end = ({ is_this, session_id }: Session): void => {
    ask('end', { session_id }).then(() => {
      if (is_this) location.reload();
      else sessions.again();
    }, setError);
  };
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">{t('sessions')}</h2>
      {error === undefined ? null : <Failure error={error} />}
      <Ready of={sessions}>
        {({ data }) => (
          <Table
            caption={t('sessions')}
            heads={[t('colBegan'), t('colSeen'), t('colEnds'), t('endSession')]}
          >
            {data.map((one) => (
              <tr key={one.session_id}>
                <td>
                  <Time at={one.created_at} />{' '}
                  {one.is_this ? <strong>({t('thisSession')})</strong> : null}
                </td>
                <td>
                  <Time at={one.seen_at} />
                </td>
                <td>
                  <Time at={one.expires_at} />
                </td>
                <td>
                  <button onClick={() => end(one)} type="button">
                    {t(one.is_this ? 'signOut' : 'endSession')}
                  </button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Ready>
    </section>
  );
}

function SigningKey({ personId }: { readonly personId: string }): JSX.Element {
  const { t } = useI18n();
  const { tenant } = useCaller();
  const [key, setKey] = useState<KeptKey>();
  const [isUnsupported, setUnsupported] = useState(false);
  useEffect(() => {
    keptKey(personId).then(setKey, () => setUnsupported(true));
  }, [personId]);
  const make = (): void => {
    makeKey(personId).then(setKey, () => setUnsupported(true));
  };
  const line =
    key === undefined
      ? ''
      : 'npm run --silent cli -- person key add ' +
        `--tenant ${tenant.tenant_id} --person ${personId} --public-key ${key.publicKey}`;
  return (
    <section aria-labelledby="signing-key">
      <h2 id="signing-key">{t('signingKey')}</h2>
      {isUnsupported ? <p class="notice bad">{t('keyUnsupported')}</p> : null}
      {key === undefined ? null : (
        <>
          <p>{t('keyText')}</p>
          <CodeBlock label={t('signingKey')} text={line} />
        </>
      )}
      <button onClick={make} type="button">
        {t(key === undefined ? 'makeKey' : 'makeNewKey')}
      </button>
    </section>
  );
}
