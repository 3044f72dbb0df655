import type { MailText, Texts } from './message-text.ts';
import type { Language } from './texts.ts';

/** What an e-mail says with which an operator sends the link to a verification. The other words are those of the hand-off. */
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

export function resumeText(language: Language, { handoff, askedAgain }: Texts): MailText {
  const { subject, link = '' } = handoff;
  const [onceWithinADay = ''] = askedAgain.more;
  return { subject, lead: LEADS[language], link, more: [onceWithinADay] };
}
