import { inOneLine } from '../kernel/in-one-line.ts';

/** The e-mail with a link to sign in. */
export type LinkMail = { subject: string; text: string; html: string; language: string };

const MAX_TENANT_NAME = 100;

type Words = { subject: string; lead: string; button: string; end: string };

const TEXTS: Readonly<Record<string, Words>> = {
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
    end: 'Wenn Sie ihn nicht verlangt haben, hat jemand Ihre Adresse eingegeben. Tun Sie nichts: Ohne den Code Ihrer Authentifizierungs-App kann sich niemand anmelden.',
  },
  ar: {
    subject: 'رابط تسجيل الدخول إلى {tenant}',
    lead: 'افتح هذا الرابط لتسجيل الدخول إلى لوحة {tenant}. يعمل مرة واحدة خلال عشر دقائق.',
    button: 'تسجيل الدخول',
    end: 'إن لم تطلبه فقد كتب أحدهم عنوانك. لا تفعل شيئًا: لا يمكن لأحد تسجيل الدخول من دون رمز تطبيق المصادقة.',
  },
};

export function writeLinkMail({
  language,
  tenantName,
  url,
}: {
  language: string;
  tenantName: string;
  url: string;
}): LinkMail {
  const usedLanguage = language in TEXTS ? language : 'en';
  const { subject, lead, button, end } = TEXTS[usedLanguage] as Words;
  const tenant = inOneLine(tenantName, MAX_TENANT_NAME);
  const fill = (words: string) => words.replaceAll('{tenant}', () => tenant);
  const dir = usedLanguage === 'ar' ? 'rtl' : 'ltr';
  const html =
    `<!doctype html><html lang="${usedLanguage}" dir="${dir}"><body style="font-family:sans-serif"><p>${escaped(fill(lead))}</p>` +
    `<p><a href="${escaped(url)}">${button}</a></p><p>${end}</p></body></html>`;
  return { subject: fill(subject), text: `${fill(lead)}\n\n${url}\n\n${end}\n`, html, language: usedLanguage };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter] ?? letter);
}
