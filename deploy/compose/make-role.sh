#!/bin/sh
# Run once by the image of PostgreSQL, on an empty data folder.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$POSTGRES_PASSWORD" -U "$POSTGRES_USER" -d "$POSTGRES_DB" <<'SQL'
CREATE ROLE grove LOGIN PASSWORD :'password' NOSUPERUSER NOBYPASSRLS;
ALTER DATABASE grove OWNER TO grove;
SQL
