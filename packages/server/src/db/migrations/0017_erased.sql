-- What was erased and is not yet written down outside the database: ids, until a job has done so.
CREATE TABLE unwritten_erasures (
  tenant_id TEXT NOT NULL REFERENCES tenants (id),
  -- user, watchlist, watchlist-member.
  kind      TEXT /*postgres COLLATE "C"*/ NOT NULL,
  id        TEXT /*postgres COLLATE "C"*/ NOT NULL,
  PRIMARY KEY (tenant_id, kind, id)
) /*sqlite WITHOUT ROWID*/;
