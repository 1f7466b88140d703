-- +goose Up
-- Chargeback reports. tenant_id is empty for one of all tenants; report is JSON, in which money is exact. pdf comes last,
-- so that the other columns are read without its pages.
CREATE TABLE chargeback_report (
  id           TEXT COLLATE "C" PRIMARY KEY,
  tenant_id    TEXT COLLATE "C" NOT NULL,
  from_at      BIGINT NOT NULL,
  to_at        BIGINT NOT NULL,
  generated_at BIGINT NOT NULL,
  generated_by TEXT NOT NULL,
  report       TEXT NOT NULL,
  pdf          BYTEA NOT NULL
);
CREATE INDEX chargeback_report_time ON chargeback_report (generated_at, id);

-- +goose Down
DROP TABLE chargeback_report;
