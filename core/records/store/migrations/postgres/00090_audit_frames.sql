-- +goose Up
-- Gateways of the version before run beside this schema until they are replaced, and cannot read compressed segments: the
-- time at which this migration was applied says from when on segments may be compressed.
COMMENT ON COLUMN audit_segment.data IS 'records, or a Zstandard frame of them';

-- +goose Down
COMMENT ON COLUMN audit_segment.data IS NULL;
