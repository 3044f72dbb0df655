export type DocumentType = 'passport' | 'identityCard' | 'visa' | 'drivingLicence' | 'other' | 'unknown';
