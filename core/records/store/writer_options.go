package store

import "time"

// WriterOptions says how traffic records are gathered. A zero field takes the default.
type WriterOptions struct {
	// Interval is how long the first record of a batch waits for company. Default 40 ms, which together with the time
	// of the commit itself keeps what a kill can lose to about the last 50 ms.
	Interval time.Duration
	// FlushRecords starts a flush early when so many records wait. Default 4096.
	FlushRecords int
	// MaxBytes bounds the texts of all records that wait, the room reserved for admitted exchanges included. A record
	// takes 40 to 150 bytes besides. Default 32 MiB.
	MaxBytes int
	// MaxRecords bounds their number. Default 1 for each 256 bytes of MaxBytes.
	MaxRecords int
	// Wait is how long an append to a full queue waits for room before it answers ErrBusy. Default 100 ms.
	Wait time.Duration
	// CompressFrom is from when on segments of audit records are stored compressed. Zero is never. See
	// Audit.CompressFrom.
	CompressFrom time.Time
	// OnError, when set, hears of each failed attempt to write a batch and of how many records it holds. It is called
	// from the writer's goroutine and must not wait for the writer.
	OnError func(err error, records int)
}

func (o *WriterOptions) fill() {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&o.FlushRecords, 4096)
	set(&o.MaxBytes, 32<<20)
	set(&o.MaxRecords, max(o.MaxBytes/256, 2*exchangeLoad.records))
	if o.Interval <= 0 {
		o.Interval = 40 * time.Millisecond
	}
	if o.Wait <= 0 {
		o.Wait = 100 * time.Millisecond
	}
	o.FlushRecords = min(o.FlushRecords, o.MaxRecords)
}
