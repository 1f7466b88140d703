package learned

// The gate's tables are small, so that they stay in the processor's caches.
const (
	gateWordBits = 15
	gatePairBits = 18
	gateWords    = 1 << gateWordBits
	gatePairs    = 1 << gatePairBits
)

// BlockBytes is the length of a block. A window is two blocks in a row, so that windows overlap by half.
const BlockBytes = 200

// The gate adds up what words and pairs of words say, and begins again where the sum is no longer above zero. A block
// passes by the highest sum in it.

// A Block is a stretch of normalised text, from word to word.
type Block struct {
	Start, End int32
	peak       int32  // the highest sum of words in a row
	long       span   // from the first word that may be a code to the end of the last
	short      uint16 // words of one to four characters with a digit, or of one character
	signs      uint16 // of escapes
	open       bool   // it has an opener, see openers.go
}

type span struct{ start, end int32 }

// Gate chooses the windows of a long text that are worth a full look.
type Gate struct {
	threshold int32
	words     [gateWords]int8
	pairs     [gatePairs]int8
	nouns     []gateNoun
}

// longWord is how long a word must be to hide others.
const longWord = 16

func isHex(c byte) bool { return c-'0' < 10 || c-'a' < 6 }

// Signs of hidden text in one block.
const (
	manyShort = 10
	manySigns = 5
)

// Encodes reports a block that may hide another text in codes of many parts: numbers, pairs of digits, escapes.
func (k *Block) Encodes() bool { return k.short >= manyShort || k.signs >= manySigns }

// Long returns the stretch from the first long word of a block to the end of the last: such a word may be a code. end is 0 if
// the window has none.
func (k *Block) Long() (start, end int) { return int(k.long.start), int(k.long.end) }

// Opens reports a block that speaks of somebody's instructions: its windows get a full look whatever the model says of them, since
// rules know orders that begin so.
func (k *Block) Opens() bool { return k.open }

// Passes reports whether the window that starts at block i needs the full model.
func (g *Gate) Passes(blocks []Block, i int) bool {
	return g.passesAlone(&blocks[i]) || i+1 < len(blocks) && g.passesAlone(&blocks[i+1])
}

func (g *Gate) passesAlone(k *Block) bool { return k.peak >= g.threshold || k.open }
