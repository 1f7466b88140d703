package store

import "context"

// Get, Select and Exec are for tests, which have no context to end.
func (b bound) Get(dest any, query string, args ...any) error {
	return b.GetContext(context.Background(), dest, query, args...)
}

func (b bound) Select(dest any, query string, args ...any) error {
	return b.SelectContext(context.Background(), dest, query, args...)
}

func (b bound) Exec(query string, args ...any) error {
	_, err := b.ExecContext(context.Background(), query, args...)
	return err
}
