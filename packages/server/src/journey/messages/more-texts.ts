import type { Texts } from './message-text.ts';

/** The texts in the languages that were added later. */
export const MORE_TEXTS = {
  nl: {
    handoff: {
      subject: 'Ga verder met uw verificatie voor {tenant}',
      lead: 'U wilt uw verificatie voor {tenant} op een ander apparaat voortzetten. Open daar binnen 5 minuten deze link.',
      link: 'Verder met de verificatie',
      more: [
        'U wordt gevraagd welk getal uw eerste apparaat toont. De link werkt één keer.',
        'Hebt u hier niet om gevraagd, dan hoeft u niets te doen: de link vervalt vanzelf. Open hem nooit omdat iemand u dat vraagt.',
      ],
    },
    decided: {
      subject: 'Nieuws over uw verificatie voor {tenant}',
      lead: 'Er is nieuws over uw verificatie voor {tenant}. Ga naar {tenant} om het te bekijken.',
      more: [
        'U hebt om dit bericht gevraagd. Het is het enige, en uw adres is hier verwijderd.',
        'Er staat met opzet geen link in: niemand vraagt u per e-mail om gegevens of wachtwoorden.',
      ],
    },
    askedAgain: {
      subject: 'Er is nog iets nodig voor {tenant}',
      lead: '{tenant} heeft uw verificatie bekeken en vraagt u een deel ervan opnieuw te doen. Op de pagina achter deze link leest u waarom.',
      link: 'Verder met de verificatie',
      more: [
        'De link werkt één keer, binnen 24 uur.',
        'U wilde van ons horen. Uw adres is hier verwijderd; op de pagina kunt u opnieuw om bericht vragen.',
      ],
    },
    handoffSms:
      '{tenant}: ga binnen 5 minuten verder met uw verificatie. Open alleen als u er zelf om hebt gevraagd. {url}',
  },
  sv: {
    handoff: {
      subject: 'Fortsätt din verifiering för {tenant}',
      lead: 'Du ville fortsätta din verifiering för {tenant} på en annan enhet. Öppna länken där inom 5 minuter.',
      link: 'Fortsätt verifieringen',
      more: [
        'Du får frågan vilket nummer din första enhet visar. Länken fungerar en gång.',
        'Om du inte har bett om detta behöver du inte göra något: länken upphör av sig själv. Öppna den aldrig för att någon säger åt dig.',
      ],
    },
    decided: {
      subject: 'Nyheter om din verifiering för {tenant}',
      lead: 'Det finns nyheter om din verifiering för {tenant}. Gå till {tenant} för att se dem.',
      more: [
        'Du bad om det här meddelandet. Det är det enda, och din adress har raderats här.',
        'Det innehåller med avsikt ingen länk: ingen ber dig om uppgifter eller lösenord via e-post.',
      ],
    },
    askedAgain: {
      subject: 'En sak till behövs för {tenant}',
      lead: '{tenant} har tittat på din verifiering och ber dig göra om en del av den. På sidan bakom länken står varför.',
      link: 'Fortsätt verifieringen',
      more: [
        'Länken fungerar en gång, inom 24 timmar.',
        'Du ville höra av oss. Din adress har raderats här; på sidan kan du be om besked igen.',
      ],
    },
    handoffSms: '{tenant}: fortsätt din verifiering inom 5 minuter. Öppna bara om du själv bad om det. {url}',
  },
  da: {
    handoff: {
      subject: 'Fortsæt din verifikation for {tenant}',
      lead: 'Du ville fortsætte din verifikation for {tenant} på en anden enhed. Åbn linket der inden for 5 minutter.',
      link: 'Fortsæt verifikationen',
      more: [
        'Du bliver spurgt, hvilket tal din første enhed viser. Linket virker én gang.',
        'Hvis du ikke har bedt om dette, skal du ikke gøre noget: Linket udløber af sig selv. Åbn det aldrig, fordi nogen beder dig om det.',
      ],
    },
    decided: {
      subject: 'Nyt om din verifikation for {tenant}',
      lead: 'Der er nyt om din verifikation for {tenant}. Gå til {tenant} for at se det.',
      more: [
        'Du bad om denne besked. Det er den eneste, og din adresse er slettet her.',
        'Den indeholder med vilje intet link: Ingen beder dig om oplysninger eller adgangskoder på e-mail.',
      ],
    },
    askedAgain: {
      subject: 'Der mangler noget til {tenant}',
      lead: '{tenant} har set på din verifikation og beder dig gøre en del af den igen. På siden bag linket står der hvorfor.',
      link: 'Fortsæt verifikationen',
      more: [
        'Linket virker én gang, inden for 24 timer.',
        'Du ville høre fra os. Din adresse er slettet her; på siden kan du bede om besked igen.',
      ],
    },
    handoffSms: '{tenant}: fortsæt din verifikation inden for 5 minutter. Åbn kun, hvis du selv har bedt om det. {url}',
  },
  fi: {
    handoff: {
      subject: 'Jatka vahvistusta: {tenant}',
      lead: 'Halusit jatkaa vahvistusta ({tenant}) toisella laitteella. Avaa tämä linkki siellä 5 minuutin kuluessa.',
      link: 'Jatka vahvistusta',
      more: [
        'Sinulta kysytään, minkä numeron ensimmäinen laitteesi näyttää. Linkki toimii kerran.',
        'Jos et pyytänyt tätä, sinun ei tarvitse tehdä mitään: linkki vanhenee itsestään. Älä koskaan avaa sitä siksi, että joku pyytää.',
      ],
    },
    decided: {
      subject: 'Uutta vahvistuksestasi: {tenant}',
      lead: 'Vahvistuksestasi ({tenant}) on uutta tietoa. Katso se sivustolta {tenant}.',
      more: [
        'Pyysit tätä viestiä. Se on ainoa, ja osoitteesi on poistettu täältä.',
        'Siinä ei tarkoituksella ole linkkiä: kukaan ei pyydä sinulta tietoja tai salasanoja sähköpostitse.',
      ],
    },
    askedAgain: {
      subject: 'Vielä yksi asia: {tenant}',
      lead: '{tenant} on tarkistanut vahvistuksesi ja pyytää sinua tekemään osan siitä uudelleen. Linkin takana olevalla sivulla kerrotaan, miksi.',
      link: 'Jatka vahvistusta',
      more: [
        'Linkki toimii kerran, 24 tunnin kuluessa.',
        'Halusit kuulla meistä. Osoitteesi on poistettu täältä; sivulla voit pyytää ilmoitusta uudelleen.',
      ],
    },
    handoffSms: '{tenant}: jatka vahvistusta 5 minuutin kuluessa. Avaa vain, jos pyysit sitä itse. {url}',
  },
  nb: {
    handoff: {
      subject: 'Fortsett verifiseringen for {tenant}',
      lead: 'Du ville fortsette verifiseringen for {tenant} på en annen enhet. Åpne lenken der innen 5 minutter.',
      link: 'Fortsett verifiseringen',
      more: [
        'Du blir spurt om hvilket tall den første enheten viser. Lenken virker én gang.',
        'Hvis du ikke har bedt om dette, trenger du ikke å gjøre noe: lenken utløper av seg selv. Åpne den aldri fordi noen ber deg om det.',
      ],
    },
    decided: {
      subject: 'Nytt om verifiseringen for {tenant}',
      lead: 'Det er nytt om verifiseringen din for {tenant}. Gå til {tenant} for å se det.',
      more: [
        'Du ba om denne meldingen. Den er den eneste, og adressen din er slettet her.',
        'Den har med hensikt ingen lenke: ingen ber deg om opplysninger eller passord på e-post.',
      ],
    },
    askedAgain: {
      subject: 'Det trengs noe mer for {tenant}',
      lead: '{tenant} har sett på verifiseringen din og ber deg gjøre en del av den på nytt. På siden bak lenken står det hvorfor.',
      link: 'Fortsett verifiseringen',
      more: [
        'Lenken virker én gang, innen 24 timer.',
        'Du ville høre fra oss. Adressen din er slettet her; på siden kan du be om beskjed igjen.',
      ],
    },
    handoffSms: '{tenant}: fortsett verifiseringen innen 5 minutter. Åpne bare hvis du selv ba om det. {url}',
  },
  cs: {
    handoff: {
      subject: 'Pokračujte v ověření pro {tenant}',
      lead: 'Chtěli jste pokračovat v ověření pro {tenant} na jiném zařízení. Otevřete tam tento odkaz do 5 minut.',
      link: 'Pokračovat v ověření',
      more: [
        'Budete dotázáni, jaké číslo ukazuje vaše první zařízení. Odkaz funguje jednou.',
        'Pokud jste o to nežádali, nemusíte nic dělat: platnost odkazu sama skončí. Nikdy ho neotevírejte jen proto, že vás k tomu někdo vyzval.',
      ],
    },
    decided: {
      subject: 'Novinka o vašem ověření pro {tenant}',
      lead: 'Ve vašem ověření pro {tenant} je něco nového. Podívejte se na {tenant}.',
      more: [
        'O tuto zprávu jste požádali. Je jediná a vaše adresa zde byla smazána.',
        'Záměrně neobsahuje žádný odkaz: nikdo vás e-mailem nebude žádat o údaje ani hesla.',
      ],
    },
    askedAgain: {
      subject: 'Pro {tenant} je potřeba ještě něco',
      lead: '{tenant} se zabýval vaším ověřením a žádá vás o zopakování jeho části. Na stránce za tímto odkazem se dozvíte proč.',
      link: 'Pokračovat v ověření',
      more: [
        'Odkaz funguje jednou, do 24 hodin.',
        'Chtěli jste dostat zprávu. Vaše adresa zde byla smazána; na stránce si můžete o zprávu požádat znovu.',
      ],
    },
    handoffSms: '{tenant}: pokračujte v ověření do 5 minut. Otevřete jen tehdy, pokud jste o to sami požádali. {url}',
  },
  ro: {
    handoff: {
      subject: 'Continuați verificarea pentru {tenant}',
      lead: 'Ați dorit să continuați verificarea pentru {tenant} pe alt dispozitiv. Deschideți acolo acest link în cel mult 5 minute.',
      link: 'Continuați verificarea',
      more: [
        'Veți fi întrebat ce număr apare pe primul dispozitiv. Linkul funcționează o singură dată.',
        'Dacă nu ați cerut acest lucru, nu faceți nimic: linkul expiră singur. Nu îl deschideți niciodată pentru că v-o cere cineva.',
      ],
    },
    decided: {
      subject: 'Noutăți despre verificarea pentru {tenant}',
      lead: 'Există noutăți despre verificarea dumneavoastră pentru {tenant}. Mergeți la {tenant} pentru a le vedea.',
      more: [
        'Ați cerut acest mesaj. Este singurul, iar adresa dumneavoastră a fost ștearsă aici.',
        'În mod intenționat nu conține niciun link: nimeni nu vă va cere prin e-mail date sau parole.',
      ],
    },
    askedAgain: {
      subject: 'Mai este nevoie de ceva pentru {tenant}',
      lead: '{tenant} a analizat verificarea dumneavoastră și vă roagă să repetați o parte. Pagina din spatele acestui link explică de ce.',
      link: 'Continuați verificarea',
      more: [
        'Linkul funcționează o singură dată, în 24 de ore.',
        'Ați dorit să primiți vești. Adresa dumneavoastră a fost ștearsă aici; pe pagină puteți cere din nou să fiți anunțat.',
      ],
    },
    handoffSms:
      '{tenant}: continuați verificarea în cel mult 5 minute. Deschideți doar dacă ați cerut chiar dumneavoastră. {url}',
  },
  hu: {
    handoff: {
      subject: 'Folytassa az ellenőrzést: {tenant}',
      lead: 'Az ellenőrzést ({tenant}) másik készüléken szeretné folytatni. Nyissa meg ott ezt a linket 5 percen belül.',
      link: 'Az ellenőrzés folytatása',
      more: [
        'Meg kell majd adnia, milyen számot mutat az első készüléke. A link egyszer működik.',
        'Ha nem Ön kérte, nincs teendője: a link magától lejár. Soha ne nyissa meg azért, mert valaki erre kéri.',
      ],
    },
    decided: {
      subject: 'Hír az ellenőrzéséről: {tenant}',
      lead: 'Hír van az ellenőrzéséről ({tenant}). Itt nézheti meg: {tenant}.',
      more: [
        'Ezt az üzenetet Ön kérte. Ez az egyetlen, és a címét itt töröltük.',
        'Szándékosan nincs benne link: senki sem fog e-mailben adatokat vagy jelszavakat kérni Öntől.',
      ],
    },
    askedAgain: {
      subject: 'Még valamire szükség van: {tenant}',
      lead: '{tenant} megnézte az ellenőrzését, és kéri, hogy egy részét ismételje meg. A link mögötti oldal megmondja, miért.',
      link: 'Az ellenőrzés folytatása',
      more: [
        'A link egyszer működik, 24 órán belül.',
        'Értesítést kért tőlünk. A címét itt töröltük; az oldalon újra kérhet értesítést.',
      ],
    },
    handoffSms: '{tenant}: folytassa az ellenőrzést 5 percen belül. Csak akkor nyissa meg, ha Ön kérte. {url}',
  },
  el: {
    handoff: {
      subject: 'Συνεχίστε την επαλήθευσή σας: {tenant}',
      lead: 'Ζητήσατε να συνεχίσετε την επαλήθευσή σας ({tenant}) σε άλλη συσκευή. Ανοίξτε εκεί αυτόν τον σύνδεσμο μέσα σε 5 λεπτά.',
      link: 'Συνέχεια της επαλήθευσης',
      more: [
        'Θα ερωτηθείτε ποιον αριθμό δείχνει η πρώτη συσκευή σας. Ο σύνδεσμος λειτουργεί μία φορά.',
        'Αν δεν το ζητήσατε, μην κάνετε τίποτα: ο σύνδεσμος λήγει μόνος του. Μην τον ανοίξετε ποτέ επειδή σας το είπε κάποιος.',
      ],
    },
    decided: {
      subject: 'Νέα για την επαλήθευσή σας: {tenant}',
      lead: 'Υπάρχουν νέα για την επαλήθευσή σας ({tenant}). Μπορείτε να τα δείτε εκεί: {tenant}.',
      more: [
        'Ζητήσατε αυτό το μήνυμα. Είναι το μοναδικό και η διεύθυνσή σας διαγράφηκε εδώ.',
        'Σκόπιμα δεν περιέχει σύνδεσμο: κανείς δεν θα σας ζητήσει με email στοιχεία ή κωδικούς πρόσβασης.',
      ],
    },
    askedAgain: {
      subject: 'Χρειάζεται κάτι ακόμη: {tenant}',
      lead: 'Η επαλήθευσή σας εξετάστηκε ({tenant}) και χρειάζεται να επαναλάβετε ένα μέρος της. Η σελίδα αυτού του συνδέσμου εξηγεί γιατί.',
      link: 'Συνέχεια της επαλήθευσης',
      more: [
        'Ο σύνδεσμος λειτουργεί μία φορά, μέσα σε 24 ώρες.',
        'Ζητήσατε να ενημερωθείτε. Η διεύθυνσή σας διαγράφηκε εδώ· στη σελίδα μπορείτε να ζητήσετε ξανά ενημέρωση.',
      ],
    },
    handoffSms: '{tenant}: συνεχίστε την επαλήθευσή σας μέσα σε 5 λεπτά. Ανοίξτε μόνο αν το ζητήσατε εσείς. {url}',
  },
  tr: {
    handoff: {
      subject: '{tenant} doğrulamanıza devam edin',
      lead: '{tenant} doğrulamanıza başka bir cihazda devam etmek istediniz. Bu bağlantıyı orada 5 dakika içinde açın.',
      link: 'Doğrulamaya devam et',
      more: [
        'İlk cihazınızın hangi sayıyı gösterdiği sorulacak. Bağlantı bir kez çalışır.',
        'Bunu siz istemediyseniz bir şey yapmanız gerekmez: bağlantının süresi kendiliğinden dolar. Biri söyledi diye asla açmayın.',
      ],
    },
    decided: {
      subject: '{tenant} doğrulamanızla ilgili gelişme',
      lead: '{tenant} doğrulamanızla ilgili bir gelişme var. Görmek için lütfen {tenant} sayfasına gidin.',
      more: [
        'Bu iletiyi siz istediniz. Tek iletidir ve adresiniz burada silindi.',
        'Bilerek bağlantı içermez: kimse sizden e-postayla bilgi veya parola istemez.',
      ],
    },
    askedAgain: {
      subject: '{tenant} için bir şey daha gerekiyor',
      lead: '{tenant} doğrulamanızı inceledi ve bir bölümünü yeniden yapmanızı rica ediyor. Bu bağlantıdaki sayfa nedenini açıklar.',
      link: 'Doğrulamaya devam et',
      more: [
        'Bağlantı 24 saat içinde bir kez çalışır.',
        'Bizden haber almak istediniz. Adresiniz burada silindi; sayfada yeniden bildirim isteyebilirsiniz.',
      ],
    },
    handoffSms: '{tenant}: doğrulamanıza 5 dakika içinde devam edin. Yalnızca kendiniz istediyseniz açın. {url}',
  },
  uk: {
    handoff: {
      subject: 'Продовжте перевірку для {tenant}',
      lead: 'Ви хотіли продовжити перевірку для {tenant} на іншому пристрої. Відкрийте там це посилання протягом 5 хвилин.',
      link: 'Продовжити перевірку',
      more: [
        'Вас запитають, яке число показує перший пристрій. Посилання діє один раз.',
        'Якщо ви про це не просили, нічого не робіть: термін дії посилання мине сам. Ніколи не відкривайте його на чиєсь прохання.',
      ],
    },
    decided: {
      subject: 'Новини про вашу перевірку для {tenant}',
      lead: 'Є новини про вашу перевірку для {tenant}. Щоб переглянути їх, перейдіть до {tenant}.',
      more: [
        'Ви просили про це повідомлення. Воно єдине, і вашу адресу тут видалено.',
        'Воно навмисно не містить посилань: ніхто не проситиме у вас дані чи паролі електронною поштою.',
      ],
    },
    askedAgain: {
      subject: 'Для {tenant} потрібно ще дещо',
      lead: '{tenant} розглянула вашу перевірку й просить повторити її частину. На сторінці за цим посиланням пояснено чому.',
      link: 'Продовжити перевірку',
      more: [
        'Посилання діє один раз, протягом 24 годин.',
        'Ви хотіли отримати звістку від нас. Вашу адресу тут видалено; на сторінці можна знову попросити про повідомлення.',
      ],
    },
    handoffSms: '{tenant}: продовжте перевірку протягом 5 хвилин. Відкривайте, лише якщо ви самі про це просили. {url}',
  },
  'zh-Hans': {
    handoff: {
      subject: '继续您在 {tenant} 的验证',
      lead: '您希望在另一台设备上继续 {tenant} 的验证。请在 5 分钟内在该设备上打开此链接。',
      link: '继续验证',
      more: [
        '系统会询问您第一台设备显示的数字。此链接只能使用一次。',
        '如果不是您本人请求的，请不要操作：链接会自动失效。切勿因他人要求而打开。',
      ],
    },
    decided: {
      subject: '您在 {tenant} 的验证有新消息',
      lead: '您在 {tenant} 的验证有新消息。请前往 {tenant} 查看。',
      more: [
        '您要求了此消息。仅此一封，您的邮箱地址已在此处删除。',
        '邮件中特意不含链接：不会有人通过电子邮件向您索要资料或密码。',
      ],
    },
    askedAgain: {
      subject: '{tenant} 还需要您完成一项操作',
      lead: '{tenant} 已查看您的验证，请您重新完成其中一部分。此链接的页面会说明原因。',
      link: '继续验证',
      more: [
        '此链接在 24 小时内可使用一次。',
        '您要求接收通知。您的邮箱地址已在此处删除；您可以在页面上再次要求通知。',
      ],
    },
    handoffSms: '{tenant}：请在 5 分钟内继续您的验证。仅在您本人请求时打开。{url}',
  },
} satisfies Record<string, Texts>;
