package admin

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Page selects a part of a list.
type Page struct {
	Limit int    // 0 for all remaining elements
	After string // the cursor of the previous element; "" for the first page
}

// formatCursor returns the cursor of a record in a list that is sorted by creation time.
func formatCursor(made time.Time, id string) string {
	return strconv.FormatInt(made.UnixMicro(), 36) + "." + id
}

// parseCursor parses a cursor of formatCursor.
func (p Page) parseCursor() (store.Cursor, error) {
	if p.After == "" {
		return store.Cursor{}, nil
	}
	at, id, ok := strings.Cut(p.After, ".")
	n, err := strconv.ParseInt(at, 36, 64)
	if !ok || err != nil || id == "" {
		return store.Cursor{}, newInvalidValueError("cursor", "send next_cursor of the previous page unchanged")
	}
	return store.Cursor{At: time.UnixMicro(n).UTC(), ID: id}, nil
}

// List is a list of records. Its elements are read from the store during iteration, once. The first error ends the
// iteration.
type List[T any] struct {
	All    iter.Seq2[T, error]
	Cursor func(T) string // returns the cursor of the page after an element
}

// newList returns a list of elements in memory, paged by their ids.
func newList[T any](all []T, page Page, id func(T) string) (List[T], error) {
	if page.After != "" {
		at := slices.IndexFunc(all, func(v T) bool { return id(v) == page.After })
		if at < 0 {
			return List[T]{}, newInvalidValueError("cursor", "the element before this page was deleted; start again without a cursor")
		}
		all = all[at+1:]
	}
	if page.Limit > 0 && len(all) > page.Limit {
		all = all[:page.Limit]
	}
	return List[T]{Cursor: id, All: func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
	}}, nil
}

// viewRecords converts stored records to what the API shows.
func viewRecords[R, V any](records iter.Seq2[R, error], view func(*R) V) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		for r, err := range records {
			if err != nil {
				var none V
				yield(none, err)
				return
			}
			if !yield(view(&r), nil) {
				return
			}
		}
	}
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }
