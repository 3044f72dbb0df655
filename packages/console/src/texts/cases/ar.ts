import type { CaseTexts } from './en.ts';

export const casesAr: CaseTexts = {
  'correct.button': 'تصحيح',
  'correct.of': 'تصحيح: {field}',
  'correct.title': 'تصحيح قيمة',
  'correct.lead':
    'اكتب ما تقوله الوثيقة. تبقى القيمة المقروءة محفوظة مع اسمك وسببك. تُجرى الفحوص من جديد، ويبقى القرار بيد إنسان.',
  'correct.value': 'ما تقوله الوثيقة',
  'correct.date': 'تاريخ بالصيغة YYYY-MM-DD',
  'correct.why': 'السبب',
  'correct.add': 'إضافة قيمة لم تُقرأ',
  'correct.save': 'حفظ وإعادة الفحص',
  'correct.done': 'صُحّحت القيمة وأُعيد فحص الحالة.',
  'correct.running': 'صُحّحت القيمة. بعض الخطوات تُنفَّذ من جديد، وتعود الحالة عند انتهائها.',
  'correct.changed': 'صحّح شخص آخر هذه القيمة. انظر إليها مرة أخرى.',
  'correct.tag': 'مصحَّحة',
  'correct.wasRead': 'المقروء',
  'correct.by': '{name}، {time}: {comment}',
  'correct.PASS': 'بالقيم المصحَّحة تقبل القواعد هذه الحالة.',
  'correct.FAIL': 'بالقيم المصحَّحة ترفض القواعد هذه الحالة.',
  'correct.REVIEW': 'حتى بالقيم المصحَّحة تترك القواعد هذه الحالة لإنسان.',
  'reopen.button': 'إعادة فتح',
  'reopen.title': 'إعادة فتح هذه الحالة',
  'reopen.lead':
    'لن تبقى النتيجة سارية: ينتظر التحقق مراجعًا من جديد. يُبلَّغ نظامك عبر خطاف ويب، ثم مرة أخرى عند صدور القرار.',
  'reopen.why': 'السبب',
  'reviews.REOPENED': 'أُعيد فتحها',
};
