-- +goose Up
-- note is what the one who decided wrote; reason stays that of who asked.
ALTER TABLE approval ADD COLUMN note TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE approval DROP COLUMN note;
