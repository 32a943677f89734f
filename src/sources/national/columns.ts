/**
 * The columns of the national list by their headings, in French, Arabic and English, with any
 * accents, vowels or punctuation. The first row that names a column of names and one other is the
 * heading; the text above it is the title. A further heading begins a table of its own.
 */
import { foldText } from '#platform/foldText';
import { PROGRAMMES } from '../properties.ts';

export type Role =
  | 'rank'
  | 'reference'
  | 'name'
  | 'personName'
  | 'bodyName'
  | 'lastName'
  | 'firstName'
  | 'alias'
  | 'type'
  | 'birthDate'
  | 'birthPlace'
  | 'birth'
  | 'nationality'
  | 'nationalId'
  | 'passport'
  | 'taxId'
  | 'registration'
  | 'address'
  | 'listedOn'
  | { readonly property: string };

/** One heading a text; several say the same. */
const HEADINGS: readonly (readonly [Role, readonly string[]])[] = [
  [
    'rank',
    [
      'N°',
      'No',
      'Nr',
      'Numéro',
      "N° d'ordre",
      'Rang',
      'الرقم',
      'رقم',
      'ع ر',
      'عدد',
      'الرقم الترتيبي',
    ],
  ],
  ['reference', ['Référence', 'Identifiant', 'Réf', 'Reference', 'ID', 'المرجع', 'المعرف']],
  [
    'personName',
    [
      ...['Nom et prénom', 'Nom et prénoms', 'Nom & prénom', 'Prénom et nom', 'Full name'],
      ...['الاسم واللقب', 'الإسم واللقب', 'الاسم و اللقب', 'الإسم و اللقب', 'اللقب والاسم'],
    ],
  ],
  ['name', ['Nom complet', 'Name', 'الاسم الكامل', 'Nom ou dénomination', 'Désignation']],
  [
    'bodyName',
    [
      'Dénomination',
      'Raison sociale',
      'Dénomination sociale',
      'Organisation',
      'Entité',
      'Entity',
      'التسمية',
      'التنظيم',
      'الكيان',
      'التسمية الاجتماعية',
    ],
  ],
  ['lastName', ['Nom', 'Nom de famille', 'Last name', 'Surname', 'Family name', 'اللقب']],
  ['firstName', ['Prénom', 'Prénoms', 'First name', 'Given name', 'الاسم', 'الإسم']],
  [
    'alias',
    [
      'Alias',
      'Dit',
      'Surnom',
      'Pseudonyme',
      'Autres noms',
      'Aliases',
      'Also known as',
      'AKA',
      'الكنية',
      'الشهرة',
      'اسم الشهرة',
      'أسماء أخرى',
      'الأسماء المستعارة',
    ],
  ],
  ['type', ['Type', 'Nature', 'Catégorie', 'Category', 'الصنف', 'النوع', 'الطبيعة']],
  [
    'birthDate',
    [
      'Date de naissance',
      'Né le',
      'Date of birth',
      'DOB',
      'تاريخ الولادة',
      'تاريخ الميلاد',
      'مولود في',
    ],
  ],
  ['birthPlace', ['Lieu de naissance', 'Place of birth', 'مكان الولادة', 'مكان الميلاد']],
  [
    'birth',
    [
      'Date et lieu de naissance',
      'Date and place of birth',
      'تاريخ ومكان الولادة',
      'تاريخ و مكان الولادة',
      'تاريخ ومكان الميلاد',
    ],
  ],
  ['nationality', ['Nationalité', 'Nationalités', 'Nationality', 'الجنسية']],
  [
    'nationalId',
    [
      'CIN',
      'N° CIN',
      'Numéro CIN',
      "Carte d'identité nationale",
      "Carte d'identité",
      'N° de la CIN',
      'National ID',
      'ID card',
      'بطاقة التعريف الوطنية',
      'رقم بطاقة التعريف الوطنية',
      'رقم بطاقة التعريف',
      'بطاقة التعريف',
      'ب ت و',
    ],
  ],
  [
    'passport',
    [
      'Passeport',
      'N° passeport',
      'N° de passeport',
      'Numéro de passeport',
      'Passport',
      'Passport number',
      'Passport No',
      'جواز السفر',
      'رقم جواز السفر',
      'عدد جواز السفر',
    ],
  ],
  [
    'taxId',
    ['Matricule fiscal', 'Matricule fiscale', 'Identifiant fiscal', 'Tax ID', 'المعرف الجبائي'],
  ],
  [
    'registration',
    [
      'Registre de commerce',
      'RNE',
      'Identifiant unique',
      'Registration number',
      'السجل التجاري',
      'المعرف الوحيد',
    ],
  ],
  [
    'address',
    [
      'Adresse',
      'Adresses',
      'Dernière adresse',
      'Dernière adresse connue',
      'Address',
      'العنوان',
      'آخر عنوان',
      'آخر عنوان معروف',
    ],
  ],
  [
    'listedOn',
    [
      "Date d'inscription",
      "Date de l'inscription",
      'Date de la décision',
      'Date de décision',
      'Listed on',
      'Date of listing',
      'تاريخ الإدراج',
      'تاريخ القرار',
    ],
  ],
  [
    { property: 'decision' },
    [
      'Décision',
      'N° décision',
      'N° de la décision',
      'Décision n°',
      'Decision',
      'القرار',
      'عدد القرار',
      'رقم القرار',
    ],
  ],
  [
    { property: PROGRAMMES },
    [
      ...['Programme', 'Programme de sanctions', 'Régime', 'Régime de sanctions', 'Program'],
      ...['Regime', 'Sanctions programme', 'Sanctions regime', 'نظام العقوبات'],
    ],
  ],
  [{ property: 'reason' }, ['Motif', 'Motifs', 'Reason', 'Reasons', 'السبب', 'الأسباب', 'الموجب']],
  [{ property: 'father_name' }, ['Nom du père', 'Père', "Father's name", 'اسم الأب', 'إسم الأب']],
  [
    { property: 'mother_name' },
    ['Nom de la mère', 'Mère', "Mother's name", 'اسم الأم', 'إسم الأم', 'اسم ولقب الأم'],
  ],
  [{ property: 'gender' }, ['Sexe', 'Genre', 'Gender', 'Sex', 'الجنس']],
  [{ property: 'profession' }, ['Profession', 'Occupation', 'المهنة']],
  [
    { property: 'remarks' },
    ['Observations', 'Remarques', 'Remarks', 'Notes', 'ملاحظات', 'الملاحظات'],
  ],
];

const byHeading = new Map<string, Role>();
for (const [role, headings] of HEADINGS) {
  for (const heading of headings) byHeading.set(foldHeading(heading), role);
}
const NAME_ROLES: readonly Role[] = ['personName', 'name', 'bodyName', 'lastName'];

/** Undefined for a heading that the table does not know. */
export const roleOfHeading = (text: string): Role | undefined => byHeading.get(foldHeading(text));

/** By position; a column whose heading is unknown is a property under its own heading. */
export function rolesOf(cells: readonly string[]): readonly (Role | undefined)[] | undefined {
  const roles = cells.map((cell) => roleOfHeading(cell));
  const known = roles.filter((role) => role !== undefined);
  const hasName = known.some((role) => NAME_ROLES.includes(role));
  return hasName && known.length >= 2 ? roles : undefined;
}

/** A number, or a date in numbers: no heading. */
const VALUE = /^\p{Nd}[\p{Nd} /.-]*$/u;
/** Headings that are also what a cell says: of a type, or yes and no. */
const ALSO_VALUES = new Set(
  ['No', 'Organisation', 'Entité', 'Entity', 'التنظيم', 'الكيان'].map(foldHeading),
);
const isAlsoValue = (cell: string): boolean => ALSO_VALUES.has(foldHeading(cell));
const isRankHeading = (cell = ''): boolean => roleOfHeading(cell) === 'rank' && !isAlsoValue(cell);
/** Words that stand in no data row, even where they are the only known heading. */
const HEADINGS_ALONE: readonly (Role | undefined)[] = [
  ...(['personName', 'birthDate', 'birthPlace', 'birth', 'nationality'] as const),
  ...(['taxId', 'registration', 'address', 'listedOn'] as const),
];

/**
 * Whether a row among data is the heading of a further table, and whether it is known. A row that
 * only resembles a heading is `unknown`: read as data, it would be a sanctioned party.
 */
export function furtherHeading(cells: readonly string[]): 'known' | 'unknown' | undefined {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (filled.some((cell) => VALUE.test(cell))) return undefined;
  const roles = filled.map((cell) => roleOfHeading(cell));
  const knownCount = roles.filter((role) => role !== undefined).length;
  if (knownCount >= 2) {
    const isPlain = filled.some((cell, at) => roles[at] !== undefined && !isAlsoValue(cell));
    return isPlain && rolesOf(cells) && knownCount * 2 >= filled.length ? 'known' : 'unknown';
  }
  const isRanked = filled.length >= 2 && [filled[0], filled.at(-1)].some(isRankHeading);
  const isAlone = filled.length >= 3 && roles.some((role) => HEADINGS_ALONE.includes(role));
  return isRanked || isAlone ? 'unknown' : undefined;
}

/** At least three cells after a bare number: a numbered row, and no title. */
export function isNumberedRow(cells: readonly string[]): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  // A PDF in Arabic has its first column on the right; elsewhere that may be a page's number.
  const isArabic = filled.some((cell) => /\p{Script=Arabic}/u.test(cell));
  const first = isArabic && !/^\p{Nd}/u.test(filled[0] ?? '') ? filled.at(-1) : filled[0];
  return filled.length >= 3 && /^\p{Nd}{1,6}$/u.test(first ?? '');
}

/**
 * Folds a heading: hamzas, vowel signs and letters that typists mix up do not distinguish headings.
 */
function foldHeading(text: string): string {
  const folded = foldText(text.replaceAll('°', ' '))
    .replace(/[أإآٱ]/g, 'ا')
    .replaceAll('ى', 'ي')
    .replaceAll('ة', 'ه')
    .replaceAll('ـ', '');
  return folded.replace(/^n o?\b ?/, 'n ').trim();
}
