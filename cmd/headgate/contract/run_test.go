package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEachRowHoldsOnSQLite(t *testing.T)     { holds(t, onSQLite(t, racingProgram)) }
func TestEachRowHoldsOnPostgreSQL(t *testing.T) { holds(t, onPostgres(t)) }

// holds runs all rows in one place.
func holds(t *testing.T, p place) {
	t.Helper()
	wait := awaited(t)
	here := tests(t)
	for _, l := range lines(t) {
		test := here[l.id]
		if test == nil {
			continue // another test reports that
		}
		t.Run(l.id, func(t *testing.T) {
			why, waits := wait[l.id]
			if !waits {
				test(&T{judge: t, place: p, variant: licensed})
				return
			}
			failed, said := attempt(t, &T{place: p, variant: licensed}, l.id, test)
			assert.True(t, failed, "the row holds: take it out of awaited.tsv")
			t.Skipf("awaited: %s\n%s", why, said)
		})
	}
}

func TestNoRowHoldsOnAServerThatAnswersNothing(t *testing.T) {
	p := onBlank(t)
	for id, test := range tests(t) {
		t.Run(id, func(t *testing.T) {
			failed, _ := attempt(t, &T{place: p, variant: licensed}, id, test)
			assert.True(t, failed, "the test of this row passes against a server that answers 200 {} to everything")
		})
	}
}
