package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// AddJSONFlag adds the flag --json to a command and returns its value.
func AddJSONFlag(c *cobra.Command) *bool { return c.Flags().Bool("json", false, "print JSON") }

// Column is one column of a table: its heading, and the text of an item.
type Column[T any] struct {
	Head string
	Text func(item *T) string
}

// PrintList writes items as a table, or as a JSON array if asJSON is set. An empty table has only its headings.
func PrintList[T any](w io.Writer, asJSON bool, items []T, columns []Column[T]) error {
	if asJSON {
		return PrintJSON(w, append([]T{}, items...)) // an empty list is [], not null
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	cells := make([]string, len(columns))
	for i := range columns {
		cells[i] = columns[i].Head
	}
	_, _ = fmt.Fprintln(out, strings.Join(cells, "\t")) // Flush returns the writer's error
	for i := range items {
		for j := range columns {
			cells[j] = columns[j].Text(&items[i])
		}
		_, _ = fmt.Fprintln(out, strings.Join(cells, "\t")) // as above
	}
	return out.Flush()
}
