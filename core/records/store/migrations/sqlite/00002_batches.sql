-- +goose Up
-- Files and batches of tenants, under the gateway's ids, and what the provider calls them. data is JSON: what no query
-- asks for. seq is the order of their making, in which they are listed.
CREATE TABLE batch_file (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  tenant_id   TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  provider    TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  purpose     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  data        TEXT NOT NULL
) STRICT;
CREATE INDEX batch_file_tenant ON batch_file (tenant_id, seq);

CREATE TABLE batch_job (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  tenant_id   TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  provider    TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  status      TEXT NOT NULL,
  settled     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL,
  polled_at   INTEGER,
  data        TEXT NOT NULL
) STRICT;
CREATE INDEX batch_job_tenant ON batch_job (tenant_id, seq);
-- The jobs that somebody still has to look after are few.
CREATE INDEX batch_job_open ON batch_job (polled_at) WHERE settled = 0;

-- +goose Down
DROP TABLE batch_job;
DROP TABLE batch_file;
