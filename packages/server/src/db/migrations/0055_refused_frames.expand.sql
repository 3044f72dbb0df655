-- When the server last refused a frame of the challenge because the database or the bucket was away. None if it never did.
ALTER TABLE liveness_challenges ADD COLUMN refused_at BIGINT;
