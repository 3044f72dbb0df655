-- What is known of a person, sealed with the key of personal data of the tenant. A server that starts seals what an earlier
-- release stored in the clear, and then the other columns are empty.
ALTER TABLE process_instances ADD COLUMN sealed BYTEA;
ALTER TABLE process_tokens ADD COLUMN sealed BYTEA;
