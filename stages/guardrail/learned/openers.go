package learned

// openerNouns are what orders against a model speak of.
var openerNouns = []string{
	"instruction", "instructions", "directive", "directives", "guideline", "guidelines", "guidance", "programming", "prompt", "prompts",
}

// openerAdjectives are the words of which one precedes a noun in an opener: "previous instructions". Ordinary texts seldom have
// both in a row.
var openerAdjectives = map[string]bool{
	"previous": true, "previously": true, "prior": true, "earlier": true, "preceding": true, "foregoing": true, "above": true,
	"original": true, "initial": true, "existing": true, "former": true, "past": true, "hidden": true, "secret": true, "system": true,
	"your": true, "all": true, "any": true, "these": true, "those": true, "other": true, "my": true,
}

// openerMost is the length of the longest of openerAdjectives.
const openerMost = 10

// marksNoun marks the place of an opener's noun in Gate.words: the weight that belongs there is in Gate.nouns. No weight of a model is
// as low.
const marksNoun = -128

// gateNoun is an opener's noun.
type gateNoun struct {
	hash   uint32
	weight int8 // of its place in Gate.words
}

// markNouns marks the nouns of openers, so that the gate finds them among the words that it reads in any case.
func (g *Gate) markNouns() {
	g.nouns = g.nouns[:0]
	for _, noun := range openerNouns {
		h := hashBytes([]byte(noun), 0, len(noun))
		weight := g.words[h>>(32-gateWordBits)]
		for _, n := range g.nouns {
			if n.hash>>(32-gateWordBits) == h>>(32-gateWordBits) {
				weight = n.weight
			}
		}
		g.words[h>>(32-gateWordBits)] = marksNoun
		g.nouns = append(g.nouns, gateNoun{h, weight})
	}
}

// copyWeights returns the weights of words as they were trained, without marks.
func (g *Gate) copyWeights() []int8 {
	weights := append([]int8(nil), g.words[:]...)
	for _, n := range g.nouns {
		weights[n.hash>>(32-gateWordBits)] = n.weight
	}
	return weights
}

// readNoun returns the weight of the word b[start:] with hash h, whose place in Gate.words is marked, and whether it ends an opener: then
// its windows pass, whatever their sums are.
func (g *Gate) readNoun(h uint32, b []byte, start int) (weight int32, opens bool) {
	for _, n := range g.nouns {
		if n.hash>>(32-gateWordBits) == h>>(32-gateWordBits) {
			weight = int32(n.weight)
			opens = opens || n.hash == h
		}
	}
	return weight, opens && followsAdjective(b, start)
}

// followsAdjective reports whether one of openerAdjectives precedes b[at:], with at most eight characters between that are no letters.
func followsAdjective(b []byte, at int) bool {
	end := at
	for end > 0 && at-end < 8 && classes[b[end-1]] != classWord && classes[b[end-1]] != classLead {
		end--
	}
	start := end
	for start > 0 && end-start <= openerMost && b[start-1]-'a' < 26 {
		start--
	}
	return end < at && openerAdjectives[string(b[start:end])]
}
