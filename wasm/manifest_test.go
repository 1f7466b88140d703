package wasm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

func TestLabelsBecomeTypesOfPlaceholders(t *testing.T) {
	for label, want := range map[string]string{
		"employee_id": "EMPLOYEE_ID", "Credit.Card-No": "CREDIT_CARD_NO", "2fa": "X2FA", "_": "X", "-a-": "A",
		"a-label-that-is-much-longer-than-a-type": "A_LABEL_THAT_IS_MUCH_LONGER_THA", "a234567890123456789012345678901.": "A234567890123456789012345678901",
	} {
		assert.Equal(t, want, makePlaceholderType(label))
		assert.True(t, placeholder.IsValidType(makePlaceholderType(label)), label)
	}
}

func TestPhasesOfAManifest(t *testing.T) {
	m := Manifest{}
	assert.Equal(t, core.NewPhaseSet(core.Request, core.Response), m.PhaseSet(), "by default")
	m.Phases = []string{"target"}
	assert.Equal(t, core.NewPhaseSet(core.Target), m.PhaseSet())
}

func TestInspectTellsOfAModuleWithoutRunningIt(t *testing.T) {
	got, err := Inspect(employeeID(t), nil)
	require.NoError(t, err)
	assert.True(t, got.Packed)
	assert.Equal(t, "employee-id", got.Manifest.Name)
	assert.Len(t, got.Digest, 64)
	_, err = Inspect(guest{funcs: []fn{{typ: typNone, code: loop(nil)}}, start: 1}.bytes(), nil)
	require.NoError(t, err, "a start function that never returns is not run")
	_, err = Inspect(guest{imports: []importedFunc{{"env", "system", typI}}}.bytes(), nil)
	require.Error(t, err)
	got, err = Inspect([]byte("x"), nil)
	require.Error(t, err)
	assert.Len(t, got.Digest, 64, "a refused module can still be identified")
}

func FuzzAnyBytesAreRefusedOrLoadAndNothingPanics(f *testing.F) {
	f.Add(employeeID(f))
	f.Add(guest{}.bytes())
	f.Add(hostileGuests[1].guest.bytes())
	f.Fuzz(func(_ *testing.T, b []byte) {
		_, _ = Inspect(b, nil)
		_ = HasManifest(b)
		_, _ = WithManifest(b, []byte(`{"name":"x","kind":"detector","labels":["a"],"max_match":4}`))
	})
}
