-- +goose Up
-- The link of the chain that blocked an exchange; null for exchanges that were not blocked, and for those from before this migration.
-- The view usage_exchange does not show it: gateways of the previous version read all columns of the view and know those of today.
ALTER TABLE usage_record ADD COLUMN blocked_by TEXT;

-- How many exchanges each link blocked, in the units of usage_pace. A row with an empty tenant is for all tenants.
CREATE TABLE usage_link (
  unit      BIGINT NOT NULL,
  tenant_id TEXT COLLATE "C" NOT NULL,
  span      BIGINT NOT NULL,
  link      TEXT COLLATE "C" NOT NULL,
  calls     BIGINT NOT NULL,
  PRIMARY KEY (unit, tenant_id, span, link)
);

-- +goose Down
DROP TABLE usage_link;
ALTER TABLE usage_record DROP COLUMN blocked_by;
