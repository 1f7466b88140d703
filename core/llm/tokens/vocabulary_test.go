package tokens

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer/codec"
)

var (
	update  = flag.Bool("update", false, "rewrite data/o200k_base.deflate")
	library = sync.OnceValue(codec.NewO200kBase)
)

func TestTheVocabularyIsThatOfTheLibrary(t *testing.T) {
	var want []byte
	for rank := uint(0); ; rank++ {
		token, err := library().Decode([]uint{rank})
		if err != nil {
			break
		}
		require.Less(t, len(token), 256)
		want = append(append(want, byte(len(token))), token...)
	}
	if *update {
		var b bytes.Buffer
		w, err := flate.NewWriter(&b, flate.BestCompression)
		require.NoError(t, err)
		_, err = w.Write(want)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.NoError(t, os.WriteFile("data/o200k_base.deflate", b.Bytes(), 0o600))
		packed = b.String()
	}
	got, err := unpackVocabulary()
	require.NoError(t, err)
	assert.True(t, bytes.Equal(want, got), "data/o200k_base.deflate is not the library's vocabulary: go generate")
	v, err := loadVocabulary()
	require.NoError(t, err)
	assert.Len(t, v.ends, 199998)
}

// texts are the lines of the files that detectors are measured on, in several languages: those
// in the repository, and the public ones where they lie beside it.
func texts(t testing.TB) []string {
	files, err := filepath.Glob("../../../stages/*/testdata/*.json*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	public, err := filepath.Glob("../../../../shared/data/*.json*")
	require.NoError(t, err)
	files = append(files, public...)
	var out []string
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		if strings.HasSuffix(name, ".gz") {
			r, err := gzip.NewReader(bytes.NewReader(b))
			require.NoError(t, err)
			var plain bytes.Buffer
			_, err = plain.ReadFrom(r)
			require.NoError(t, err)
			b = plain.Bytes()
		}
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			out = append(out, lines.Text())
		}
		require.NoError(t, lines.Err())
	}
	return out
}

// corners are where the pattern's branches meet.
var corners = []string{
	"",
	"hello world",
	"HTTPServer's DON'T we'LL x'RE 'tis ’s",
	"ſ'ſ a'ſ",
	"Kelvin'K",
	"1234567 ½²٣",
	"a\u0301\u0302A\u0301B",
	"\u0301ABC",
	"!\u0301x",
	" \u0301",
	"ǅabcǅ ʰAʰB",
	"日本語テキスト、です。",
	"ไทย हिन्दी عربى",
	"  \n\n  x",
	"\t\t\n",
	"   ",
	" x",
	"x   y\r\n\r\n z",
	" ...///\n/\n//",
	"\u00a0\u00a0a\u0085\u2028b",
	"🙂👩‍👩‍👧‍👦!!",
	"<|endoftext|>",
	"a\xff\xfeb",
	"\xe6\x97",
	"\xff\xff",
	" \xff",
	"\x7f",
	"x\n \ny",
	" \n\n  \n \nz",
	"\u0301!",
	"x\xed\xa0\x80y",
	"\x00\x01",
	"ABCdefGHI",
	"ABC",
	"_snake_case__X",
	"//////a",
	"' 's",
}

// pattern is o200k_base's, in a group: the library registers its own code for the bare one, and that passes over
// U+007F, parts "\n \n" and takes the long s for no s. OpenAI's does none of it.
var pattern = regexp2.MustCompile(
	`(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`+
		`|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}`+
		`| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)`,
	regexp2.None,
)

var librarysOwn = regexp.MustCompile(`\x7f|ſ|[\r\n][^\S\r\n]+[\r\n]|[\r\n][\v\x{85}\p{Z}]`)

func checkCount(t *testing.T, s string) {
	got, err := CountText(s)
	require.NoError(t, err)
	if !librarysOwn.MatchString(s) {
		want, err := library().Count(s)
		require.NoError(t, err)
		assert.EqualValues(t, want, got, "%.200q", s)
	}
	s = string([]rune(s))
	m, err := pattern.FindStringMatch(s)
	for m != nil && err == nil && s != "" {
		cut := scanPiece(s)
		require.Equal(t, m.String(), s[:cut])
		s = s[cut:]
		m, err = pattern.FindNextMatch(m)
	}
	require.NoError(t, err)
	assert.Empty(t, s)
	assert.Nil(t, m)
}

func TestTextsAreCountedAsTheLibraryCountsThem(t *testing.T) {
	for _, s := range append(texts(t), corners...) {
		checkCount(t, s)
	}
	for _, unit := range []string{"a", "ab", "xQ9", "\xff", "日本", " ", "=", "\n", "😀", "0"} {
		checkCount(t, strings.Repeat(unit, 2000))
	}
}

func FuzzCountIsThatOfTheLibrary(f *testing.F) {
	for _, s := range corners {
		f.Add(s)
	}
	f.Fuzz(checkCount)
}

func BenchmarkText(b *testing.B) {
	prose := strings.Join(texts(b), "\n")
	for name, s := range map[string]string{"prose": prose, "long": strings.Repeat("a", 20000), "hex": strings.Repeat("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c", 400)} {
		b.Run(name+"/ours", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := CountText(s)
				require.NoError(b, err)
			}
		})
		b.Run(name+"/library", func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := library().Count(s)
				require.NoError(b, err)
			}
		})
	}
}
