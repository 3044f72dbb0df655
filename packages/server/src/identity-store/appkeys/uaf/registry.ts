/** The constants of the FIDO UAF registry that this server understands. */

export const TAG = {
  REG_ASSERTION: 0x3e01,
  AUTH_ASSERTION: 0x3e02,
  KRD: 0x3e03,
  SIGNED_DATA: 0x3e04,
  ATTESTATION_CERT: 0x2e05,
  SIGNATURE: 0x2e06,
  ATTESTATION_BASIC_FULL: 0x3e07,
  ATTESTATION_BASIC_SURROGATE: 0x3e08,
  KEYID: 0x2e09,
  FINAL_CHALLENGE_HASH: 0x2e0a,
  AAID: 0x2e0b,
  PUB_KEY: 0x2e0c,
  COUNTERS: 0x2e0d,
  ASSERTION_INFO: 0x2e0e,
  AUTHENTICATOR_NONCE: 0x2e0f,
  TRANSACTION_CONTENT_HASH: 0x2e10,
  /**
   * A critical extension: the server must understand its id. This server understands none, so it refuses the assertion.
   */
  EXTENSION: 0x3e11,
  EXTENSION_NON_CRITICAL: 0x3e12,
  EXTENSION_ID: 0x2e13,
  EXTENSION_DATA: 0x2e14,
} as const;

export const SIGN = {
  SECP256R1_ECDSA_SHA256_RAW: 0x0001,
  SECP256R1_ECDSA_SHA256_DER: 0x0002,
  RSASSA_PSS_SHA256_RAW: 0x0003,
  RSASSA_PSS_SHA256_DER: 0x0004,
  SECP256K1_ECDSA_SHA256_RAW: 0x0005,
  SECP256K1_ECDSA_SHA256_DER: 0x0006,
  RSA_EMSA_PKCS1_SHA256_RAW: 0x0008,
  RSA_EMSA_PKCS1_SHA256_DER: 0x0009,
} as const;

export const KEY = {
  ECC_X962_RAW: 0x0100,
  ECC_X962_DER: 0x0101,
  RSA_2048_RAW: 0x0102,
  RSA_2048_DER: 0x0103,
} as const;

/** VERIFIED: the user was verified. CONFIRMED: the user was verified and confirmed a displayed transaction. */
export const MODE = { VERIFIED: 0x01, CONFIRMED: 0x02 } as const;

export const ASSERTION_SCHEME = 'UAFV1TLV';

/** Flags of biometric methods of user verification. */
const FINGERPRINT = 0x02;
const VOICEPRINT = 0x08;
const FACEPRINT = 0x10;
const EYEPRINT = 0x40;
const HANDPRINT = 0x100;
export const BIOMETRIC_METHODS = FINGERPRINT | VOICEPRINT | FACEPRINT | EYEPRINT | HANDPRINT;
/** If this flag is set, all flagged methods are required together; otherwise any of them is enough. */
export const USER_VERIFY_ALL = 0x400;

/** Error codes of a UAF client. */
export const CLIENT_ERROR = {
  NO_ERROR: 0x00,
  WAIT_USER_ACTION: 0x01,
  USER_CANCELLED: 0x03,
  USER_NOT_RESPONSIVE: 0x0e,
  SYSTEM_INTERRUPTED: 0x12,
  MOST: 0xff,
} as const;

/** Four hexadecimal digits for the vendor, four for the model. */
export const AAID_PATTERN = /^[0-9A-Fa-f]{4}#[0-9A-Fa-f]{4}$/;
