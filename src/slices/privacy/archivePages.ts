/**
 * The two pages of an archive that a person reads: what is in it, and his rights. They open without
 * a network, in French, Arabic and English.
 */
import { toTimestamp } from '#platform/clock';
import type { PrivacyRequest } from './tables.ts';

/** One file, as the manifest names it. */
export interface ArchiveFile {
  readonly entry: string;
  /** What it is; the entry is only a number. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
};
const escaped = (text: string): string =>
  text.replaceAll(/["&'<>]/g, (one) => CHARACTERS[one] ?? '');

const page = (title: string, body: string): string =>
  `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
td,th{text-align:start;padding:.2em .8em;border-bottom:1px solid #ccc}</style></head>
<body>${body}</body></html>
`;

const TITLES =
  '<h1>Vos données personnelles</h1><h1 dir="rtl" lang="ar">بياناتكم الشخصية</h1>' +
  '<h1 lang="en">Your personal data</h1>';
const HEADINGS = ['Fichier / File / الملف', 'Contenu / Content / المحتوى', 'Octets / Bytes']
  .map((text) => `<th>${text}</th>`)
  .join('');
const NOTHING =
  '<p>Aucune donnée n’est conservée. No data is held.</p>' +
  '<p dir="rtl" lang="ar">لا توجد بيانات محفوظة.</p>';

/** Which document stands behind which number: the directory of a ZIP is not encrypted. */
export function indexPage(
  { receivedAt, requestId }: Pick<PrivacyRequest, 'receivedAt' | 'requestId'>,
  files: readonly ArchiveFile[],
): string {
  const rows = files.map(({ bytes, entry, name }) => {
    const cells = [`<a href="${entry}">${entry}</a>`, escaped(name), String(bytes)];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const table = `<table><tr>${HEADINGS}</tr>\n${rows.join('\n')}</table>`;
  const body = [
    TITLES,
    `<p>${escaped(requestId)} · ${toTimestamp(receivedAt)}</p>`,
    files.length === 0 ? NOTHING : table,
    '<p><a href="rights.html">Vos droits / حقوقكم / Your rights</a></p>',
  ];
  return page('Données personnelles / Personal data', body.join('\n'));
}

/** The rights of a person, in one language. */
interface Rights {
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly title: string;
  readonly text: string;
}

const RIGHTS: readonly Rights[] = [
  {
    dir: 'ltr',
    lang: 'fr',
    text:
      'Vous pouvez demander l’accès à vos données, leur rectification, leur effacement, la ' +
      'limitation de leur traitement, et vous opposer à un traitement fondé sur l’intérêt ' +
      'légitime. Les contrôles exigés par la loi (sanctions, lutte contre le blanchiment, audit) ' +
      'continuent et leurs données sont conservées aussi longtemps que la loi l’exige. Vous ' +
      'pouvez saisir l’autorité de protection des données.',
    title: 'Vos droits',
  },
  {
    dir: 'rtl',
    lang: 'ar',
    text:
      'يمكنكم طلب الاطلاع على بياناتكم وتصحيحها ومحوها وتقييد معالجتها، والاعتراض على ' +
      'المعالجة القائمة على المصلحة المشروعة. تستمر عمليات الرقابة التي يفرضها القانون ' +
      'وتُحفظ بياناتها طالما اقتضى القانون ذلك. ويمكنكم التوجه إلى هيئة حماية البيانات.',
    title: 'حقوقكم',
  },
  {
    dir: 'ltr',
    lang: 'en',
    text:
      'You may ask for access to your data, its rectification, its erasure, the restriction of ' +
      'its processing, and oppose processing that is based on legitimate interest. Checks that ' +
      'the law demands (sanctions, money laundering, audit) go on, and their data is kept as ' +
      'long as the law demands. You may turn to the data protection authority.',
    title: 'Your rights',
  },
];

export const rightsPage = (): string =>
  page(
    'Droits / Rights',
    RIGHTS.map(({ dir, lang, text, title }) => {
      const body = `<h1>${escaped(title)}</h1><p>${escaped(text)}</p>`;
      return `<section lang="${lang}" dir="${dir}">${body}</section>`;
    }).join('\n'),
  );
