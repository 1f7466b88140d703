package meter

// Version changes whenever the rewritten form of the same module changes. It is part of the key of every cache of compiled modules.
const Version = 2

// TickModule and TickName name the injected import, of type () -> i32. The host returns the next slice, 1 to MaxSlice; a smaller result
// is used up at once.
const (
	TickModule = "headgate"
	TickName   = "tick"
)

// MaxSlice is the largest slice, in units of weight. Together with the largest
// charge it keeps the counter far from overflow.
const MaxSlice = 1 << 28

// maxPages is the most memory that a guest may be given: 1 GiB. Below 4 GiB the sum of an address and a length in range cannot wrap,
// which the chunked bulk operations rely on.
const maxPages = 1 << 14

// Limits bounds the contents of a module and its use of resources. A field that is zero or negative takes its value from NewDefaultLimits.
type Limits struct {
	// Size is the largest module, Body the largest function body, in bytes.
	// Compile time grows with the square of a body: 117 KB took up to 4 s.
	Size, Body int
	// Functions bounds the defined functions, Locals the parameters and locals
	// of one function.
	Functions, Locals int
	// Table bounds, in entries, the initial size of all tables together; every
	// maximum is lowered to it.
	Table uint32
	// MemoryPages is the most memory in pages of 64 KiB: a larger declared
	// maximum, or none, becomes this; a larger minimum is refused. Values
	// above 16384 (1 GiB) mean 16384.
	MemoryPages uint32
	// Data bounds the data segments, Elements the element segments and their entries together. The others bound the entries of the
	// section they name.
	Data, Elements, Globals, Types, Exports, Imports int
	// Tables bounds the number of tables.
	Tables int
	// Depth is the most frames of calling functions on the stack at one time.
	Depth uint32
	// OwnMemory accepts a module that imports its memory, as OPA's do, and gives it its own. Otherwise the module is refused.
	OwnMemory bool
	// Slice is the initial value of the counter: the weight of the code that
	// runs before the first tick. At most MaxSlice.
	Slice int32
}

// NewDefaultLimits returns limits that accept every sensible plug-in: among real guests the largest body had 29 KB and the largest module
// 3.3 MB.
func NewDefaultLimits() Limits {
	return Limits{
		Size: 8 << 20, Body: 64 << 10,
		Functions: 20_000, Locals: 2_000,
		Table: 64 << 10, MemoryPages: 256,
		Data: 100_000, Elements: 100_000, Globals: 10_000, Types: 10_000, Exports: 10_000, Imports: 1_000,
		Tables: 16, Depth: 10_000, Slice: 20_000,
	}
}

// withDefaults returns the limits with a default for every unset field and every other field clamped to the range for which the rewritten
// code is proved.
func (l Limits) withDefaults() Limits {
	d := NewDefaultLimits()
	for _, f := range []struct {
		field *int
		value int
	}{
		{&l.Size, d.Size},
		{&l.Body, d.Body},
		{&l.Functions, d.Functions},
		{&l.Locals, d.Locals},
		{&l.Data, d.Data},
		{&l.Elements, d.Elements},
		{&l.Globals, d.Globals},
		{&l.Types, d.Types},
		{&l.Exports, d.Exports},
		{&l.Imports, d.Imports},
		{&l.Tables, d.Tables},
	} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	if l.Table == 0 {
		l.Table = d.Table
	}
	if l.MemoryPages == 0 {
		l.MemoryPages = d.MemoryPages
	}
	if l.Depth == 0 {
		l.Depth = d.Depth
	}
	if l.Slice <= 0 {
		l.Slice = d.Slice
	}
	l.MemoryPages = min(l.MemoryPages, maxPages)
	l.Depth = min(l.Depth, 1<<24)
	l.Slice = min(l.Slice, MaxSlice)
	return l
}
