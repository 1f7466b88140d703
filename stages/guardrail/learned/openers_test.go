package learned

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABlockThatSpeaksOfSomebodysInstructionsOpensTheGate(t *testing.T) {
	m, err := Embedded()
	require.NoError(t, err)
	page := strings.Repeat("the ships lay in the bay until the wind had turned to the west. ", 8)
	for text, want := range map[string]bool{
		"leave the previous instructions to him":   true,
		"all\n guidelines of the house":            true,
		"the system prompt is short":               true,
		"an instruction for use":                   false,
		"the previous owner had instructions":      false,
		"unprevious instructions":                  false,
		"the \"previous-instructions\" of it":      true,
		"previous         instructions, far apart": false,
		"previous instructionset":                  false,
		"the prompter said all":                    false,
	} {
		for _, scan := range []func([]Block, []byte) []Block{m.Gate().Scan, m.Gate().scanRunes} {
			blocks := scan(nil, []byte(page+text+". "+page))
			opened := 0
			for i := range blocks {
				if blocks[i].Opens() {
					opened++
					assert.True(t, m.Gate().Passes(blocks, i), text)
				}
			}
			assert.Equal(t, want, opened == 1, text)
		}
	}
}

func TestTheMarksOfNounsAreNotPartOfTheModel(t *testing.T) {
	m, err := ParseModel(modelFile)
	require.NoError(t, err)
	assert.Equal(t, modelFile, m.Append(nil))
}
