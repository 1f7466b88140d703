package core

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// fill puts something into every field that can be reached, slices longer than
// they show included. Buffers of bytes get n bytes.
func fill(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("secret")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(7)
	case reflect.Slice:
		size := 3
		if v.Type().Elem().Kind() == reflect.Uint8 {
			size = n
		}
		v.Set(reflect.MakeSlice(v.Type(), size, size))
		for i := range size {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if !f.CanSet() { // write to what is not exported, too
				f = reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem()
			}
			switch f.Type() {
			case reflect.TypeFor[splice.Scanner](), reflect.TypeFor[time.Time]():
				continue
			}
			fill(f, n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		if v.Type().Key().Kind() == reflect.String {
			m.SetMapIndex(reflect.ValueOf("secret").Convert(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		}
		v.Set(m)
	}
}

// remains lists what is not empty, also behind the length of a slice. Single
// bytes may stay behind the length of a buffer: they are written over before they
// are read, and point nowhere.
func remains(v reflect.Value, path string, found *[]string) {
	switch v.Kind() {
	case reflect.Slice:
		if v.Len() > 0 && v.Type() != reflect.TypeFor[[][]byte]() {
			*found = append(*found, path+" has elements")
		}
		if v.Type().Elem().Size() == 1 {
			return
		}
		all := v.Slice(0, v.Cap())
		for i := range all.Len() {
			remains(all.Index(i), path+"[]", found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; name != "Scanner" && name != "Notes" {
				remains(v.Field(i), path+"."+name, found)
			}
		}
	case reflect.Map:
		if v.Len() > 0 {
			*found = append(*found, path)
		}
	default:
		if !v.IsZero() {
			*found = append(*found, path)
		}
	}
}

func TestResetLeavesNothingOfThePreviousExchange(t *testing.T) {
	x := new(Exchange)
	fill(reflect.ValueOf(x).Elem(), 16)
	x.Notes = "the dialect's own"
	var before []string
	remains(reflect.ValueOf(x).Elem(), "x", &before)
	require.Greater(t, len(before), 60, "the walk must reach what there is")
	x.Reset()
	var after []string
	remains(reflect.ValueOf(x).Elem(), "x", &after)
	assert.Empty(t, after)
	assert.Equal(t, "the dialect's own", x.Notes)
	assert.NotZero(t, cap(x.Findings), "buffers are kept")
	assert.NotZero(t, cap(x.Request.Segments))
}

func TestResetLetsLargeBuffersGo(t *testing.T) {
	x := new(Exchange)
	fill(reflect.ValueOf(x).Elem(), scratch.MaxKept+1)
	x.Request.Segments = make([]Segment, scratch.MaxKept)
	x.Request.Marks = make([]splice.Span, scratch.MaxKept)
	x.Findings = make([]Finding, scratch.MaxKept)
	x.Reset()
	for name, size := range map[string]int{
		"segments": cap(x.Request.Segments), "marks": cap(x.Request.Marks), "findings": cap(x.Findings),
	} {
		assert.Zero(t, size, name)
	}
}
