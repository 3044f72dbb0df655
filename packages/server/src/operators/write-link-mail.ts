import { type MailTexts, type OperatorMail, writeOperatorMail } from './operator-mail.ts';

const TEXTS: MailTexts = {
  en: {
    subject: 'Your link to sign in to {tenant}',
    lead: 'Open this link to sign in to the console of {tenant}. It works once, within ten minutes.',
    button: 'Sign in',
    end: 'If you have not asked for it, somebody has typed your address. Do nothing: nobody can sign in without the code of your authenticator app.',
  },
  de: {
    subject: 'Ihr Link zur Anmeldung bei {tenant}',
    lead: 'Öffnen Sie diesen Link, um sich an der Konsole von {tenant} anzumelden. Er gilt einmal, zehn Minuten lang.',
    button: 'Anmelden',
    end: 'Wenn Sie ihn nicht verlangt haben, hat jemand Ihre Adresse eingegeben. Tun Sie nichts: Ohne den Code Ihrer Authenticator-App kann sich niemand anmelden.',
  },
  ar: {
    subject: 'رابط تسجيل الدخول إلى {tenant}',
    lead: 'افتح هذا الرابط لتسجيل الدخول إلى لوحة {tenant}. يعمل مرة واحدة خلال عشر دقائق.',
    button: 'تسجيل الدخول',
    end: 'إن لم تطلبه فقد كتب أحدهم عنوانك. لا تفعل شيئًا: لا يمكن لأحد تسجيل الدخول من دون رمز تطبيق المصادقة.',
  },
};

/** The e-mail with a link to sign in. */
export function writeLinkMail(about: { language: string; tenantName: string; url: string }): OperatorMail {
  return writeOperatorMail(TEXTS, about);
}
