import { X509Certificate } from 'node:crypto';
import { isBase64 } from '../../kernel/base64.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/escape.ts';
import { canonicalFacet } from './facet-rules.ts';
import type { AppkeyConfig, MatchCriteria, UafPolicy } from './uaf/match-policy.ts';

/**
 * The rules of a relying party's appkey configuration. Every change checks the whole configuration, not only the
 * change.
 */

const POLICY_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}$/;
/** The only criteria that the standard allows beside `aaid`: the model already determines all others. */
const BESIDE_AAID: ReadonlySet<string> = new Set(['aaid', 'keyIDs', 'attachmentHint', 'authenticatorVersion']);

export function checkConfig(config: AppkeyConfig): void {
  const faults = [
    ...appIdFaults(config.appId),
    ...facetFaults(config.trustedFacets ?? []),
    ...keyTypeFaults(config.keyTypes),
    ...policyFaults(config.registrationPolicies ?? {}, '/registrationPolicies'),
    ...policyFaults(config.authenticationPolicies ?? {}, '/authenticationPolicies'),
    ...statementFaults(config.metadataStatements ?? []),
  ];
  if (faults.length > 0) throw invalidInput(...faults);
}

function appIdFaults(appId: string | undefined): FieldFault[] {
  if (appId === undefined || canonicalFacet(appId) !== undefined || isHttpsAddress(appId)) return [];
  return [{ pointer: '/appId', message: 'must be an address that begins with https, or a facet' }];
}

function isHttpsAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && !username && !password;
}

function facetFaults(facets: readonly string[]): FieldFault[] {
  return facets.flatMap((facet, at) =>
    canonicalFacet(facet) === undefined ? [{ pointer: `/trustedFacets/${at}`, message: FACET_FORMS }] : [],
  );
}

const FACET_FORMS =
  'must be android:apk-key-hash:<base64 of a SHA-1 hash>, android:apk-key-hash-sha256:<base64 of a SHA-256 hash>, ios:bundle-id:<bundle id> or an origin such as https://app.example.com';

function keyTypeFaults(keyTypes: readonly string[] | undefined): FieldFault[] {
  if (keyTypes === undefined || (keyTypes.length > 0 && new Set(keyTypes).size === keyTypes.length)) return [];
  return [{ pointer: '/keyTypes', message: 'must name at least one key type, and each only once' }];
}

function policyFaults(policies: Readonly<Record<string, UafPolicy>>, pointer: string): FieldFault[] {
  return Object.entries(policies).flatMap(([name, policy]) => {
    const own = pointerTo(pointer, name);
    if (!POLICY_NAME.test(name)) {
      const message =
        'must have a name of 1 to 100 letters, digits, spaces, dots, _ and -, which begins with a letter or a digit';
      return [{ pointer: own, message }];
    }
    return [
      ...policy.accepted.flatMap(([criteria], at) => criteriaFaults(criteria, `${own}/accepted/${at}/0`)),
      ...(policy.disallowed ?? []).flatMap((criteria, at) => criteriaFaults(criteria, `${own}/disallowed/${at}`)),
    ];
  });
}

function criteriaFaults(criteria: MatchCriteria | undefined, pointer: string): FieldFault[] {
  if (!criteria?.aaid) return [];
  const other = Object.keys(criteria).find((name) => !BESIDE_AAID.has(name));
  return other ? [{ pointer: `${pointer}/${other}`, message: 'must not be set together with aaid' }] : [];
}

function statementFaults(statements: NonNullable<AppkeyConfig['metadataStatements']>): FieldFault[] {
  const models = new Set<string>();
  return statements.flatMap(({ aaid, attestationRootCertificates = [] }, at) => {
    const faults = attestationRootCertificates.flatMap((certificate, index) =>
      isCertificate(certificate)
        ? []
        : [
            {
              pointer: `/metadataStatements/${at}/attestationRootCertificates/${index}`,
              message: 'must be a certificate, base64 of DER',
            },
          ],
    );
    if (models.has(aaid.toUpperCase())) {
      faults.push({ pointer: `/metadataStatements/${at}/aaid`, message: 'must not have a second statement' });
    }
    models.add(aaid.toUpperCase());
    return faults;
  });
}

function isCertificate(base64: string): boolean {
  if (!isBase64(base64)) return false;
  const bytes = Buffer.from(base64, 'base64');
  try {
    return new X509Certificate(bytes).raw.equals(bytes);
  } catch {
    return false;
  }
}
