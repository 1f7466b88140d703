package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each line is a text and, behind a bar, what is found in it.
func assertFinds(t *testing.T, o Options, lines string) {
	t.Helper()
	e := engine(t, o)
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		text, want, _ := strings.Cut(strings.TrimSpace(line), "|")
		var got []string
		for _, m := range e.Detect(nil, text) {
			got = append(got, m.Type+" "+text[m.Start:m.End])
		}
		assert.Equal(t, want, strings.Join(got, " "), text)
		assertAnyCutting(t, e, text+" and more of it.", 3)
	}
}

func TestAPasswordGoesOnBehindWhatIsEscaped(t *testing.T) {
	assertFinds(t, Options{}, `
		password=sooper\secret|PASSWORD sooper\secret
		password = "sooper\"secret"|PASSWORD sooper\"secret
		password: 'sooper\'s3cret'|PASSWORD sooper\'s3cret
		password=sooper\ secret|PASSWORD sooper\ secret
		{\"password\": \"sooper\\\"secret\"}|PASSWORD sooper\\\"secret
		{\"password\": \"sooper9secret\", \"x\": \"y\"}|PASSWORD sooper9secret
		{\"password\": \"sooper9secret\"}|PASSWORD sooper9secret
		export PASSWORD=sooper\$ecret9|PASSWORD sooper\$ecret9
		password = "sooper\\secret9"|PASSWORD sooper\\secret9
		password = "sooper9\\\\"|PASSWORD sooper9\\\\
		password = "sooper9\n"|PASSWORD sooper9
		"password=sooper9\nuser=kim"|PASSWORD sooper9
		'{"password":"abc9def\\"}'|PASSWORD abc9def\\`)
}

func TestAnAddressBeginsBehindTheLetterOfAnEscape(t *testing.T) {
	assertFinds(t, Options{}, `
		"Dear team,\nkim@x.org wrote"|EMAIL kim@x.org
		"a\tkim@x.org"|EMAIL kim@x.org
		CORP\nina@x.org|EMAIL nina@x.org
		\ukim@x.org|EMAIL ukim@x.org`)
}

func TestADomainGoesOnBehindALabelWithADash(t *testing.T) {
	assertFinds(t, Options{}, `
		kim@eu.kite-systems.co.jp|EMAIL kim@eu.kite-systems.co.jp
		mail kim@students.uni-altona.de, please|EMAIL kim@students.uni-altona.de
		kim@mail.stadtwerke-nord.consulting.|EMAIL kim@mail.stadtwerke-nord.consulting
		kim@example.org-2|EMAIL kim@example.org
		kim@example.org-and.|EMAIL kim@example.org
		kim@example.com-x.1|EMAIL kim@example.com`)
}
