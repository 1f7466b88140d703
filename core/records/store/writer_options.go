package store

import "time"

// WriterOptions configure a Writer. A zero field takes the default.
type WriterOptions struct {
	// Interval is how long a batch collects records after its first. Default 40 ms. A record is durable some 50 ms after
	// it was appended on an idle machine; what a kill loses on a busy one is measured in docs/records.md.
	Interval time.Duration
	// FlushRecords is the number of queued records that triggers an early flush. Default 4096.
	FlushRecords int
	// MaxBytes bounds the strings of all queued records, including the room reserved for admitted exchanges. A record
	// takes another 40 to 150 bytes. Default 32 MiB.
	MaxBytes int
	// MaxRecords bounds the number of queued records. Default MaxBytes / 256.
	MaxRecords int
	// Wait is how long an append to a full queue waits for room before it returns ErrBusy. Default 100 ms.
	Wait time.Duration
	// CompressFrom is the time from which audit segments are compressed. Zero means never. See
	// Audit.CompressFrom.
	CompressFrom time.Time
	// OnError receives the error of each failed attempt to write a batch and its number of records. The writer's
	// goroutine calls it, so it must not wait for the writer. Optional.
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
