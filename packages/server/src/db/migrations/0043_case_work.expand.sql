-- What two instances have in common: they have the same code. It is a keyed hash of a document number, an e-mail address or a
-- telephone number; of a device, a random id; of a face, the two ids. Nobody can tell the value from it.
CREATE TABLE instance_links (
  tenant_id   TEXT NOT NULL REFERENCES tenants (id),
  environment TEXT NOT NULL,
  -- DOCUMENT_NUMBER, EMAIL, PHONE, DEVICE, FACE.
  kind        TEXT NOT NULL,
  code        TEXT /*postgres COLLATE "C"*/ NOT NULL,
  instance_id TEXT /*postgres COLLATE "C"*/ NOT NULL,
  -- Of faces: how alike they are.
  score       DOUBLE PRECISION,
  PRIMARY KEY (tenant_id, environment, kind, code, instance_id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
) /*sqlite WITHOUT ROWID*/;

CREATE INDEX instance_links_instance ON instance_links (tenant_id, instance_id);

-- What reviewers write to each other about an instance. Sealed with the key of personal data of the tenant.
CREATE TABLE instance_notes (
  tenant_id   TEXT   NOT NULL REFERENCES tenants (id),
  id          TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  instance_id TEXT   /*postgres COLLATE "C"*/ NOT NULL,
  environment TEXT   NOT NULL,
  at          BIGINT NOT NULL,
  author      TEXT   NOT NULL,
  sealed      BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX instance_notes_instance ON instance_notes (tenant_id, instance_id, id);

CREATE TABLE instance_note_mentions (
  tenant_id   TEXT NOT NULL REFERENCES tenants (id),
  operator_id TEXT /*postgres COLLATE "C"*/ NOT NULL,
  note_id     TEXT /*postgres COLLATE "C"*/ NOT NULL,
  environment TEXT NOT NULL,
  PRIMARY KEY (tenant_id, operator_id, note_id),
  FOREIGN KEY (tenant_id, operator_id) REFERENCES operators (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, note_id) REFERENCES instance_notes (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX instance_note_mentions_note ON instance_note_mentions (tenant_id, note_id);

-- Every verdict of a reviewer: where two have to agree there are several of one instance.
CREATE TABLE review_verdicts (
  tenant_id     TEXT    NOT NULL REFERENCES tenants (id),
  id            TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  instance_id   TEXT    /*postgres COLLATE "C"*/ NOT NULL,
  environment   TEXT    NOT NULL,
  definition_id TEXT    NOT NULL,
  at            BIGINT  NOT NULL,
  -- Since when the instance waited for a reviewer.
  entered_at    BIGINT  NOT NULL,
  -- APPROVED, REJECTED, ASKED_AGAIN.
  verdict       TEXT    NOT NULL,
  reviewer      TEXT    NOT NULL,
  -- The operator or API key. Two verdicts of one caller are those of one person.
  caller_id     TEXT    NOT NULL,
  -- Whether it decided the instance: 1 or 0.
  decides       INTEGER NOT NULL,
  -- The comment.
  sealed        BYTEA,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, instance_id) REFERENCES process_instances (tenant_id, id) ON DELETE CASCADE
);

CREATE INDEX review_verdicts_instance ON review_verdicts (tenant_id, instance_id, id);
CREATE INDEX review_verdicts_environment ON review_verdicts (tenant_id, environment, decides, id);

-- What was decided before this release.
INSERT INTO review_verdicts
  (tenant_id, id, instance_id, environment, definition_id, at, entered_at, verdict, reviewer, caller_id, decides, sealed)
  SELECT tenant_id, id, id, environment, definition_id, last_updated_at, last_updated_at, review_status, reviewer, '', 1, NULL
  FROM process_instances WHERE review_status IN ('APPROVED', 'REJECTED') AND reviewer IS NOT NULL;
