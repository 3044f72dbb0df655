-- Whether the operators of a role see personal data masked: 0 no, 1 yes.
ALTER TABLE operator_roles ADD COLUMN masked INTEGER NOT NULL DEFAULT 0;
