package audit

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// timeForm formats a record's time with microseconds, so that it parses back exactly.
const timeForm = "2006-01-02T15:04:05.000000Z"

// ExportedRecord is a record as the API and the exports show it.
type ExportedRecord struct {
	EventID   string          `json:"eventId"`
	Timestamp string          `json:"timestamp"`
	TenantID  *string         `json:"tenantId"` // null for the installation itself
	EventType string          `json:"eventType"`
	Payload   json.RawMessage `json:"payload"`
}

// ViewRecord returns the record as the API shows it. Of r it retains only the strings.
func ViewRecord(r *store.AuditRecord) ExportedRecord {
	e := ExportedRecord{
		EventID: r.EventID(), Timestamp: r.Time().Format(timeForm), EventType: r.Type, Payload: json.RawMessage(r.Payload),
	}
	if tenant := r.Tenant; tenant != "" {
		e.TenantID = &tenant
	}
	return e
}

// WriteJSON writes the records that match f as a JSON array, newest first, one per line. It copies payloads byte for
// byte, because the chain's hashes cover bytes. It holds one record at a time.
func WriteJSON(ctx context.Context, out io.Writer, db *store.DB, f store.AuditFilter) error {
	w := bufio.NewWriterSize(out, 64<<10)
	between := "["
	var line Payload
	err := db.Audit().Visit(ctx, f, func(r *store.AuditRecord) error {
		if _, err := w.WriteString(between); err != nil {
			return err
		}
		between = ","
		line.Reset()
		line.AddStr("eventId", r.EventID())
		line.AddStr("timestamp", r.Time().Format(timeForm))
		if r.Tenant == "" {
			line.AddRaw("tenantId", []byte("null"))
		} else {
			line.AddStr("tenantId", r.Tenant)
		}
		line.AddStr("eventType", r.Type)
		line.AddRaw("payload", []byte(r.Payload))
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
		_, err := w.Write(line.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("export audit events: %w", err)
	}
	if between == "[" {
		_, _ = w.WriteString("[") // the writer keeps its first error, and Flush returns it
	}
	_, _ = w.WriteString("\n]\n")
	return w.Flush()
}

// columns are the columns of the CSV export.
var columns = []string{"event_id", "timestamp", "tenant_id", "event_type", "payload"}

// WriteCSV writes the records that match f as CSV, newest first, below a header row. guardCell escapes each cell.
func WriteCSV(ctx context.Context, out io.Writer, db *store.DB, f store.AuditFilter) error {
	w := csv.NewWriter(out)
	if err := w.Write(columns); err != nil {
		return fmt.Errorf("export audit events: %w", err)
	}
	cells := make([]string, len(columns))
	err := db.Audit().Visit(ctx, f, func(r *store.AuditRecord) error {
		for i, v := range []string{r.EventID(), r.Time().Format(timeForm), r.Tenant, r.Type, r.Payload} {
			cells[i] = guardCell(v)
		}
		return w.Write(cells)
	})
	if err != nil {
		return fmt.Errorf("export audit events: %w", err)
	}
	w.Flush()
	return w.Error()
}

// formula holds the characters with which a spreadsheet starts a formula, and the quote that guardCell puts before such
// a cell.
const formula = "=+-@\t\r'"

// guardCell puts a single quote before a cell that a spreadsheet would read as a formula. It also quotes a cell that
// already starts with a single quote, so that unguardCell can always remove exactly one.
func guardCell(cell string) string {
	if cell != "" && strings.IndexByte(formula, cell[0]) >= 0 {
		return "'" + cell
	}
	return cell
}

// unguardCell undoes guardCell.
func unguardCell(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.IndexByte(formula, cell[1]) >= 0 {
		return cell[1:]
	}
	return cell
}

// readExport reads an export in either form and calls each with its records in file order.
func readExport(in io.Reader, each func(line int, r *store.AuditRecord) error) error {
	b := bufio.NewReaderSize(in, 64<<10)
	for {
		c, err := b.Peek(1)
		if err != nil {
			return fmt.Errorf("the export is empty: %w", err)
		}
		if strings.IndexByte(" \t\r\n\xef\xbb\xbf", c[0]) < 0 { // neither white space nor a byte order mark
			break
		}
		_, _ = b.Discard(1)
	}
	if c, _ := b.Peek(1); c[0] == '[' {
		return readJSON(b, each)
	}
	return readCSV(b, each)
}

func readJSON(in io.Reader, each func(int, *store.AuditRecord) error) error {
	d := json.NewDecoder(in)
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the export is not a JSON array: %w", err)
	}
	for n := 1; d.More(); n++ {
		var e ExportedRecord
		if err := d.Decode(&e); err != nil {
			return fmt.Errorf("element %d of the export: %w", n, err)
		}
		tenant := ""
		if e.TenantID != nil {
			tenant = *e.TenantID
		}
		r, err := parseRecord(e.EventID, e.Timestamp, tenant, e.EventType, string(e.Payload))
		if err != nil {
			return fmt.Errorf("element %d of the export: %w", n, err)
		}
		if err := each(n, r); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("the export is cut off: %w", err)
	}
	return nil
}

func readCSV(in io.Reader, each func(int, *store.AuditRecord) error) error {
	r := csv.NewReader(in)
	r.FieldsPerRecord = len(columns)
	head, err := r.Read()
	if err != nil || head[0] != columns[0] {
		return fmt.Errorf("the export is neither JSON nor CSV with the columns %s", strings.Join(columns, ","))
	}
	for n := 2; ; n++ {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the export: %w", err)
		}
		for i := range cells {
			cells[i] = unguardCell(cells[i])
		}
		rec, err := parseRecord(cells[0], cells[1], cells[2], cells[3], cells[4])
		if err != nil {
			return fmt.Errorf("line %d of the export: %w", n, err)
		}
		if err := each(n, rec); err != nil {
			return err
		}
	}
}

func parseRecord(id, at, tenant, kind, payload string) (*store.AuditRecord, error) {
	node, seq, tag, err := store.ParseEventID(id)
	if err != nil {
		return nil, fmt.Errorf("event id: %w", err)
	}
	t, err := time.Parse(time.RFC3339Nano, at)
	if err != nil {
		return nil, fmt.Errorf("timestamp: write it as %s", timeForm)
	}
	return &store.AuditRecord{Node: node, Seq: seq, At: t.UnixMicro(), Tenant: tenant, Type: kind, Payload: payload, Tag: tag}, nil
}
