-- From where the browser of an end user called: networks, time zone, country. Sealed, and removed with the instance.
ALTER TABLE journey_sessions ADD COLUMN facts BYTEA;
