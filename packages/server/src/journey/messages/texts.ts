import { JOURNEY_LANGUAGES } from '@grove/contract';
import type { Texts } from './message-text.ts';
import { MORE_TEXTS } from './more-texts.ts';

/** The texts of messages to end users, in the languages of the journey. `{tenant}` is the name of the tenant. */
export const LANGUAGES = JOURNEY_LANGUAGES;
export type Language = (typeof LANGUAGES)[number];

export const RIGHT_TO_LEFT: ReadonlySet<string> = new Set<Language>(['ar']);

export const TEXTS: Readonly<Record<Language, Texts>> = {
  ...MORE_TEXTS,
  en: {
    handoff: {
      subject: 'Continue your verification for {tenant}',
      lead: 'You asked to continue your verification for {tenant} on another device. Open this link there within 5 minutes.',
      link: 'Continue the verification',
      more: [
        'You will be asked which number your first device shows. The link works once.',
        'If you did not ask for this, do nothing: the link ends by itself. Never open it because somebody told you to.',
      ],
    },
    decided: {
      subject: 'News about your verification for {tenant}',
      lead: 'There is news about your verification for {tenant}. Please go to {tenant} to see it.',
      more: [
        'You asked for this message. It is the only one, and your address has been deleted here.',
        'It contains no link on purpose: nobody will ask you by e-mail for data or passwords.',
      ],
    },
    askedAgain: {
      subject: 'One more thing is needed for {tenant}',
      lead: '{tenant} has looked at your verification and asks you to do a part of it again. The page behind this link tells you why.',
      link: 'Continue the verification',
      more: [
        'The link works once, within 24 hours.',
        'You asked to hear from us. Your address has been deleted here; on the page you can ask to be told again.',
      ],
    },
    handoffSms:
      '{tenant}: continue your verification within 5 minutes. Open it only if you asked for it yourself. {url}',
  },
  de: {
    handoff: {
      subject: 'Ihre Prüfung für {tenant} fortsetzen',
      lead: 'Sie möchten Ihre Prüfung für {tenant} auf einem anderen Gerät fortsetzen. Öffnen Sie dort innerhalb von 5 Minuten diesen Link.',
      link: 'Prüfung fortsetzen',
      more: [
        'Sie werden gefragt, welche Zahl Ihr erstes Gerät zeigt. Der Link funktioniert einmal.',
        'Wenn Sie das nicht angefordert haben, müssen Sie nichts tun: Der Link läuft von selbst ab. Öffnen Sie ihn nie, weil jemand anderes Sie darum bittet.',
      ],
    },
    decided: {
      subject: 'Neues zu Ihrer Prüfung für {tenant}',
      lead: 'Es gibt Neues zu Ihrer Prüfung für {tenant}. Bitte gehen Sie zu {tenant}, um es zu sehen.',
      more: [
        'Sie haben um diese Nachricht gebeten. Es ist die einzige, und Ihre Adresse wurde hier gelöscht.',
        'Sie enthält absichtlich keinen Link: Niemand fragt Sie per E-Mail nach Daten oder Passwörtern.',
      ],
    },
    askedAgain: {
      subject: 'Für {tenant} fehlt noch etwas',
      lead: '{tenant} hat Ihre Prüfung angesehen und bittet Sie, einen Teil davon zu wiederholen. Warum, steht auf der Seite hinter diesem Link.',
      link: 'Prüfung fortsetzen',
      more: [
        'Der Link funktioniert einmal, innerhalb von 24 Stunden.',
        'Sie haben um eine Nachricht gebeten. Ihre Adresse wurde hier gelöscht; auf der Seite können Sie sich erneut benachrichtigen lassen.',
      ],
    },
    handoffSms:
      '{tenant}: Setzen Sie Ihre Prüfung innerhalb von 5 Minuten fort. Nur öffnen, wenn Sie selbst darum gebeten haben. {url}',
  },
  fr: {
    handoff: {
      subject: 'Poursuivre votre vérification pour {tenant}',
      lead: 'Vous avez demandé à poursuivre votre vérification pour {tenant} sur un autre appareil. Ouvrez-y ce lien dans les 5 minutes.',
      link: 'Poursuivre la vérification',
      more: [
        'On vous demandera quel nombre affiche votre premier appareil. Le lien ne fonctionne qu’une fois.',
        'Si vous n’avez rien demandé, ne faites rien : le lien expire de lui-même. Ne l’ouvrez jamais parce que quelqu’un vous le demande.',
      ],
    },
    decided: {
      subject: 'Du nouveau pour votre vérification pour {tenant}',
      lead: 'Il y a du nouveau pour votre vérification pour {tenant}. Rendez-vous chez {tenant} pour en savoir plus.',
      more: [
        'Vous avez demandé ce message. C’est le seul, et votre adresse a été effacée ici.',
        'Il ne contient volontairement aucun lien : personne ne vous demandera de données ou de mot de passe par e-mail.',
      ],
    },
    askedAgain: {
      subject: 'Il manque encore un élément pour {tenant}',
      lead: '{tenant} a examiné votre vérification et vous demande d’en refaire une partie. La page derrière ce lien vous explique pourquoi.',
      link: 'Poursuivre la vérification',
      more: [
        'Le lien fonctionne une seule fois, pendant 24 heures.',
        'Vous avez demandé à être prévenu. Votre adresse a été effacée ici ; sur la page, vous pouvez demander à l’être de nouveau.',
      ],
    },
    handoffSms:
      '{tenant} : poursuivez votre vérification dans les 5 minutes. N’ouvrez que si vous l’avez demandé vous-même. {url}',
  },
  es: {
    handoff: {
      subject: 'Continúe su verificación para {tenant}',
      lead: 'Ha pedido continuar su verificación para {tenant} en otro dispositivo. Abra allí este enlace en los próximos 5 minutos.',
      link: 'Continuar la verificación',
      more: [
        'Se le preguntará qué número muestra su primer dispositivo. El enlace funciona una sola vez.',
        'Si no lo ha pedido, no haga nada: el enlace caduca solo. No lo abra nunca porque otra persona se lo pida.',
      ],
    },
    decided: {
      subject: 'Novedades sobre su verificación para {tenant}',
      lead: 'Hay novedades sobre su verificación para {tenant}. Vaya a {tenant} para verlas.',
      more: [
        'Usted pidió este mensaje. Es el único, y su dirección se ha borrado aquí.',
        'No contiene ningún enlace a propósito: nadie le pedirá datos ni contraseñas por correo electrónico.',
      ],
    },
    askedAgain: {
      subject: '{tenant} necesita algo más',
      lead: '{tenant} ha revisado su verificación y le pide que repita una parte. La página de este enlace le explica por qué.',
      link: 'Continuar la verificación',
      more: [
        'El enlace funciona una sola vez, durante 24 horas.',
        'Usted pidió que le avisáramos. Su dirección se ha borrado aquí; en la página puede volver a pedirlo.',
      ],
    },
    handoffSms: '{tenant}: continúe su verificación en 5 minutos. Ábralo solo si lo ha pedido usted. {url}',
  },
  pt: {
    handoff: {
      subject: 'Continue a sua verificação para {tenant}',
      lead: 'Pediu para continuar a sua verificação para {tenant} noutro dispositivo. Abra lá esta ligação nos próximos 5 minutos.',
      link: 'Continuar a verificação',
      more: [
        'Vai ser-lhe perguntado que número mostra o seu primeiro dispositivo. A ligação funciona uma só vez.',
        'Se não pediu isto, não faça nada: a ligação expira sozinha. Nunca a abra porque alguém lho pediu.',
      ],
    },
    decided: {
      subject: 'Novidades sobre a sua verificação para {tenant}',
      lead: 'Há novidades sobre a sua verificação para {tenant}. Vá a {tenant} para as ver.',
      more: [
        'Pediu esta mensagem. É a única, e o seu endereço foi apagado aqui.',
        'Não contém nenhuma ligação de propósito: ninguém lhe pedirá dados ou palavras-passe por e-mail.',
      ],
    },
    askedAgain: {
      subject: '{tenant} precisa de mais uma coisa',
      lead: '{tenant} analisou a sua verificação e pede-lhe que repita uma parte. A página desta ligação explica porquê.',
      link: 'Continuar a verificação',
      more: [
        'A ligação funciona uma só vez, durante 24 horas.',
        'Pediu que o avisássemos. O seu endereço foi apagado aqui; na página pode voltar a pedi-lo.',
      ],
    },
    handoffSms: '{tenant}: continue a sua verificação em 5 minutos. Abra apenas se foi você que pediu. {url}',
  },
  it: {
    handoff: {
      subject: 'Continui la Sua verifica per {tenant}',
      lead: 'Ha chiesto di continuare la Sua verifica per {tenant} su un altro dispositivo. Apra lì questo link entro 5 minuti.',
      link: 'Continua la verifica',
      more: [
        'Le verrà chiesto quale numero mostra il Suo primo dispositivo. Il link funziona una sola volta.',
        'Se non lo ha chiesto, non faccia nulla: il link scade da solo. Non lo apra mai perché qualcuno Glielo chiede.',
      ],
    },
    decided: {
      subject: 'Novità sulla Sua verifica per {tenant}',
      lead: 'Ci sono novità sulla Sua verifica per {tenant}. Vada da {tenant} per vederle.',
      more: [
        'Ha chiesto questo messaggio. È l’unico, e il Suo indirizzo è stato cancellato qui.',
        'Non contiene link di proposito: nessuno Le chiederà dati o password per e-mail.',
      ],
    },
    askedAgain: {
      subject: 'A {tenant} serve ancora qualcosa',
      lead: '{tenant} ha esaminato la Sua verifica e Le chiede di ripeterne una parte. La pagina di questo link spiega perché.',
      link: 'Continua la verifica',
      more: [
        'Il link funziona una sola volta, entro 24 ore.',
        'Ha chiesto di essere avvisato. Il Suo indirizzo è stato cancellato qui; nella pagina può chiederlo di nuovo.',
      ],
    },
    handoffSms: '{tenant}: continui la Sua verifica entro 5 minuti. Apra solo se lo ha chiesto Lei. {url}',
  },
  pl: {
    handoff: {
      subject: 'Kontynuuj weryfikację dla {tenant}',
      lead: 'Chcesz kontynuować weryfikację dla {tenant} na innym urządzeniu. Otwórz tam ten link w ciągu 5 minut.',
      link: 'Kontynuuj weryfikację',
      more: [
        'Zapytamy, jaką liczbę pokazuje pierwsze urządzenie. Link działa jeden raz.',
        'Jeśli to nie Twoja prośba, nic nie rób: link sam wygaśnie. Nigdy nie otwieraj go dlatego, że ktoś Ci każe.',
      ],
    },
    decided: {
      subject: 'Nowe informacje o weryfikacji dla {tenant}',
      lead: 'Są nowe informacje o Twojej weryfikacji dla {tenant}. Przejdź do {tenant}, aby je zobaczyć.',
      more: [
        'Ta wiadomość została wysłana na Twoją prośbę. Jest jedyna, a Twój adres został tu usunięty.',
        'Celowo nie zawiera linku: nikt nie poprosi Cię e-mailem o dane ani hasła.',
      ],
    },
    askedAgain: {
      subject: '{tenant} potrzebuje jeszcze jednej rzeczy',
      lead: '{tenant} przejrzał Twoją weryfikację i prosi o powtórzenie jej części. Strona pod tym linkiem wyjaśnia dlaczego.',
      link: 'Kontynuuj weryfikację',
      more: [
        'Link działa jeden raz, przez 24 godziny.',
        'Ta wiadomość została wysłana na Twoją prośbę. Twój adres został tu usunięty; na stronie możesz poprosić o powiadomienie ponownie.',
      ],
    },
    handoffSms: '{tenant}: kontynuuj weryfikację w ciągu 5 minut. Otwórz tylko wtedy, gdy to Twoja prośba. {url}',
  },
  ar: {
    handoff: {
      subject: 'تابع التحقق من هويتك لدى {tenant}',
      lead: 'طلبت متابعة التحقق من هويتك لدى {tenant} على جهاز آخر. افتح هذا الرابط هناك خلال 5 دقائق.',
      link: 'متابعة التحقق',
      more: [
        'سنسألك عن الرقم الذي يظهر على جهازك الأول. يعمل الرابط مرة واحدة.',
        'إذا لم تطلب ذلك فلا تفعل شيئًا: ينتهي الرابط من تلقاء نفسه. لا تفتحه أبدًا لأن شخصًا آخر طلب منك ذلك.',
      ],
    },
    decided: {
      subject: 'جديد بشأن التحقق من هويتك لدى {tenant}',
      lead: 'هناك جديد بشأن التحقق من هويتك لدى {tenant}. يرجى التوجه إلى {tenant} للاطلاع عليه.',
      more: [
        'أنت من طلب هذه الرسالة. وهي الوحيدة، وقد حُذف عنوانك من عندنا.',
        'لا تحتوي على رابط عن قصد: لن يطلب منك أحد بيانات أو كلمات مرور عبر البريد الإلكتروني.',
      ],
    },
    askedAgain: {
      subject: 'ينقص {tenant} أمر واحد بعد',
      lead: 'اطّلعت {tenant} على التحقق من هويتك وتطلب منك إعادة جزء منه. توضح الصفحة خلف هذا الرابط السبب.',
      link: 'متابعة التحقق',
      more: [
        'يعمل الرابط مرة واحدة خلال 24 ساعة.',
        'أنت من طلب إعلامه. وقد حُذف عنوانك من عندنا؛ ويمكنك في الصفحة طلب إعلامك مرة أخرى.',
      ],
    },
    handoffSms: '{tenant}: تابع التحقق من هويتك خلال 5 دقائق. لا تفتحه إلا إذا طلبته بنفسك. {url}',
  },
};
