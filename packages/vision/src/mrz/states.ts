/** Codes of states and organisations in machine readable zones: ISO 3166-1 alpha-3 and ICAO 9303 part 3, section 5. */
const CODES = `
ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR
BLZ BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP
CZE DEU DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB
GNB GNQ GRC GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN
KAZ KEN KGZ KHM KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD
MLI MLT MMR MNE MNG MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN
PCN PER PHL PLW PNG POL PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM
SPM SRB SSD STP SUR SVK SVN SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR UMI
URY USA UZB VAT VCT VEN VGB VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE
D<< EUE GBD GBN GBO GBP GBS IAO NTZ RKS XAA XAB XBA XCC XCE XCO XCT XDC XEC XES XIM XMP XOM XPO XSM XXA XXB XXC XXX
UNO UNA UNK ZAR UTO`
  .trim()
  .split(/\s+/);

export const STATES: ReadonlySet<string> = new Set(CODES);

/** The state that ICAO 9303 part 3 reserves for examples. */
const EXAMPLE_STATES: readonly string[] = ['UTO'];
/** Codes of persons without a state, or of none in particular; none of them issues documents. */
const NO_ISSUERS: readonly string[] = ['XXA', 'XXB', 'XXC', 'XXX', 'NTZ'];
/** The codes that ISO 3166 leaves to its users: AAA to AAZ, QMA to QZZ, XAA to XZZ, ZZA to ZZZ. */
const USER_CODES = /^(AA[A-Z]|Q[M-Z][A-Z]|X[A-Z]{2}|ZZ[A-Z])$/;

/** Whether a zone marks the document as an example: its state does not exist, or issues no documents. */
export function isSpecimenZone({
  issuer,
  nationality,
}: {
  readonly issuer: string;
  readonly nationality: string;
}): boolean {
  const invented = (code: string): boolean =>
    EXAMPLE_STATES.includes(code) || (USER_CODES.test(code) && !STATES.has(code));
  return invented(issuer) || invented(nationality) || NO_ISSUERS.includes(issuer);
}

/** The two-letter or unusual codes that some cards print instead of three letters. */
export const UNUSUAL_STATES: ReadonlySet<string> = new Set(['D', 'BDR', 'SI', 'CMW', 'RKS', 'UTO']);
