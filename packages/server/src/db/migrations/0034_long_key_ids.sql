-- A key id of UAF may have 2,048 bytes, which no index takes: then key_id is its hash, and this is the key id itself.
ALTER TABLE appkeys ADD COLUMN long_key_id TEXT;
