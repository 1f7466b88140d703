package pii

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTextOfProgramsHasNoPersonalData(t *testing.T) {
	e := engine(t, Options{})
	for _, text := range []string{
		"out: np.ndarray,  # float64_t[:, ::1]\n", "def f(double[:, :, ::1] x, ip, y[::1, :]):", "host.indexOf('::')", `addr.startswith("::")`, "ip = '::'.join(x)",
		"``client_credentials``::\n\n    >>> ip", "addr: /^(::f{4}:)?127/", `"1.3.101.112": "Ed25519", # address`, "o=- 4596489990601351948 2 IN IP4 host",
		"roles: ['657259391652855808']", "EDT m=+18.317378921\n", `"call", "date_start": 1769457524,`, `"lifetime": 2592000000000000`,
		"( 2.5.4.32 NAME 'owner' SUP distinguishedName", "Requires-Dist: types-pyOpenSSL<=24.1.0.2,>=23.3.0.0; host",
		"{chrome: '>118.01.1322'}", "// FF, IE 10+ and Safari 6+. Fallback for others", "Should set is404 flag for unmatched paths",
	} {
		assert.Empty(t, e.Detect(nil, text), text)
	}
	for text, want := range map[string]string{
		`net.Listen("tcp", "[::1]:80")`: "::1", "host = '::1',": "::1", `host, port = ("::", 80)`: "::", "listen on `::1`": "::1",
		"pay with 4539824553459855": "4539824553459855", "MT52LFFY35901MIXRETHVMKL9VEPQU7": "MT52LFFY35901MIXRETHVMKL9VEPQU7",
		"mobile +1.2125550187": "+1.2125550187", "client 1.3.101.12 has left": "1.3.101.12",
	} {
		found := e.Detect(nil, text)
		if assert.Len(t, found, 1, text) {
			assert.Equal(t, want, text[found[0].Start:found[0].End], text)
		}
	}
}
