-- The external id of a user, sealed with the key of personal data of the tenant. `ext_id` is a keyed hash of it from then on,
-- `ext_id_folded` a code; so are the folded names of members of watchlists. A server that starts seals what is there.
ALTER TABLE identity_users ADD COLUMN ext_sealed BYTEA;
