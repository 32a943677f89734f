/** The mail that brings a customer a link: the workflow's own words, else these. */
import type { MailTemplate, WorkflowContent } from './workflowContent.ts';

/** Template of a link. */
export const LINK_TEMPLATE = 'onboarding_link';

const LINK_MAIL: MailTemplate = {
  ar: {
    subject: 'رابطكم لإتمام الملف',
    text: 'لمواصلة ملفكم افتحوا هذا الرابط خلال ثلاثين دقيقة: {link}',
  },
  en: {
    subject: 'Your link to go on',
    text: 'To go on with your application, open this link within thirty minutes: {link}',
  },
  fr: {
    subject: 'Votre lien pour continuer',
    text: 'Pour poursuivre votre dossier, ouvrez ce lien dans les trente minutes : {link}',
  },
};

/** The template of this name; undefined: there is none. */
export function mailTemplateOf(
  { email_templates: templates }: Pick<WorkflowContent, 'email_templates'>,
  name: string,
): MailTemplate | undefined {
  if (Object.hasOwn(templates, name)) return templates[name];
  return name === LINK_TEMPLATE ? LINK_MAIL : undefined;
}
