package admin

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Page chooses a part of a list.
type Page struct {
	Limit int    // 0: all that follow
	After string // the cursor of the element before; "": from the beginning
}

// cursorOf is the cursor of a record in a list by the time of making.
func cursorOf(made time.Time, id string) string {
	return strconv.FormatInt(made.UnixMicro(), 36) + "." + id
}

// cursor reads what cursorOf made.
func (p Page) cursor() (store.Cursor, error) {
	if p.After == "" {
		return store.Cursor{}, nil
	}
	at, id, ok := strings.Cut(p.After, ".")
	n, err := strconv.ParseInt(at, 36, 64)
	if !ok || err != nil || id == "" {
		return store.Cursor{}, invalidValue("cursor", "send next_cursor of the page before, unchanged")
	}
	return store.Cursor{At: time.UnixMicro(n).UTC(), ID: id}, nil
}

// List is a list of records. Its elements are read from the store while they are used, and only once; the first error
// ends them.
type List[T any] struct {
	All    iter.Seq2[T, error]
	Cursor func(T) string // where a page that ends with the element goes on
}

// listOf makes a list of elements that are in memory, which has pages by their ids.
func listOf[T any](all []T, page Page, id func(T) string) (List[T], error) {
	if page.After != "" {
		at := slices.IndexFunc(all, func(v T) bool { return id(v) == page.After })
		if at < 0 {
			return List[T]{}, invalidValue("cursor", "the element that it follows is gone; begin again without it")
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

// viewEach turns what the store lists into what the API shows.
func viewEach[R, V any](records iter.Seq2[R, error], view func(*R) V) iter.Seq2[V, error] {
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
