import { type MailTexts, type OperatorMail, writeOperatorMail } from './operator-mail.ts';

/** Why an operator is told of a case. */
export type CaseOccasion = 'ASSIGNED' | 'MENTIONED';

const TEXTS: Readonly<Record<CaseOccasion, MailTexts>> = {
  ASSIGNED: {
    en: {
      subject: 'A case of {tenant} was assigned to you',
      lead: 'A colleague has assigned a case to you. Nobody else can decide it for 24 hours.',
      button: 'Open the case',
      end: 'You receive this because you are an operator of {tenant}.',
    },
    de: {
      subject: 'Ein Fall von {tenant} wurde Ihnen zugewiesen',
      lead: 'Jemand aus Ihrem Team hat Ihnen einen Fall zugewiesen. 24 Stunden lang kann niemand sonst ihn entscheiden.',
      button: 'Den Fall öffnen',
      end: 'Sie erhalten diese Nachricht, weil Sie für {tenant} arbeiten.',
    },
    ar: {
      subject: 'أُسندت إليك حالة لدى {tenant}',
      lead: 'أسند إليك أحد الزملاء حالة. لا يمكن لغيرك حسمها خلال 24 ساعة.',
      button: 'افتح الحالة',
      end: 'وصلتك هذه الرسالة لأنك من مشغّلي {tenant}.',
    },
  },
  MENTIONED: {
    en: {
      subject: 'A note at {tenant} mentions you',
      lead: 'A colleague mentions you in a note about a verification.',
      button: 'Open the verification',
      end: 'You receive this because you are an operator of {tenant}.',
    },
    de: {
      subject: 'Eine Notiz bei {tenant} erwähnt Sie',
      lead: 'Jemand aus Ihrem Team erwähnt Sie in einer Notiz zu einer Verifizierung.',
      button: 'Die Verifizierung öffnen',
      end: 'Sie erhalten diese Nachricht, weil Sie für {tenant} arbeiten.',
    },
    ar: {
      subject: 'ذُكرت في ملاحظة لدى {tenant}',
      lead: 'ذكرك أحد الزملاء في ملاحظة عن عملية تحقق.',
      button: 'افتح عملية التحقق',
      end: 'وصلتك هذه الرسالة لأنك من مشغّلي {tenant}.',
    },
  },
};

type About = { occasion: CaseOccasion; language: string; tenantName: string; url: string };

/** The e-mail that tells an operator of a case. It holds nothing of the end user. */
export function writeCaseMail({ occasion, ...about }: About): OperatorMail {
  return writeOperatorMail(TEXTS[occasion], about);
}
