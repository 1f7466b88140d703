package cachetest

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Values stores values in a map, or fails.
type Values struct {
	mu     sync.Mutex
	values map[string][]byte
	ttl    time.Duration // of the last value
	err    error
	panics bool
}

func (f *Values) Get(_ context.Context, key string) ([]byte, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.panics {
		panic("no store")
	}
	v, ok := f.values[key]
	return v, ok, f.err
}

func (f *Values) Set(_ context.Context, key string, value []byte, ttl time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		if f.values == nil {
			f.values = map[string][]byte{}
		}
		f.values[key], f.ttl = append([]byte(nil), value...), ttl
	}
	return f.err
}

func (f *Values) Delete(_ context.Context, key string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.values, key)
	return f.err
}

// ListValues returns the stored values.
func (f *Values) ListValues() (out [][]byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, v := range f.values {
		out = append(out, v)
	}
	return out
}

// listKeys lists the stored keys.
func (f *Values) listKeys() (out []string) {
	for k := range f.values {
		out = append(out, k)
	}
	return out
}

var errDown = errors.New("the store is down")
