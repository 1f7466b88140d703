package extism

// Vars are the variables that a guest sets during one call. The zero value has room for none.
type Vars struct {
	values map[string]string
	room   int
}

// Reset deletes all variables and sets the most bytes that new ones may take.
func (v *Vars) Reset(room int) {
	clear(v.values)
	v.room = room
}

// Get returns the value of a variable, or "" if it is not set.
func (v *Vars) Get(key string) string { return v.values[key] }

// Delete deletes a variable.
func (v *Vars) Delete(key string) {
	if value, ok := v.values[key]; ok {
		v.room += len(key) + len(value)
		delete(v.values, key)
	}
}

// Set sets a variable. It returns false if there is no room for it.
func (v *Vars) Set(key string, value []byte) bool {
	v.Delete(key)
	if v.room -= len(key) + len(value); v.room < 0 {
		return false
	}
	if v.values == nil {
		v.values = map[string]string{}
	}
	v.values[key] = string(value)
	return true
}
