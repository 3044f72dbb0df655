-- When a lock for a time was set. A lock of a moment that is still to come was set by a clock that was ahead, and is over.
-- Empty where an earlier release set it.
ALTER TABLE identity_users ADD COLUMN temp_lock_at BIGINT;
ALTER TABLE user_locks ADD COLUMN locked_at BIGINT;
