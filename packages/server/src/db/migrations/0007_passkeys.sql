-- Passkeys: WebAuthn's credential records. Nothing here is a secret: the private key never left its authenticator.
CREATE TABLE passkeys (
  tenant_id          TEXT    NOT NULL REFERENCES tenants (id),
  id                 TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- That of the store.
  environment        TEXT    NOT NULL,
  store_id           TEXT    NOT NULL,
  user_id            TEXT    NOT NULL,
  rp_id              TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- base64url, in its one spelling.
  credential_id      TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- base64url: what the authenticator calls the user.
  user_handle        TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- ACTIVE or DISABLED.
  status             TEXT    NOT NULL,
  -- COSE; as the passkey was registered, so no assertion can choose another.
  alg                INTEGER NOT NULL,
  -- SubjectPublicKeyInfo.
  public_key         BYTEA   NOT NULL,
  sign_count         BIGINT  NOT NULL,
  user_verified      INTEGER NOT NULL,
  backup_eligible    INTEGER NOT NULL,
  backed_up          INTEGER NOT NULL,
  -- A JSON array of words.
  transports         TEXT    NOT NULL,
  aaguid             TEXT    NOT NULL,
  attestation_format TEXT    NOT NULL,
  -- none, self, trusted.
  attestation_trust  TEXT    NOT NULL,
  created_at         BIGINT  NOT NULL,
  last_used_at       BIGINT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
)
-- Every authentication changes the counter of its passkey.
/*postgres WITH (fillfactor = 80)*/;

CREATE UNIQUE INDEX passkeys_credential ON passkeys (tenant_id, environment, rp_id, credential_id);
-- In the order in which they are shown; a user has so few that those of one relying party are picked from them.
CREATE INDEX passkeys_user ON passkeys (tenant_id, user_id, id);
CREATE INDEX passkeys_user_handle ON passkeys (tenant_id, environment, rp_id, user_handle, user_id);

-- What was asked at a registration and what was answered, sealed for the user. Apart, because it is long and seldom read.
CREATE TABLE passkey_audits (
  tenant_id  TEXT  NOT NULL REFERENCES tenants (id),
  passkey_id TEXT  NOT NULL,
  sealed     BYTEA NOT NULL,
  PRIMARY KEY (tenant_id, passkey_id),
  FOREIGN KEY (tenant_id, passkey_id) REFERENCES passkeys (tenant_id, id) ON DELETE CASCADE
);
