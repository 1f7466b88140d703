package console

// column is one column of a table of T. The first column of a table heads its rows.
type column[T any] struct {
	head  string
	class string // class of its cells: "num", "break", "nowrap"
	cell  func(r *request, v T) part
}

// newActionsColumn returns a column with the actions on a row. Its heading is only read aloud.
func newActionsColumn[T any](head string, cell func(r *request, v T) part) column[T] {
	return column[T]{head, actionColumn, cell}
}

// table is a list to draw.
type table struct {
	Heads []head
	Rows  []row
	Keyed bool // rows have keys, so that a page that is kept live moves none that is being read
	After string
	First bool
	Empty string
}

type head struct{ Text, Class string }

// Hidden reports whether the heading is only read aloud.
func (h head) Hidden() bool { return h.Class == actionColumn }

// CSS returns the class of the cells in the style sheet.
func (h head) CSS() string {
	if h.Hidden() {
		return "nowrap"
	}
	return h.Class
}

const actionColumn = "actions"

type row struct {
	Key   string
	Cells []cell
}

// cell is a part with its column.
type cell struct {
	part
	head
}

// newTable lays the rows of a list out in columns. key is optional.
func newTable[T any](r *request, columns []column[T], l list[T], key func(T) string, empty string) *table {
	t := &table{Keyed: key != nil, After: l.After, First: l.First, Empty: empty}
	for _, c := range columns {
		t.Heads = append(t.Heads, head{c.head, c.class})
	}
	for _, v := range l.Rows {
		var of row
		if key != nil {
			of.Key = key(v)
		}
		for i, c := range columns {
			of.Cells = append(of.Cells, cell{c.cell(r, v), t.Heads[i]})
		}
		t.Rows = append(t.Rows, of)
	}
	return t
}
