-- +goose Up
-- The servers of agents' tools that are records, by name. headers holds the sealed values of the headers in header_names.
CREATE TABLE mcp_server (
  id                 TEXT PRIMARY KEY,
  url                TEXT NOT NULL,
  openapi_url        TEXT NOT NULL,
  openapi_operations TEXT NOT NULL,
  headers            BYTEA,
  header_names       TEXT NOT NULL,
  era                TEXT NOT NULL,
  trust              TEXT NOT NULL,
  pin                TEXT NOT NULL,
  tools              TEXT NOT NULL,
  prompts            TEXT NOT NULL,
  resources          TEXT NOT NULL,
  access             TEXT NOT NULL,
  price              BIGINT NOT NULL,
  prices             TEXT NOT NULL,
  enabled            BIGINT NOT NULL,
  version            BIGINT NOT NULL,
  created_at         BIGINT NOT NULL,
  updated_at         BIGINT NOT NULL
);

-- The virtual servers that are records, by name. members names servers of mcp_server or of the configuration file;
-- list_timeout is in milliseconds.
CREATE TABLE virtual_server (
  id           TEXT PRIMARY KEY,
  members      TEXT NOT NULL,
  list_timeout BIGINT NOT NULL,
  enabled      BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  updated_at   BIGINT NOT NULL
);

-- +goose Down
DROP TABLE virtual_server;
DROP TABLE mcp_server;
