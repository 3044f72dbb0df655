/** The countries of ISO 3166-1: their three letters, and the two by which browsers name them. */
const CODES = `
ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ
BESBQ BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA
CCKCC CHECH CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE
DJIDJ DMADM DNKDK DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB
GEOGE GGYGG GHAGH GIBGI GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR
HTIHT HUNHU IDNID IMNIM INDIN IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH
KIRKI KNAKN KORKR KWTKW LAOLA LBNLB LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD
MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA
NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL
PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ SLBSB SLESL
SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK
TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI
VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW`;

export const COUNTRIES: ReadonlyMap<string, string> = new Map(
  CODES.trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 3), pair.slice(3)] as const),
);

/** Kosovo has no ISO code; its documents say RKS. */
const OTHERS: ReadonlyMap<string, string> = new Map([['RKS', 'XK']]);

export type Country = { code: string; name: string };

/** The countries in the order of the language. An unknown code is its own name. */
export function countriesIn(language: string, only?: readonly string[]): Country[] {
  const names = new Intl.DisplayNames([language], { type: 'region' });
  const codes = only ?? [...COUNTRIES.keys(), ...OTHERS.keys()];
  const { compare } = new Intl.Collator(language);
  return codes
    .map((code) => {
      const region = COUNTRIES.get(code) ?? OTHERS.get(code);
      return { code, name: (region && names.of(region)) ?? code };
    })
    .sort((one, other) => compare(one.name, other.name));
}

/** The name of a country. An unknown code is its own name. */
export function countryName(code: string, language: string): string {
  const region = COUNTRIES.get(code) ?? OTHERS.get(code);
  return (region && new Intl.DisplayNames([language], { type: 'region' }).of(region)) ?? code;
}

/** Guesses `AUT` from `de-AT`. The end user sees the guess and can change it. */
export function likelyCountry(tags: readonly string[]): string | undefined {
  for (const tag of tags) {
    const region = tag.split('-').find((part) => /^[A-Z]{2}$/.test(part));
    const entry = region && [...COUNTRIES].find(([, two]) => two === region);
    if (entry) return entry[0];
  }
  return undefined;
}
