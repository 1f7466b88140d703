-- +goose Up
-- The nodes that ask this control plane, with the version that each has.
CREATE TABLE fleet_node (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Up to which of its numbers a node's records of a kind are stored here.
CREATE TABLE fleet_cursor (
  node TEXT NOT NULL,
  kind TEXT NOT NULL,
  upto INTEGER NOT NULL,
  PRIMARY KEY (node, kind)
) STRICT, WITHOUT ROWID;

-- A number is never used again, also when the newest events are deleted: a node hands its events over by their numbers.
ALTER TABLE policy_shadow_event RENAME TO policy_shadow_event_before;
DROP INDEX policy_shadow_event_policy;
CREATE TABLE policy_shadow_event (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  policy_id  TEXT NOT NULL,
  rule_id    TEXT NOT NULL,
  request_id TEXT NOT NULL,
  tenant_id  TEXT NOT NULL,
  model      TEXT NOT NULL,
  active     TEXT NOT NULL,
  shadow     TEXT NOT NULL,
  divergence TEXT NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
INSERT INTO policy_shadow_event (id, policy_id, rule_id, request_id, tenant_id, model, active, shadow, divergence, at)
  SELECT id, policy_id, rule_id, request_id, tenant_id, model, active, shadow, divergence, at FROM policy_shadow_event_before;
DROP TABLE policy_shadow_event_before;
CREATE INDEX policy_shadow_event_policy ON policy_shadow_event (policy_id, at);

-- +goose Down
DROP TABLE fleet_cursor;
DROP TABLE fleet_node;
