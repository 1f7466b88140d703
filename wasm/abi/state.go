package abi

// Kinds of limits.
const (
	// LimitRate lets units through at an even pace: up to Burst at once, and Max in
	// each Period from then on. What was taken stays taken.
	LimitRate uint32 = 1
	// LimitConcurrent bounds what is held at the same time.
	LimitConcurrent uint32 = 2
	// LimitSpend bounds the sum of what was settled and what is held, until Ends.
	LimitSpend uint32 = 3
)

// LimitShort, among a limit's result flags, says that there was no room for Cost.
const LimitShort uint32 = 1 << 0

// Results of state_take besides a hold, which is greater than 0.
const (
	// TakeShort says that a limit has no room, and nothing was taken from any; the
	// records tell which, and how long to wait.
	TakeShort int64 = 0
	// TakeFailed says that the store did not answer. Nothing was taken.
	TakeFailed int64 = -1
	// TakeFull says that the plugin has reached the limit of counters, and that a limit
	// needs another one. Nothing was taken. Counters go when they say no more than none
	// would: a rate that nothing is taken from, a sum whose Ends is over.
	TakeFull int64 = -2
)

// WaitNever as a Wait says that Cost is more than could ever be taken at once.
const WaitNever int64 = -1

// LimitSize is the size of a limit record in bytes. Records begin at multiples of 8.
const LimitSize = 96

// Limit is one limit and what an exchange wants of it. As a record it is 96 bytes,
// little endian, in the order of the fields, without gaps. state_take reads the
// fields up to Ends from an array of records, and writes the others into it.
//
// Key lies in the guest's memory; the host puts the plugin's name and the tenant
// before it, so that no guest reaches the keys of another or of another tenant. Times
// are milliseconds, Ends since 1970.
type Limit struct {
	Kind           uint32
	Flags          uint32 // result: LimitShort
	KeyPtr, KeyLen uint32
	Cost           int64 // units to take, not negative; 0: to look only
	Max            int64 // units there are, not negative
	// Period is, of a rate, the time in which Max units come back. Of the other kinds
	// it is how long a hold lasts at most; 0: an hour.
	Period int64
	Burst  int64 // rate: most units at once; 0: Max
	Ends   int64 // spend: when the counter is of no use any more

	Left  int64 // units that could be taken now; negative when more was settled than there was
	Spent int64 // spend: what was settled so far; concurrent: what is held
	Wait  int64 // rate, with LimitShort: until Cost could be taken, or WaitNever
	Reset int64 // rate: until nothing is taken any more
	_     int64 // reserved, 0
}

// PutLimit writes a record; b holds at least LimitSize bytes.
func PutLimit(b []byte, l *Limit) {
	_ = b[LimitSize-1]
	put32(b[0:], l.Kind)
	put32(b[4:], l.Flags)
	put32(b[8:], l.KeyPtr)
	put32(b[12:], l.KeyLen)
	for i, v := range [...]int64{l.Cost, l.Max, l.Period, l.Burst, l.Ends, l.Left, l.Spent, l.Wait, l.Reset, 0} {
		put64(b[16+8*i:], uint64(v))
	}
}

// GetLimit reads a record; b holds at least LimitSize bytes.
func GetLimit(b []byte) (l Limit) {
	_ = b[LimitSize-1]
	l.Kind, l.Flags, l.KeyPtr, l.KeyLen = get32(b[0:]), get32(b[4:]), get32(b[8:]), get32(b[12:])
	for i, v := range [...]*int64{&l.Cost, &l.Max, &l.Period, &l.Burst, &l.Ends, &l.Left, &l.Spent, &l.Wait, &l.Reset} {
		*v = int64(get64(b[16+8*i:]))
	}
	return l
}

func put64(b []byte, v uint64) {
	put32(b, uint32(v))
	put32(b[4:], uint32(v>>32))
}

func get64(b []byte) uint64 { return uint64(get32(b)) | uint64(get32(b[4:]))<<32 }
