package store

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// field binds a column to a field of a record: rows are scanned into it, and statements take its value.
type field struct {
	column string
	// at is a pointer to a string, an integer, a bool or bytes, or one of the codecs below.
	at    any
	fixed bool // set at insertion; changes do not touch it
	large bool // omitted from lists, where it reads as ""
}

// codec converts a value to and from its stored form.
type codec interface {
	sql.Scanner
	driver.Valuer
}

// newFixedField returns a field whose column never changes.
func newFixedField(column string, at any) field { return field{column: column, at: at, fixed: true} }

// readValue returns the value to store.
func (f *field) readValue() (v any, err error) {
	switch at := f.at.(type) {
	case *string:
		v = *at
	case *int64:
		v = *at
	case *int:
		v = int64(*at)
	case *bool:
		v = convertFlag(*at)
	case *[]byte:
		v = *at
	case codec:
		if v, err = at.Value(); err != nil {
			err = fmt.Errorf("%s: %w", f.column, err)
		}
	default:
		err = fmt.Errorf("column %s: no codec for %T", f.column, f.at)
	}
	return v, err
}

// copyValue copies the field's value from another record.
func (f *field) copyValue(from *field) error {
	switch at := f.at.(type) {
	case *string:
		*at = *from.at.(*string)
	case *int64:
		*at = *from.at.(*int64)
	case codec:
		v, err := from.readValue()
		if err != nil {
			return err
		}
		return at.Scan(v)
	default:
		return fmt.Errorf("column %s: a %T cannot be fixed", f.column, f.at)
	}
	return nil
}

// instantCodec stores a time in microseconds, and the zero time as null.
type instantCodec struct{ at *time.Time }

func newInstantCodec(t *time.Time) codec { return instantCodec{t} }

func (c instantCodec) Value() (driver.Value, error) {
	if c.at.IsZero() {
		return nil, nil
	}
	return c.at.UnixMicro(), nil
}

func (c instantCodec) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*c.at = convertToInstant(n)
	return err
}

// momentCodec stores a time in microseconds where the column cannot be null.
type momentCodec struct{ at *time.Time }

func newMomentCodec(t *time.Time) codec { return momentCodec{t} }

func (c momentCodec) Value() (driver.Value, error) { return c.at.UnixMicro(), nil }

func (c momentCodec) Scan(v any) error { return instantCodec(c).Scan(v) }

// millisCodec stores a duration in whole milliseconds.
type millisCodec struct{ at *time.Duration }

func newMillisCodec(d *time.Duration) codec { return millisCodec{d} }

func (c millisCodec) Value() (driver.Value, error) { return c.at.Milliseconds(), nil }

func (c millisCodec) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	*c.at = time.Duration(n.Int64) * time.Millisecond
	return err
}

// textOrNull stores an empty text as null.
type textOrNull struct{ at *string }

func newNullTextCodec(s *string) codec { return textOrNull{s} }

func (c textOrNull) Value() (driver.Value, error) {
	if *c.at == "" {
		return nil, nil
	}
	return *c.at, nil
}

func (c textOrNull) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*c.at = s.String
	return err
}

// numberOrNull stores numbers up to none as null, and reads null as none.
type numberOrNull struct {
	at   *int64
	none int64
}

func newNullNumberCodec(n *int64, none int64) codec { return numberOrNull{n, none} }

func (c numberOrNull) Value() (driver.Value, error) {
	if *c.at <= c.none {
		return nil, nil
	}
	return *c.at, nil
}

func (c numberOrNull) Scan(v any) error {
	var n sql.NullInt64
	err := n.Scan(v)
	if *c.at = n.Int64; !n.Valid {
		*c.at = c.none
	}
	return err
}

// digestCodec stores the bytes of a digest.
type digestCodec struct{ at *[32]byte }

func newDigestCodec(d *[32]byte) codec { return digestCodec{d} }

func (c digestCodec) Value() (driver.Value, error) { return c.at[:], nil }

func (c digestCodec) Scan(v any) error {
	b, _ := v.([]byte)
	if len(b) != len(c.at) {
		return errors.New("the hash is damaged")
	}
	copy(c.at[:], b)
	return nil
}

// textBytes stores bytes in a column of text.
type textBytes struct{ at *[]byte }

func newTextCodec(b *[]byte) codec { return textBytes{b} }

func (c textBytes) Value() (driver.Value, error) { return string(*c.at), nil }

func (c textBytes) Scan(v any) error {
	var s sql.NullString
	err := s.Scan(v)
	*c.at = []byte(s.String)
	return err
}

// jsonCodec stores a value as JSON text. Map keys come out sorted, so equal values give equal text.
type jsonCodec[V any] struct {
	at    *V
	empty string // encoding of nil
}

func newJSONCodec[V any](v *V) codec { return jsonCodec[V]{v, "null"} }

func newListCodec(list *[]string) codec { return jsonCodec[[]string]{list, "[]"} }

func newMapCodec(m *map[string]any) codec { return jsonCodec[map[string]any]{m, "{}"} }

func (c jsonCodec[V]) Value() (driver.Value, error) {
	b, err := json.Marshal(c.at)
	if string(b) == "null" {
		return c.empty, err
	}
	return string(b), err
}

func (c jsonCodec[V]) Scan(v any) error {
	var s sql.NullString
	if err := s.Scan(v); err != nil {
		return err
	}
	return json.Unmarshal([]byte(s.String), c.at)
}
