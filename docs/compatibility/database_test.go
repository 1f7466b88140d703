package compatibility

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the PostgreSQL driver
	_ "github.com/mattn/go-sqlite3"    // registers the SQLite driver
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// earlier holds databases that commit 2cdf784b wrote, whose last migration is 80, and the statements that it ran. See README.md there.
const earlier = "testdata/database-00080"

// engine is one of the databases that the gateway stores its records in.
type engine struct {
	name, driver string
	url, dsn     string // of a new, empty database: for the store and for the driver
	columns      string // lists the tables of a database with their columns
}

func onEachEngine(t *testing.T, test func(t *testing.T, e engine)) {
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "earlier.db")
		test(t, engine{"sqlite", "sqlite3", "sqlite:" + path, "file:" + path, `SELECT m.name, c.name FROM sqlite_master AS m
			JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, c.cid`})
	})
	t.Run("postgres", func(t *testing.T) {
		url := pgtest.CreateSharedDatabase(t)
		test(t, engine{"postgres", "pgx", url, url, `SELECT c.table_name, c.column_name FROM information_schema.columns AS c
			JOIN information_schema.tables AS t USING (table_schema, table_name)
			WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1, c.ordinal_position`})
	})
}

func (e engine) read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(earlier, file))
	require.NoError(t, err)
	return string(text)
}

// runOnConnection runs fn on one connection of its own, so that nothing that fn sets lasts.
func (e engine) runOnConnection(t *testing.T, fn func(c *sql.Conn)) {
	t.Helper()
	db, err := sql.Open(e.driver, e.dsn)
	require.NoError(t, err)
	c, err := db.Conn(t.Context())
	require.NoError(t, err)
	fn(c)
	require.NoError(t, c.Close())
	require.NoError(t, db.Close())
}

// load writes the database of the earlier version.
func (e engine) load(t *testing.T) {
	t.Helper()
	e.runOnConnection(t, func(c *sql.Conn) {
		_, err := c.ExecContext(t.Context(), e.read(t, e.name+".sql"))
		require.NoError(t, err)
	})
}

// migrate opens the database with today's store, as a gateway does.
func (e engine) migrate(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), e.url)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close(context.Background())) })
	return db
}

// tables returns the columns of each table, in order.
func (e engine) tables(t *testing.T, c *sql.Conn) map[string][]string {
	t.Helper()
	rows, err := c.QueryContext(t.Context(), e.columns)
	require.NoError(t, err)
	tables := map[string][]string{}
	for rows.Next() {
		var table, column string
		require.NoError(t, rows.Scan(&table, &column))
		if table != "goose_db_version" {
			tables[table] = append(tables[table], column)
		}
	}
	require.NoError(t, rows.Err())
	return tables
}

// rows returns the named columns of all rows, sorted.
func (e engine) rows(t *testing.T, c *sql.Conn, table string, columns []string) (all []string) {
	t.Helper()
	query := "SELECT quote(" + strings.Join(columns, ") || ' ' || quote(") + ") FROM " + table
	if e.name == "postgres" {
		query = "SELECT CAST(ROW(" + strings.Join(columns, ", ") + ") AS TEXT) FROM public." + table
	}
	rows, err := c.QueryContext(t.Context(), query)
	require.NoError(t, err, "breaks the promise of the database: table %s has lost a column", table)
	for rows.Next() {
		var row string
		require.NoError(t, rows.Scan(&row))
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	slices.Sort(all)
	return all
}

func TestADatabaseOfAnEarlierVersionKeepsItsRows(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		e.load(t)
		var tables map[string][]string
		before := map[string][]string{}
		e.runOnConnection(t, func(c *sql.Conn) {
			tables = e.tables(t, c)
			for table, columns := range tables {
				before[table] = e.rows(t, c, table, columns)
				assert.True(t, len(before[table]) > 0 || table == "audit_base", "the earlier database has no row of %s", table)
			}
		})
		require.Greater(t, len(tables), 40)
		list, err := store.ListMigrations(t.Context(), e.url)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(list, func(m store.Migration) bool { return m.Applied.IsZero() }), "nothing is left to migrate")

		e.migrate(t)
		e.runOnConnection(t, func(c *sql.Conn) {
			for table, columns := range tables {
				assert.Equal(t, before[table], e.rows(t, c, table, columns), "breaks the promise of the database: rows of %s", table)
			}
		})
	})
}

// A gateway of the earlier version writes rows without the columns that were added since.
func TestRowsOfAnEarlierVersionFitTheMigratedDatabase(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		e.migrate(t)
		written := 0
		e.runOnConnection(t, func(c *sql.Conn) {
			begin := "PRAGMA foreign_keys = off" // the tables are written in alphabetic order
			if e.name == "postgres" {
				begin = "SET session_replication_role = replica"
			}
			_, err := c.ExecContext(t.Context(), begin)
			require.NoError(t, err)
			for table := range e.tables(t, c) {
				if table != "setting" { // what it was migrated with stays
					_, err = c.ExecContext(t.Context(), "DELETE FROM "+table)
					require.NoError(t, err)
				}
			}
			for _, insert := range strings.SplitAfter(e.read(t, e.name+".sql"), ";\n") {
				if strings.HasPrefix(insert, "INSERT ") && !strings.Contains(insert, "goose_db_version") {
					_, err := c.ExecContext(t.Context(), insert)
					assert.NoError(t, err, "breaks the promise that earlier gateways keep running: %s", insert)
					written++
				}
			}
		})
		assert.Greater(t, written, 90)
	})
}

func TestStatementsOfAnEarlierVersionRunOnTheMigratedDatabase(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		e.migrate(t)
		statements := strings.Split(strings.TrimSpace(e.read(t, "statements-"+e.name+".sql")), ";\n")
		require.Greater(t, len(statements), 300)
		e.runOnConnection(t, func(c *sql.Conn) {
			for _, statement := range statements {
				p, err := c.PrepareContext(t.Context(), strings.TrimSuffix(statement, ";"))
				if assert.NoError(t, err, "breaks the promise that earlier gateways keep running: %s", statement) {
					require.NoError(t, p.Close())
				}
			}
		})
	})
}
