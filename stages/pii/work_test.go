package pii

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// workPerByte bounds how many basic blocks the engine runs for a byte of any text: about a
// microsecond. Prose takes one or two; single digits with spaces between them take most.
const workPerByte = 2000

// keyWork is what the longest key that is still a candidate may add: its body is judged once for each prefix in it.
const keyWork = 300_000

// hostileUnits are texts that ask for work when they are repeated, beside those of adversarial: what begins
// or joins keys, addresses and numbers, with a break before or behind.
var hostileUnits = []string{
	"ab:", "sk-proj-", "eyJ", "SG.", "xoxb-", "ya29.", "glpat-", "sk-ant-", "=ZXlK", "/ZXlK", "ZXlK/", "/eyJ", "+eyJ.a", `\neyJ`, `\nya29.`,
	"http://a))", "http://a.b/(", "www.a.com)", "https://hooks.slack.com/services/", "://", "a://b@", "ftp://a:b#", "1:A", "12345:A", "4b1d", "dapi",
	"sha256~", "password is ", "identified by '", "Authorization: ", "SSWS ", "bearer ", "a=b=", "a==", ": '", `"a":"`, `\"password\":\"`, "pwd >", "key=>",
	"::1 ", "1::", "fe80::1%", "::ffff:1.", "a:b:c:d:e:f:", "data:,base64,", "A1b2", "A1b2+", "AB12 3456 ", "aéa@", "é", "é@", "1.12345, ", "\u00ad1", "1\u200b1 ",
	"1 May ", "Mr. A. B ", "12 Main St ", "(at) a (dot) ", "a AT B DOT C ", "a_at_b_dot_c", "&#64;", "%40a", "<b>1</b>", "1<b>", "1&nbsp;", "1\u2022",
	"http://a" + strings.Repeat(")", 400), strings.Repeat("0011 ", 20) + strings.Repeat(" ", 5000), "call 0011 00 ", "11 11 11 0a ", "0000000: 4539 ", "call 1 0001234 ",
	"call (1 (2 (", "key=a...", "<password>@",
	"x_live_", "api_key_", "A1b2C3d4E5f6G7h8I9j0_", "JQQJ99", "AzFu", "+ACR", "FFFFNRAL", "9c1b2f3a4d5e6f708192a3b4c5d6e7f8-", "-us1", "1//0", "IQoJb3JpZ2lu",
	`\"token\":\"`, `
1`, `
+4`, "%2B4", "wa.me/1", "1234567 office ", "030 901820 (", "13.2.5.4 ", "DE 75 ", "AT 12 A", "no.4539", "T: 020 ", "Basic QTpC=",
	"0, 1, 2, CVC, ", "a:b=", "1\u200e", "\uFE0F1", "\u00b7",
}

// Twice the text is at most twice the work, and no byte costs much. The work is counted in
// another program: see internal/work.
func TestTwiceTheTextIsTwiceTheWork(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("long; the program that counts is built without the race detector")
	}
	type job struct {
		Types  []string `json:"types,omitempty"`
		Packs  []string `json:"packs,omitempty"`
		Unit   string   `json:"unit"`
		Length int      `json:"length"`
	}
	var jobs []job
	units := append(hostileUnits, adversarial...)
	for _, unit := range units {
		jobs = append(jobs, job{Packs: []string{packDefault}, Unit: unit, Length: 24_000}, job{Packs: []string{packAll}, Unit: unit, Length: 24_000})
		for _, name := range ListTypes() {
			jobs = append(jobs, job{Types: []string{name}, Unit: unit, Length: 600})
		}
	}
	for _, r := range keyRules {
		for _, unit := range []string{r.prefix, r.prefix + "/", r.prefix + "aB3/"} {
			jobs = append(jobs, job{Types: []string{"API_KEY"}, Unit: unit, Length: 12_000})
		}
	}
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, j := range jobs {
		require.NoError(t, enc.Encode(j))
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "work")
	const counted = "github.com/headgate-dev/headgate/stages/pii"
	build := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg="+counted+","+counted+"/internal/work",
		"-tags", "nomsgpack,grpcnotrace", "-o", program, "./internal/work")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	work := exec.Command(program)
	work.Stdin, work.Stderr, work.Env = &in, os.Stderr, append(os.Environ(), "GOCOVERDIR="+dir)
	answers, err := work.Output()
	require.NoError(t, err)
	dec := json.NewDecoder(bytes.NewReader(answers))
	for _, j := range jobs {
		var a struct{ Once, Twice int }
		require.NoError(t, dec.Decode(&a))
		// Quadratic work would be four times as much. Up to 20 KiB of the end are read again to find what a
		// stream must hold back, and keys are bounded, so that twice is not exact.
		assert.LessOrEqual(t, a.Twice, a.Once*5/2+10*j.Length+keyWork, "%v %v %q", j.Packs, j.Types, j.Unit)
		assert.LessOrEqual(t, a.Once, j.Length*workPerByte, "%v %v %q", j.Packs, j.Types, j.Unit)
	}
}
