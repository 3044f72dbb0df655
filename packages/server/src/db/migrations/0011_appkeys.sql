-- Keys of mobile and web applications (FIDO UAF 1.1). Nothing here is a secret: the private key never left the device.
CREATE TABLE appkeys (
  tenant_id      TEXT    NOT NULL REFERENCES tenants (id),
  id             TEXT    NOT NULL,
  store_id       TEXT    NOT NULL,
  user_id        TEXT    NOT NULL,
  rp_id          TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- base64url; names one key of a relying party.
  key_id         TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  device_id      TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  aaid           TEXT    NOT NULL,
  -- DEVICE or BIOMETRIC.
  key_type       TEXT    NOT NULL,
  -- ACTIVE or DISABLED.
  status         TEXT    NOT NULL,
  -- The number of the registry, as the key was registered: no assertion can choose another.
  sign_algorithm INTEGER NOT NULL,
  -- SubjectPublicKeyInfo.
  public_key     BYTEA   NOT NULL,
  sign_count     BIGINT  NOT NULL,
  -- FULL or SURROGATE.
  attestation    TEXT    NOT NULL,
  created_at     BIGINT  NOT NULL,
  last_used_at   BIGINT,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
)
-- Every authentication changes the counter of its key.
/*postgres WITH (fillfactor = 80)*/;

CREATE UNIQUE INDEX appkeys_key_id ON appkeys (tenant_id, store_id, rp_id, key_id);
CREATE INDEX appkeys_user ON appkeys (tenant_id, user_id, rp_id, device_id);

-- The devices that hold a user's appkeys of a relying party. One goes with the last of its keys.
CREATE TABLE appkey_devices (
  tenant_id       TEXT    NOT NULL REFERENCES tenants (id),
  user_id         TEXT    NOT NULL,
  rp_id           TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  device_id       TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  -- APNS, FCM or WEB_PUSH, by what the application is.
  push_provider   TEXT    NOT NULL,
  -- Where push notifications go, sealed for the user.
  push_token      BYTEA,
  -- The provider called the token dead.
  invalid_token   INTEGER NOT NULL,
  preferred       INTEGER NOT NULL,
  created_at      BIGINT  NOT NULL,
  last_updated_at BIGINT  NOT NULL,
  PRIMARY KEY (tenant_id, user_id, rp_id, device_id),
  FOREIGN KEY (tenant_id, user_id) REFERENCES identity_users (tenant_id, id) ON DELETE CASCADE
);

-- A user has one preferred device of a relying party at the most.
CREATE UNIQUE INDEX appkey_devices_preferred ON appkey_devices (tenant_id, user_id, rp_id) WHERE preferred = 1;

-- Challenges of callers that were presented: each is good once. Kept until nobody could use them any more.
CREATE TABLE used_challenges (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  store_id       TEXT   NOT NULL,
  -- SHA-256 of kind, relying party and challenge.
  challenge_hash BYTEA  NOT NULL,
  expires_at     BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, store_id, challenge_hash),
  FOREIGN KEY (tenant_id, store_id) REFERENCES identity_stores (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

CREATE INDEX used_challenges_expires ON used_challenges (tenant_id, expires_at);
