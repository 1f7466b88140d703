package pii

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/pii/internal/forms"
)

// readVendorForms returns the forms of a file.
func readVendorForms(t testing.TB, path string, least int) []forms.Form {
	all, err := forms.Read(path)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), least)
	return all
}

// vendorForms are those of the project's own list.
func vendorForms(t testing.TB) []forms.Form { return readVendorForms(t, "testdata/vendors.txt", 420) }

// TestSecretsOfVendorsAreFound fills each form several times and puts it where nothing else tells of a secret. A few random values
// look like words or end in a mark of punctuation, so that one in twenty of a form may be missed.
func TestSecretsOfVendorsAreFound(t *testing.T) {
	e := engine(t, Options{})
	r := rand.New(rand.NewPCG(18, 1))
	all, found := vendorForms(t), 0
	defer func() { t.Logf("found %d of %d forms", found, len(all)) }()
	for _, f := range all {
		const fills = 20
		missed := 0
		for range fills {
			v := f.Fill(r)
			for _, text := range []string{"use this: " + v + " and go", "export X=" + v + "\n", `{"v":"` + v + `"}`, `{\"v\":\"` + v + `\"}`, "| x | " + v + " |", "`" + v + "`\n"} {
				if !slices.ContainsFunc(e.Detect(nil, text), func(m Match) bool { return isSecretType(m.Type) }) {
					missed++
				}
			}
		}
		if assert.LessOrEqual(t, missed, 6*fills/20, "%s: %s", f.Name, f.Template) {
			found++
		}
	}
}

func TestSecretsOfVendorsDoNotDependOnTheCutting(t *testing.T) {
	e := engine(t, Options{})
	r := rand.New(rand.NewPCG(18, 2))
	for _, f := range vendorForms(t) {
		assertAnyCutting(t, e, "use this: "+f.Fill(r)+" and go", 2)
	}
}

// TestSecretsOfPublishedFormsAreFound is TestSecretsOfVendorsAreFound for the forms that another scanner publishes.
func TestSecretsOfPublishedFormsAreFound(t *testing.T) {
	e := engine(t, Options{})
	r := rand.New(rand.NewPCG(18, 4))
	for _, f := range readVendorForms(t, "testdata/published.txt", 180) {
		const fills = 20
		missed := 0
		for range fills {
			v := f.Fill(r)
			for _, text := range []string{"use this: " + v + " and go", "export X=" + v + "\n", `{"v":"` + v + `"}`, "`" + v + "`\n"} {
				if !slices.ContainsFunc(e.Detect(nil, text), func(m Match) bool { return isSecretType(m.Type) }) {
					missed++
				}
			}
		}
		assert.LessOrEqual(t, missed, 4*fills/20, "%s: %s", f.Name, f.Template)
	}
}
