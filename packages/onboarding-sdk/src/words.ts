/** What the page itself says; all else comes from the form. */
import type { FormLanguage } from '../../../src/slices/forms/definition.ts';

const ENGLISH = {
  back: 'Back',
  choose: 'Choose…',
  chosen: 'Received',
  continue: 'Continue',
  done: 'Thank you. We have received your details.',
  doneMore: 'We will write to you about what follows. You can close this page.',
  endedTitle: 'This link opens nothing any more',
  ended:
    'It has expired, was used, or was replaced by a newer one. We can send a new link to the address that we know of you.',
  failed: 'That did not work. Check your connection and try again.',
  file: 'JPEG, PNG or PDF, 15 MB at most',
  fileRefused: 'This file was not accepted. Choose another one.',
  language: 'Language',
  loading: 'One moment…',
  missing: 'Please complete this field.',
  no: 'No',
  old: 'This page is out of date. Load it again.',
  optional: 'optional',
  problems: 'Please look at these fields:',
  regenerate: 'Send a new link',
  regenerated: 'If your file is still open, a new link is on its way to the address that we know.',
  return: 'Go on',
  save: 'Save and go on later',
  saved: 'Saved.',
  step: 'Step {at} of {of}',
  submit: 'Send',
  uploading: 'Sending the file…',
  wrong: 'This value is not accepted.',
  yes: 'Yes',
};

/** The words of one language. */
export type Words = Readonly<typeof ENGLISH>;

const FRENCH: Words = {
  back: 'Retour',
  choose: 'Choisir…',
  chosen: 'Reçu',
  continue: 'Continuer',
  done: 'Merci. Nous avons reçu vos informations.',
  doneMore: 'Nous vous écrirons pour la suite. Vous pouvez fermer cette page.',
  endedTitle: 'Ce lien n’ouvre plus rien',
  ended:
    'Il a expiré, a été utilisé ou remplacé par un plus récent. Nous pouvons envoyer un nouveau lien à l’adresse que nous connaissons.',
  failed: 'Cela n’a pas abouti. Vérifiez votre connexion et réessayez.',
  file: 'JPEG, PNG ou PDF, 15 Mo au plus',
  fileRefused: 'Ce fichier n’a pas été accepté. Choisissez-en un autre.',
  language: 'Langue',
  loading: 'Un instant…',
  missing: 'Veuillez remplir ce champ.',
  no: 'Non',
  old: 'Cette page n’est plus à jour. Rechargez-la.',
  optional: 'facultatif',
  problems: 'Veuillez vérifier ces champs :',
  regenerate: 'Envoyer un nouveau lien',
  regenerated:
    'Si votre dossier est encore ouvert, un nouveau lien part à l’adresse que nous connaissons.',
  return: 'Continuer',
  save: 'Enregistrer et continuer plus tard',
  saved: 'Enregistré.',
  step: 'Étape {at} sur {of}',
  submit: 'Envoyer',
  uploading: 'Envoi du fichier…',
  wrong: 'Cette valeur n’est pas acceptée.',
  yes: 'Oui',
};

const ARABIC: Words = {
  back: 'رجوع',
  choose: 'اختر…',
  chosen: 'تم الاستلام',
  continue: 'متابعة',
  done: 'شكرا لكم. لقد استلمنا معلوماتكم.',
  doneMore: 'سنراسلكم بشأن ما يلي. يمكنكم إغلاق هذه الصفحة.',
  endedTitle: 'لم يعد هذا الرابط صالحا',
  ended:
    'انتهت صلاحيته أو استُعمل أو حلّ محله رابط أحدث. يمكننا إرسال رابط جديد إلى العنوان المسجل لدينا.',
  failed: 'لم تنجح العملية. تحققوا من الاتصال وأعيدوا المحاولة.',
  file: 'JPEG أو PNG أو PDF، خمسة عشر ميغابايت على الأكثر',
  fileRefused: 'لم يُقبل هذا الملف. اختاروا ملفا آخر.',
  language: 'اللغة',
  loading: 'لحظة…',
  missing: 'يرجى ملء هذه الخانة.',
  no: 'لا',
  old: 'هذه الصفحة قديمة. أعيدوا تحميلها.',
  optional: 'اختياري',
  problems: 'يرجى مراجعة هذه الخانات:',
  regenerate: 'إرسال رابط جديد',
  regenerated: 'إذا كان ملفكم لا يزال مفتوحا فسيصل رابط جديد إلى العنوان المسجل لدينا.',
  return: 'متابعة',
  save: 'حفظ والمتابعة لاحقا',
  saved: 'تم الحفظ.',
  step: 'المرحلة {at} من {of}',
  submit: 'إرسال',
  uploading: 'جار إرسال الملف…',
  wrong: 'هذه القيمة غير مقبولة.',
  yes: 'نعم',
};

export const WORDS: Readonly<Record<FormLanguage, Words>> = {
  ar: ARABIC,
  en: ENGLISH,
  fr: FRENCH,
};

/** Names of languages, each in its own. */
export const LANGUAGE_NAMES: Readonly<Record<FormLanguage, string>> = {
  ar: 'العربية',
  en: 'English',
  fr: 'Français',
};

/** The first of the customer's languages that we write; else French. */
export const languageOf = (
  wanted: readonly string[],
  known: readonly FormLanguage[] = ['fr', 'ar', 'en'],
): FormLanguage =>
  wanted
    .map((one) => known.find((language) => one.toLowerCase().startsWith(language)))
    .find((one) => one !== undefined) ??
  known[0] ??
  'fr';
