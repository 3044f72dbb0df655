-- How the operators of a tenant sign in with the accounts of their company.
CREATE TABLE single_sign_on (
  tenant_id          TEXT   NOT NULL PRIMARY KEY REFERENCES tenants (id),
  issuer             TEXT   NOT NULL,
  client_id          TEXT   NOT NULL,
  -- The cloud secret that holds the client secret; empty for a public client.
  client_secret_name TEXT   NOT NULL,
  -- A JSON array.
  scopes             TEXT   NOT NULL,
  groups_claim       TEXT   NOT NULL,
  -- A JSON array of group and role.
  roles              TEXT   NOT NULL,
  last_updated_at    BIGINT NOT NULL
);

-- The account at the provider: its issuer and its subject. Empty for an operator who signs in with a passkey.
ALTER TABLE operators ADD COLUMN sso_account TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX operators_sso_account ON operators (tenant_id, sso_account) WHERE sso_account <> '';
