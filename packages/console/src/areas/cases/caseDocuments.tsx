/**
 * Documents of a case, each beside the fields that were read in it. That somebody looks is an entry
 * of the chain, so a document is opened by hand, and its picture by hand again.
 */
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { get, send } from '../../http.ts';
import { useLoad } from '../../load.ts';
import { Code, CodeBlock, Data, Time } from '../../parts/data.tsx';
import { Choice } from '../../parts/fields.tsx';
import { Failure, Ready } from '../../parts/frame.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { saveAs } from '../../saveAs.ts';
import { may, useCaller } from '../../session.ts';
import { useI18n } from './i18n.ts';
import { CASES, type Case, type DocumentKind, KINDS, type ReadDocument } from './types.ts';
import { uploadDocument } from './uploadDocument.ts';

interface DocumentsProps {
  readonly of: Case;
  readonly onChanged: () => void;
}

export function CaseDocuments({ of, onChanged }: DocumentsProps): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const takesMore = ['awaiting_customer', 'manual_review', 'open', 'processing'].includes(
    of.status,
  );
  return (
    <section aria-labelledby="documents">
      <h2 id="documents">{t('documents')}</h2>
      {of.documents.length === 0 ? <p>{t('noDocuments')}</p> : null}
      {of.documents.map((one) => (
        <CaseDocument key={one.document_id} of={of} one={one} />
      ))}
      {takesMore && may(caller, 'workOnCases') ? <Upload of={of} onChanged={onChanged} /> : null}
    </section>
  );
}

function CaseDocument({
  of,
  one,
}: {
  readonly of: Case;
  readonly one: Case['documents'][number];
}): JSX.Element {
  const { t } = useI18n();
  const caller = useCaller();
  const [isOpen, setOpen] = useState(false);
  const name = t(`kind_${one.kind}`);
  return (
    <div class="panel">
      <h3>
        {name}
        {one.superseded_by === null ? null : <span class="tag">{t('isSuperseded')}</span>}
      </h3>
      <p>
        <Time at={one.uploaded_at} />
      </p>
      {!may(caller, 'seeDocuments') ? null : isOpen ? (
        <Opened caseId={of.case_id} documentId={one.document_id} subject={of.subject} />
      ) : (
        <>
          <button
            aria-label={`${t('lookAt')}: ${name}`}
            onClick={() => setOpen(true)}
            type="button"
          >
            {t('lookAt')}
          </button>
          <p class="hint">{t('lookHint')}</p>
        </>
      )}
    </div>
  );
}

function Opened({
  caseId,
  documentId,
  subject,
}: {
  readonly caseId: string;
  readonly documentId: string;
  readonly subject: Case['subject'];
}): JSX.Element {
  const path = `${CASES}/${caseId}/documents/${documentId}`;
  const found = useLoad(path, (signal) => get<ReadDocument>(path, {}, signal));
  return (
    <Ready of={found}>
      {(one) => (
        <div class="pair wide">
          <Picture of={one} path={path} />
          <Fields of={one} subject={subject} />
        </div>
      )}
    </Ready>
  );
}

const KIB = 1_024;

/** The bytes as they were uploaded: a picture is shown, a PDF is saved. */
function Picture({ of, path }: { readonly of: ReadDocument; readonly path: string }): JSX.Element {
  const { number, t } = useI18n();
  const [picture, setPicture] = useState<string>();
  const [error, setError] = useState<unknown>();
  const isPicture = of.media_type.startsWith('image/');
  const fetchIt = async (): Promise<void> => {
    setError(undefined);
    try {
      const bytes = await (await send(`/console/api${path}/content`)).blob();
      if (isPicture) setPicture(await dataUrl(bytes));
      else saveAs(bytes, `${of.kind}.pdf`);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <div>
      <dl class="facts">
        <dt>{t('type')}</dt>
        <dd>
          <Code text={of.media_type} /> · <span dir="ltr">{number(of.bytes / KIB, 1)} KiB</span>
        </dd>
        <dt>SHA-256</dt>
        <dd>
          <Code text={of.sha256} />
        </dd>
        <dt>{t('colStatus')}</dt>
        <dd>
          {t(`recognition_${of.recognition.status}`)} · {t(`scan_${of.scan}`)}
        </dd>
      </dl>
      {error === undefined ? null : <Failure error={error} />}
      {picture === undefined ? (
        <button onClick={fetchIt} type="button">
          {t(isPicture ? 'showPicture' : 'saveDocument')}
        </button>
      ) : (
        <img alt={t('pictureOf')} class="document" src={picture} />
      )}
    </div>
  );
}

/** The page's policy lets pictures in as data alone. */
const dataUrl = (bytes: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(bytes);
  });

/** By which comparison a field is judged, and against which statement. */
const JUDGED: Readonly<Record<string, { readonly by: string; readonly said: readonly string[] }>> =
  {
    dob: { by: 'dob', said: ['dob'] },
    document_number: { by: 'document_number', said: ['national_id'] },
    full_name: { by: 'name', said: ['full_name'] },
    given_names: { by: '', said: ['first_name'] },
    nationality: { by: 'nationality', said: ['nationality'] },
    surname: { by: '', said: ['last_name'] },
  };
const LOOKS: Readonly<Record<string, string>> = {
  match: 'agree',
  mismatch: 'differ',
  partial: 'partly',
};

function Fields({
  of: { recognition },
  subject,
}: {
  readonly of: ReadDocument;
  readonly subject: Case['subject'];
}): JSX.Element {
  const { percent, t } = useI18n();
  const { comparisons, fields, mrz, warnings } = recognition;
  const saidOf = (name: string): string => {
    const [member = ''] = JUDGED[name]?.said ?? [];
    const value = subject?.[member];
    return typeof value === 'string' ? value : '';
  };
  return (
    <div>
      {fields.length === 0 ? null : (
        <Table
          caption={t('documents')}
          heads={[t('colField'), t('asRead'), t('asSaid'), t('colAgrees')]}
        >
          {fields.map((field) => {
            const compared = comparisons.find(({ field: one }) => one === JUDGED[field.name]?.by);
            const said = saidOf(field.name);
            return (
              <tr key={`${field.name}/${field.source}`}>
                <th scope="row">{t(`field_${field.name as 'dob'}`)}</th>
                <td>
                  <Data text={field.value} />{' '}
                  <span class="muted">
                    ({t('confidence')} {percent(field.confidence)})
                  </span>
                </td>
                <td>{said === '' ? '–' : <Data text={said} />}</td>
                <td>
                  {compared === undefined ? (
                    '–'
                  ) : (
                    <span class={`mark ${LOOKS[compared.result] ?? ''}`}>
                      {t(`result_${compared.result}`)}
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </Table>
      )}
      {mrz === null ? null : (
        <>
          <p>
            {t('zone')}:{' '}
            <span class={`mark ${mrz.valid ? 'agree' : 'differ'}`}>
              {t(mrz.valid ? 'zoneValid' : 'zoneInvalid')}
            </span>
          </p>
          <CodeBlock label={t('zone')} text={mrz.lines.join('\n')} />
        </>
      )}
      {warnings.map((one) => (
        <p class="notice" key={one}>
          <Code text={one} />
        </p>
      ))}
    </div>
  );
}

function Upload({ of, onChanged }: DocumentsProps): JSX.Element {
  const { t } = useI18n();
  const toast = useToast();
  const id = useId();
  const [kind, setKind] = useState<DocumentKind>('passport');
  const [file, setFile] = useState<File>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (file === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      await uploadDocument(of.case_id, kind, file);
      toast(t('uploaded'));
      onChanged();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <details>
      <summary>{t('upload')}</summary>
      <form class="fields" onSubmit={submit}>
        <Choice
          choices={KINDS.map((one) => [one, t(`kind_${one}`)] as const)}
          label={t('uploadKind')}
          onChange={(one) => setKind(one as DocumentKind)}
          value={kind}
        />
        <div class="field">
          <label for={id}>{t('uploadFile')}</label>
          <input
            accept="image/jpeg,image/png,application/pdf"
            id={id}
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
            required
            type="file"
          />
        </div>
        {error === undefined ? null : <Failure error={error} />}
        <div class="actions">
          <button class="primary" disabled={isBusy} type="submit">
            {t('upload')}
          </button>
        </div>
      </form>
    </details>
  );
}
