-- +goose Up
-- The nodes that ask this control plane, with the version that each has.
CREATE TABLE fleet_node (
  name    TEXT PRIMARY KEY,
  version BIGINT NOT NULL,
  seen_at BIGINT NOT NULL
);

-- Up to which of its numbers a node's records of a kind are stored here.
CREATE TABLE fleet_cursor (
  node TEXT NOT NULL,
  kind TEXT NOT NULL,
  upto BIGINT NOT NULL,
  PRIMARY KEY (node, kind)
);

-- +goose Down
DROP TABLE fleet_cursor;
DROP TABLE fleet_node;
