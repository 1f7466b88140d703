package pii

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// quotedMax is the length of the longest text that is mutilated.
const quotedMax = 160

// readQuotedTexts returns the texts in quotes of this package's tests, each once, and those of the cases in testdata.
func readQuotedTexts(t *testing.T) []string {
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var texts []string
	seen := map[string]bool{}
	add := func(text string) {
		if len(text) > 3 && len(text) <= quotedMax && !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				require.NoError(t, err)
				add(text)
			}
			return true
		})
	}
	for _, half := range []string{"tuned", "unseen", "forms", "written oddly", "keys"} {
		for _, c := range ownCases(t, half) {
			add(c.Text)
		}
	}
	return texts
}

// emptied are parts of texts in which something stands that may be missing, and what is left then.
var emptied = []struct {
	part *regexp.Regexp
	left string
}{
	{regexp.MustCompile(`//[^:@/\s]*:`), "//:"},                         // the user of a URL
	{regexp.MustCompile(`:[^:@/\s]*@`), ":@"},                           // its password
	{regexp.MustCompile(`([:=>] ?["'` + "`" + `]?)[^"'\s,;&<]+`), "$1"}, // a value
	{regexp.MustCompile(`([:=>] ?["'` + "`" + `])[^"'` + "`" + `]*`), "$1"},
	{regexp.MustCompile(`[\w.-]+( ?[:=>(])`), "$1"},             // a name
	{regexp.MustCompile(`/[^/\s]+`), "/"},                       // parts of a path
	{regexp.MustCompile(`(KEY-----)[^-]+(-----END)`), `$1\n$2`}, // a key in a string
	{regexp.MustCompile(`\n`), `\n`},
}

// Values are missing in texts that are cut, filled in later or written by programs. All of them are read to the end.
func TestMutilatedTextsAreRead(t *testing.T) {
	e := engine(t, Options{Region: "US", Packs: []string{packAll}})
	texts := readQuotedTexts(t)
	require.Greater(t, len(texts), 2000)
	var found []Match
	detect := func(text string) {
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%q: %v", text, r)
			}
		}()
		found = e.Detect(found[:0], text)
	}
	for k := 0; k < len(texts); k += raceShare() {
		text := texts[k]
		for i := range len(text) {
			detect(text[:i])
			detect(text[i:])
			detect(text[:i] + text[i+1:])
		}
		for _, p := range emptied {
			detect(p.part.ReplaceAllString(text, p.left))
			for _, at := range p.part.FindAllStringIndex(text, -1) {
				detect(text[:at[0]] + p.part.ReplaceAllString(text[at[0]:at[1]], p.left) + text[at[1]:])
				detect(strings.TrimSuffix(text[:at[0]]+p.part.ReplaceAllString(text[at[0]:at[1]], p.left), "\n"))
			}
		}
	}
}

// Texts of programs have the marks of a key with nothing between them, which is no word.
func TestKeysWithoutTextAreNoWords(t *testing.T) {
	assert.False(t, isPronounceable(""))
	e := engine(t, Options{})
	for _, body := range []string{`\n...\n`, `\n\n`, `\n`, `\r\n`, `\n-\n`} {
		text := `"private_key": "-----BEGIN PRIVATE KEY-----` + body + `-----END PRIVATE KEY-----\n"`
		assert.Len(t, e.Detect(nil, text), 1, text)
	}
	assert.Empty(t, e.Detect(nil, `"private_key": "-----BEGIN PRIVATE KEY-----\nfake\n-----END PRIVATE KEY-----\n"`))
}
