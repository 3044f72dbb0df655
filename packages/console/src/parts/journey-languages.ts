/** The languages that journeys speak, as the contract names them: a test compares the two. */
export const JOURNEY_LANGUAGES = [
  ...(['en', 'de', 'fr', 'es', 'pt', 'it', 'pl', 'ar', 'nl', 'sv'] as const),
  ...(['da', 'fi', 'nb', 'cs', 'ro', 'hu', 'el', 'tr', 'uk', 'zh-Hans'] as const),
] as const;
