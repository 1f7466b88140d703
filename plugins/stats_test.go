package plugins

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

func TestEveryCounterOfAFileIsAddedUp(t *testing.T) {
	one := wasm.Stats{Name: "a.wasm", Digest: "d", Faults: map[core.Fault]uint64{core.FaultTrap: 1}}
	v := reflect.ValueOf(&one).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Uint64:
			f.SetUint(1)
		case reflect.Int, reflect.Int64:
			f.SetInt(1)
		default:
		}
	}
	sums := map[string]wasm.Stats{}
	addStats(sums, one)
	addStats(sums, one)
	v = reflect.ValueOf(sums["a.wasm\x00d"])
	for i := range v.NumField() {
		switch f, name := v.Field(i), v.Type().Field(i).Name; f.Kind() {
		case reflect.Uint64:
			assert.EqualValues(t, 2, f.Uint(), name)
		case reflect.Int, reflect.Int64:
			assert.EqualValues(t, 2, f.Int(), name)
		default:
		}
	}
	assert.Equal(t, map[core.Fault]uint64{core.FaultTrap: 2}, sums["a.wasm\x00d"].Faults)
}
