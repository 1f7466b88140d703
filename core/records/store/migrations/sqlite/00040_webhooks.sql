-- +goose Up
-- Who wants to be told of events. tenant_id is empty for one of the platform, which hears of every tenant. The secrets are
-- sealed; previous still signs a second header until previous_until. event_types is a JSON array.
CREATE TABLE webhook (
  id             TEXT PRIMARY KEY,
  tenant_id      TEXT NOT NULL,
  name           TEXT NOT NULL,
  url            TEXT NOT NULL,
  secret         BLOB NOT NULL,
  previous       BLOB,
  previous_until INTEGER,
  event_types    TEXT NOT NULL,
  enabled        INTEGER NOT NULL,
  version        INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  UNIQUE (tenant_id, name)
) STRICT, WITHOUT ROWID;

-- The outbox: an event is here when somebody has subscribed to it. data is a JSON object.
CREATE TABLE webhook_event (
  id        TEXT PRIMARY KEY,
  type      TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  data      TEXT NOT NULL,
  at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One event for one subscriber. A node that sends it holds the lease, and nobody else takes it until lease_until.
CREATE TABLE webhook_delivery (
  id          TEXT PRIMARY KEY,
  webhook_id  TEXT NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  event_id    TEXT NOT NULL REFERENCES webhook_event (id) ON DELETE CASCADE,
  state       TEXT NOT NULL,
  attempts    INTEGER NOT NULL DEFAULT 0,
  failures    INTEGER NOT NULL DEFAULT 0,
  queued_at   INTEGER NOT NULL,
  due_at      INTEGER NOT NULL,
  lease       TEXT NOT NULL DEFAULT '',
  lease_until INTEGER NOT NULL DEFAULT 0,
  ended_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook_id, queued_at);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX webhook_delivery_event ON webhook_delivery (event_id);

-- What came of each call: the status, 0 without an answer; the time that it took, in microseconds.
CREATE TABLE webhook_attempt (
  delivery_id TEXT NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
  attempt     INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  status      INTEGER NOT NULL,
  duration    INTEGER NOT NULL,
  error       TEXT NOT NULL,
  PRIMARY KEY (delivery_id, attempt)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE webhook_attempt;
DROP TABLE webhook_delivery;
DROP TABLE webhook_event;
DROP TABLE webhook;
