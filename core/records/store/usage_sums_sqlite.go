package store

import "database/sql/driver"

// sumsSQLite adds the records of a batch to the stored sums.
type sumsSQLite struct {
	hour, day, keyDay, pace, link driver.StmtExecContext
	sums                          batchSums
}

func (s *sumsSQLite) run(q *queue) error {
	if len(q.usage) == 0 {
		return nil
	}
	defer s.sums.forget()
	s.sums.gather(q, func(text string) string { return text })
	values := make([]driver.Value, 0, sumCount+6)
	return s.sums.visitRows(func(statement string, args []any) error {
		st := s.hour
		switch statement {
		case usageDaySQL:
			st = s.day
		case usageKeyDaySQL:
			st = s.keyDay
		case usagePaceSQL:
			st = s.pace
		case usageLinkSQL:
			st = s.link
		}
		values = values[:0]
		for _, a := range args {
			values = append(values, a)
		}
		return execStatement(st, values...)
	})
}
