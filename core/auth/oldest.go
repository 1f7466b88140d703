package auth

import "container/list"

// oldest is a map of bounded size. A new key in a full map replaces the key that was put longest ago. It is not
// safe for concurrent use.
type oldest[K comparable, V any] struct {
	most  int
	at    map[K]*list.Element // of oldestEntry[K, V]
	order list.List           // the newest first
}

type oldestEntry[K comparable, V any] struct {
	key   K
	value V
}

func newOldest[K comparable, V any](most int) *oldest[K, V] {
	return &oldest[K, V]{most: most, at: map[K]*list.Element{}}
}

func (o *oldest[K, V]) get(k K) (v V, ok bool) {
	e, ok := o.at[k]
	if !ok {
		return v, false
	}
	return e.Value.(*oldestEntry[K, V]).value, true
}

// put stores a value and makes its key the newest.
func (o *oldest[K, V]) put(k K, v V) {
	if e, ok := o.at[k]; ok {
		e.Value.(*oldestEntry[K, V]).value = v
		o.order.MoveToFront(e)
		return
	}
	if len(o.at) >= o.most {
		last := o.order.Back()
		o.order.Remove(last)
		delete(o.at, last.Value.(*oldestEntry[K, V]).key)
	}
	o.at[k] = o.order.PushFront(&oldestEntry[K, V]{k, v})
}

func (o *oldest[K, V]) drop(k K) {
	if e, ok := o.at[k]; ok {
		o.order.Remove(e)
		delete(o.at, k)
	}
}
