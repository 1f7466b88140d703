-- +goose Up
-- Each node has a chain of its own. What was written before nodes had names is the chain of the node ''. Within a node
-- times rise with sequence numbers, so a span of time is found by bisection.
ALTER TABLE audit_segment RENAME TO audit_segment_before;
CREATE TABLE audit_segment (
  node      TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  last_seq  INTEGER NOT NULL,
  first_at  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  hash      BLOB NOT NULL,
  sig       BLOB NOT NULL,
  data      BLOB NOT NULL,
  PRIMARY KEY (node, first_seq)
) STRICT;
INSERT INTO audit_segment (node, first_seq, last_seq, first_at, last_at, hash, sig, data)
  SELECT '', first_seq, last_seq, first_at, last_at, hash, sig, data FROM audit_segment_before ORDER BY first_seq;
DROP TABLE audit_segment_before;

ALTER TABLE audit_head RENAME TO audit_head_before;
CREATE TABLE audit_head (
  node TEXT PRIMARY KEY,
  seq  INTEGER NOT NULL,
  at   INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sig  BLOB NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO audit_head (node, seq, at, hash, sig) SELECT '', seq, at, hash, sig FROM audit_head_before;
DROP TABLE audit_head_before;

-- Where in a chain its checkpoints stand, and what lies between each and the one before: marks are the sorted 4-byte
-- digests of the tenants and types of those records, null when they are not known. It is an index and proves nothing.
CREATE TABLE audit_checkpoint (
  node      TEXT NOT NULL,
  seq       INTEGER NOT NULL,
  first_seq INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  marks     BLOB,
  PRIMARY KEY (node, seq)
) STRICT, WITHOUT ROWID;

-- Where a chain begins after retention has removed what lay before: the last record that was removed, its hash, how
-- many records of each type are gone (JSON), when that was, and a signature over all of it.
CREATE TABLE audit_base (
  node       TEXT PRIMARY KEY,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  hash       BLOB NOT NULL,
  counts     TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sig        BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE audit_base;
DROP TABLE audit_checkpoint;
ALTER TABLE audit_head RENAME TO audit_head_nodes;
CREATE TABLE audit_head (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  at   INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sig  BLOB NOT NULL
) STRICT;
INSERT INTO audit_head (one, seq, at, hash, sig) SELECT 1, seq, at, hash, sig FROM audit_head_nodes WHERE node = '';
DROP TABLE audit_head_nodes;
ALTER TABLE audit_segment RENAME TO audit_segment_nodes;
CREATE TABLE audit_segment (
  first_seq INTEGER PRIMARY KEY,
  last_seq  INTEGER NOT NULL,
  first_at  INTEGER NOT NULL,
  last_at   INTEGER NOT NULL,
  hash      BLOB NOT NULL,
  sig       BLOB NOT NULL,
  data      BLOB NOT NULL
) STRICT;
INSERT INTO audit_segment (first_seq, last_seq, first_at, last_at, hash, sig, data)
  SELECT first_seq, last_seq, first_at, last_at, hash, sig, data FROM audit_segment_nodes WHERE node = '';
DROP TABLE audit_segment_nodes;
