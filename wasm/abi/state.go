package abi

// Kinds of limits.
const (
	// LimitRate lets units through at an even pace: up to Burst at once, then Max in each Period. Units that were taken are not returned.
	LimitRate uint32 = 1
	// LimitConcurrent bounds the units held at the same time.
	LimitConcurrent uint32 = 2
	// LimitSpend bounds the sum of settled and held units, until Ends.
	LimitSpend uint32 = 3
)

// LimitShort, among a limit's result flags, means that there was no room for Cost.
const LimitShort uint32 = 1 << 0

// Results of state_take other than a hold, which is greater than 0.
const (
	// TakeShort means that a limit has no room, and that nothing was taken from any limit. The records say which limit, and how long to
	// wait.
	TakeShort int64 = 0
	// TakeFailed means that the store did not answer. Nothing was taken.
	TakeFailed int64 = -1
	// TakeFull means that the plugin has reached the limit of counters and that a limit needs a new one. Nothing was taken. A counter is
	// deleted once it equals an empty one: a rate that has refilled, or a sum whose Ends has passed.
	TakeFull int64 = -2
)

// WaitNever as a Wait means that Cost exceeds what can ever be taken at once.
const WaitNever int64 = -1

// LimitSize is the size of a limit record in bytes. Records begin at multiples of 8.
const LimitSize = 96

// Limit is one limit and the units that an exchange wants from it. As a record it is 96 bytes, little endian, in the order of the fields,
// without gaps. state_take reads the fields up to Ends from an array of records and writes the others into it.
//
// Key is in the guest's memory. The host prefixes it with the plugin's name and the tenant, so that no guest reaches the keys of another
// guest or another tenant. Times are in milliseconds; Ends counts from 1970.
type Limit struct {
	Kind           uint32
	Flags          uint32 // result: LimitShort
	KeyPtr, KeyLen uint32
	Cost           int64 // units to take, not negative; 0 only reads the limit
	Max            int64 // units available in all, not negative
	// Period of a rate is the time in which Max units are refilled. For the other kinds it is the maximum time of a hold; 0 means an
	// hour.
	Period int64
	Burst  int64 // rate: most units at once; 0 means Max
	Ends   int64 // spend: when the counter expires

	Left  int64 // units that could be taken now; negative if more was settled than was available
	Spent int64 // spend: units settled so far; concurrent: units held
	Wait  int64 // rate, with LimitShort: until Cost could be taken, or WaitNever
	Reset int64 // rate: time until it has refilled completely
	_     int64 // reserved, 0
}

// PutLimit encodes a limit into b. It panics if b is shorter than LimitSize.
func PutLimit(b []byte, l *Limit) {
	_ = b[LimitSize-1]
	putUint32(b[0:], l.Kind)
	putUint32(b[4:], l.Flags)
	putUint32(b[8:], l.KeyPtr)
	putUint32(b[12:], l.KeyLen)
	for i, v := range [...]int64{l.Cost, l.Max, l.Period, l.Burst, l.Ends, l.Left, l.Spent, l.Wait, l.Reset, 0} {
		putUint64(b[16+8*i:], uint64(v))
	}
}

// GetLimit reads a record; b holds at least LimitSize bytes.
func GetLimit(b []byte) (l Limit) {
	_ = b[LimitSize-1]
	l.Kind, l.Flags, l.KeyPtr, l.KeyLen = getUint32(b[0:]), getUint32(b[4:]), getUint32(b[8:]), getUint32(b[12:])
	for i, v := range [...]*int64{&l.Cost, &l.Max, &l.Period, &l.Burst, &l.Ends, &l.Left, &l.Spent, &l.Wait, &l.Reset} {
		*v = int64(getUint64(b[16+8*i:]))
	}
	return l
}

func putUint64(b []byte, v uint64) {
	putUint32(b, uint32(v))
	putUint32(b[4:], uint32(v>>32))
}

func getUint64(b []byte) uint64 { return uint64(getUint32(b)) | uint64(getUint32(b[4:]))<<32 }
