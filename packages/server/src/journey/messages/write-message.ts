import { escapeHtml } from '../../kernel/escape.ts';
import { inOneLine } from '../../kernel/in-one-line.ts';
import type { MailText, Texts } from './message-text.ts';
import { LANGUAGES, type Language, RIGHT_TO_LEFT, TEXTS } from './texts.ts';

/** Writes the text of a message. Pure. */
export type MessageKind = 'HANDOFF' | 'DECIDED' | 'ASKED_AGAIN' | 'RESUME';
const TEXT_OF = { HANDOFF: 'handoff', DECIDED: 'decided', ASKED_AGAIN: 'askedAgain' } as const;

export type About = {
  readonly kind: MessageKind;
  readonly language: string;
  readonly tenantName: string;
  /** The link, if there is one. */
  readonly url?: string | undefined;
};

export type MessageContent = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: Language;
};

const MAX_TENANT_NAME = 100;

export function writeMail({ kind, language: languageTag, tenantName, url }: About): MessageContent {
  const language = languageOf(languageTag);
  const tenant = inOneLine(tenantName, MAX_TENANT_NAME);
  const texts = kind === 'RESUME' ? resumeText(language, TEXTS[language]) : TEXTS[language][TEXT_OF[kind]];
  const subject = fill(texts.subject, tenant);
  const lead = fill(texts.lead, tenant);
  const text = [lead, ...(url ? [url] : []), ...texts.more, `— ${tenant}`].join('\n\n');
  return { subject, text: `${text}\n`, html: htmlOf({ subject, lead, texts, tenant, url, language }), language };
}

export function writeSms({ language, tenantName, url = '' }: About): string {
  return fill(TEXTS[languageOf(language)].handoffSms, inOneLine(tenantName, MAX_TENANT_NAME)).replace(
    '{url}',
    () => url,
  );
}

/** The language of the texts for a tag: `de-AT` is German, and languages without texts get English. */
export function languageOf(languageTag: string): Language {
  const [tag = ''] = languageTag.toLowerCase().split('-');
  const first = tag === 'no' || tag === 'nn' ? 'nb' : tag;
  return LANGUAGES.find((each) => each.split('-', 1)[0] === first) ?? 'en';
}

function fill(text: string, tenant: string): string {
  return text.replaceAll('{tenant}', () => tenant);
}

type Parts = {
  subject: string;
  lead: string;
  texts: MailText;
  tenant: string;
  url: string | undefined;
  language: Language;
};

const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Uses tables and inline styles, because mail programs support little else. Nothing is loaded from outside. */
function htmlOf({ subject, lead, texts, tenant, url, language }: Parts): string {
  const dir = RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
  const align = dir === 'rtl' ? 'right' : 'left';
  const button =
    url && texts.link
      ? `<p style="margin:28px 0"><a href="${escapeHtml(url)}" style="display:inline-block;padding:14px 24px;border-radius:10px;` +
        `background:#1f5f4a;color:#ffffff;font-weight:600;text-decoration:none">${escapeHtml(texts.link)}</a></p>`
      : '';
  const more = texts.more.map(
    (each) => `<p style="margin:0 0 12px;font-size:15px;color:#4b5754">${escapeHtml(each)}</p>`,
  );
  return `<!doctype html>
<html lang="${language}" dir="${dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light">
<title>${escapeHtml(subject)}</title>
</head>
<body style="margin:0;padding:0;background:#f3f5f4">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" dir="${dir}"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:16px">
<tr><td align="${align}" style="padding:32px;${FONT};font-size:17px;line-height:1.55;color:#17211e;text-align:${align}">
<p style="margin:0 0 20px;font-size:15px;font-weight:600;color:#1f5f4a">${escapeHtml(tenant)}</p>
<h1 style="margin:0 0 16px;font-size:24px;line-height:1.3;font-weight:700">${escapeHtml(subject)}</h1>
<p style="margin:0 0 16px">${escapeHtml(lead)}</p>
${button}
${more.join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The lead of an e-mail in which an operator sends the link to a verification. Its other texts are those of the hand-off. */
const LEADS: Readonly<Record<Language, string>> = {
  en: '{tenant} asks you to verify who you are. This link leads to your verification. Open it only if you expect it.',
  de: '{tenant} bittet Sie, Ihre Identität zu bestätigen. Dieser Link führt zu Ihrer Prüfung. Öffnen Sie ihn nur, wenn Sie ihn erwarten.',
  fr: '{tenant} vous demande de vérifier votre identité. Ce lien mène à votre vérification. Ouvrez-le uniquement si vous l’attendez.',
  es: '{tenant} le pide que verifique su identidad. Este enlace lleva a su verificación. Ábralo solo si lo espera.',
  pt: '{tenant} pede-lhe que verifique a sua identidade. Esta ligação leva à sua verificação. Abra-a apenas se estiver à espera dela.',
  it: '{tenant} le chiede di verificare la sua identità. Questo link porta alla sua verifica. Lo apra solo se lo aspetta.',
  pl: '{tenant} prosi o potwierdzenie tożsamości. Ten link prowadzi do weryfikacji. Otwórz go tylko wtedy, gdy się go spodziewasz.',
  ar: 'تطلب منك {tenant} التحقق من هويتك. يقودك هذا الرابط إلى عملية التحقق. لا تفتحه إلا إذا كنت تتوقعه.',
  nl: '{tenant} vraagt u om uw identiteit te bevestigen. Deze link leidt naar uw verificatie. Open hem alleen als u hem verwacht.',
  sv: '{tenant} ber dig att verifiera din identitet. Länken leder till din verifiering. Öppna den bara om du väntar på den.',
  da: '{tenant} beder dig om at bekræfte din identitet. Linket fører til din verifikation. Åbn det kun, hvis du venter det.',
  fi: '{tenant} pyytää sinua vahvistamaan henkilöllisyytesi. Tämä linkki vie vahvistukseen. Avaa se vain, jos odotat sitä.',
  nb: '{tenant} ber deg om å bekrefte identiteten din. Lenken fører til verifiseringen. Åpne den bare hvis du venter den.',
  cs: '{tenant} vás žádá o ověření totožnosti. Tento odkaz vede k ověření. Otevřete ho, jen pokud ho očekáváte.',
  ro: '{tenant} vă roagă să vă verificați identitatea. Acest link duce la verificare. Deschideți-l numai dacă îl așteptați.',
  hu: 'A(z) {tenant} arra kéri, hogy igazolja a személyazonosságát. Ez a hivatkozás az ellenőrzéshez vezet. Csak akkor nyissa meg, ha számít rá.',
  el: 'Η {tenant} σας ζητά να επαληθεύσετε την ταυτότητά σας. Αυτός ο σύνδεσμος οδηγεί στην επαλήθευση. Ανοίξτε τον μόνο αν τον περιμένετε.',
  tr: '{tenant} kimliğinizi doğrulamanızı istiyor. Bu bağlantı doğrulamanıza götürür. Yalnızca bekliyorsanız açın.',
  uk: '{tenant} просить вас підтвердити особу. Це посилання веде до перевірки. Відкривайте його, лише якщо ви на нього чекаєте.',
  'zh-Hans': '{tenant} 请您验证身份。此链接会打开您的验证页面。仅在您预期收到时才打开。',
};

function resumeText(language: Language, { handoff, askedAgain }: Texts): MailText {
  const { subject, link = '' } = handoff;
  const [onceWithinADay = ''] = askedAgain.more;
  return { subject, lead: LEADS[language], link, more: [onceWithinADay] };
}
