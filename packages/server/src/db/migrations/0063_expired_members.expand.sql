-- How many members of a list have expired, and which: the total of a list is the number of its members without these.
CREATE INDEX watchlist_members_expired ON watchlist_members (tenant_id, watchlist_id, expires_at) WHERE expires_at IS NOT NULL;
