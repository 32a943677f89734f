/** Arabic, of what several areas or pages share. */
import type { sharedEn } from './en.ts';

export const sharedAr: Readonly<Record<keyof typeof sharedEn, string>> = {
  sameContent: 'لا فرق.',
  colMember: 'العنصر',
  waitsForSignatures: 'طُلبت التوقيعات: انظر الطلب.',
  askSignatures: 'طلب التوقيعات',
  coming: '…',
  savedFilters: 'المرشحات المحفوظة',
  saveFilters: 'حفظ هذه المرشحات',
  filterName: 'اسم المرشحات',
  filtersNotKept: 'لا يسمح هذا المتصفح للمنصة بحفظ أي شيء: لم تُحفظ المرشحات.',
  removeFilter: 'حذف {name}',
  writtenBy: 'أعدّه',
  effectiveAt: 'تاريخ النفاذ',
  colUpdated: 'آخر تغيير',
  editDraft: 'تعديل',
  savedDraft: 'تم الحفظ.',
  asTable: 'في جدول',
  justification: 'السبب',
  signatureRole: 'الدور',
  signedBy: 'وقّعها',
};
